/*
 * Tests that touching a region touches each of its pages and no other, and changes no byte. The
 * processor does not report which lines are cached; the test checks pages instead, because the same
 * loops touch both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/copy/touch.h"
#include "support/addresses.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "support/temporary.h"

enum { LINE = 64 };

static void for_random_regions(int count, int64_t max_extent,
                               void (*check)(const struct tcplan_problem *,
                                             const struct region *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.min_rank = 0;
    options.max_extent = max_extent;
    options.zeros =
        false; /* strides may be 0, but extents not: loops without iterations touch nothing */
    for (int seed = 1; seed <= count; seed++) {
        struct random_contraction random;
        uint64_t bits = (uint64_t)seed;
        struct temporary_problem tensors;
        random_contraction_init(&random, (uint64_t)seed, &options);
        temporary_problem_init(&tensors, &random.problem, TCPLAN_C, 0);
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const uint64_t indices = random.contraction->tensor[t].indices;
            const int64_t at[TCPLAN_MAX_INDICES] = {0};
            const struct tcplan_slice slice = {.operand = (enum tcplan_operand)t,
                                               .span = rng_next(&bits) & indices};
            const struct region_scope scope = {.at = at, .fixed = rng_next(&bits), .ranged = -1};
            const struct region region =
                region_of(&tensors.problem, slice, rng_once_in(&bits, 2), &scope);
            check(&random.problem, &region);
        }
        random_contraction_free(&random);
    }
}

/** Allocates exactly the bytes of a tensor, filled with a pattern, so that the address sanitizer
 * detects accesses beyond them. */
static char *exact_memory(const struct tcplan_problem *problem, const struct region *region) {
    const size_t bytes = (size_t)(problem->elems[region->operand] * region->element_bytes);
    char *memory = malloc(bytes);
    assert_non_null(memory);
    for (size_t b = 0; b < bytes; b++) memory[b] = (char)(b * 7 + 1);
    return memory;
}

static void assert_pattern(const struct tcplan_problem *problem, const struct region *region,
                           const char *memory) {
    const size_t bytes = (size_t)(problem->elems[region->operand] * region->element_bytes);
    for (size_t b = 0; b < bytes; b++) assert_true(memory[b] == (char)(b * 7 + 1));
}

static void check_unchanged(const struct tcplan_problem *problem, const struct region *region) {
    char *memory = exact_memory(problem, region);
    touch_region(region, memory, LINE);
    assert_pattern(problem, region, memory);
    touch_evict(region, memory, LINE);
    assert_pattern(problem, region, memory);
    free(memory);
}

static void touching_and_evicting_stay_inside_and_change_nothing(void **state) {
    (void)state;
    for_random_regions(300, 7, check_unchanged);
}

/* Pages. */

struct page_set {
    size_t page_bytes;
    unsigned char *expected;
    int64_t element_bytes;
};

static void expect_page(void *context, int space, int64_t element) {
    const struct page_set *set = context;
    (void)space;
    set->expected[(size_t)(element * set->element_bytes) / set->page_bytes] = 1;
}

static void check_touched_pages(size_t bytes, const struct region *region) {
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE), pages = bytes / page_bytes + 1;
    struct page_set set = {.page_bytes = page_bytes,
                           .expected = calloc(pages, 1),
                           .element_bytes = region->element_bytes};
    unsigned char *resident = calloc(pages, 1);
    char *memory = mmap(NULL, pages * page_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(set.expected && resident && memory != MAP_FAILED);
    madvise(memory, pages * page_bytes, MADV_NOHUGEPAGE);
    address_region(region, expect_page, &set);
    touch_region(region, memory, LINE);
    assert_int_equal(mincore(memory, pages * page_bytes, resident), 0);
    for (size_t p = 0; p < pages; p++) assert_int_equal(resident[p] & 1U, set.expected[p]);
    munmap(memory, pages * page_bytes);
    free(resident);
    free(set.expected);
}

static void check_pages(const struct tcplan_problem *problem, const struct region *region) {
    check_touched_pages((size_t)(problem->elems[region->operand] * region->element_bytes), region);
}

/** Returns whether mincore() works: sandboxes may report every page as resident. */
static bool kernel_tells(void) {
    unsigned char resident = 0;
    const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    const bool tells = mincore(memory, bytes, &resident) == 0 && (resident & 1U) == 0;
    munmap(memory, bytes);
    return tells;
}

static void exactly_the_pages_of_a_region_are_touched(void **state) {
    (void)state;
    if (!kernel_tells()) skip();
    for_random_regions(60, 16, check_pages);
}

static void a_region_of_many_dimensions_is_touched_row_by_row(void **state) {
    (void)state;
    const int64_t page = sysconf(_SC_PAGESIZE);
    struct region region = {
        .rank = 5,
        .offset_bytes = page,
        .element_bytes = 8,
        .dimension = {{9, 8}, {3, 2 * page}, {2, 9 * page}, {3, 20 * page}, {2, 70 * page}}};
    if (!kernel_tells()) skip();
    check_touched_pages(200 * (size_t)page, &region);
    region.written = true;
    check_touched_pages(200 * (size_t)page, &region);
}

static void lines_are_evicted_where_the_processor_can(void **state) {
    (void)state;
    char memory[4 * LINE] = {0};
    const struct region region = {
        .rank = 1, .element_bytes = 1, .dimension = {{.extent = sizeof memory, .stride_bytes = 1}}};
#if defined(__x86_64__) || (defined(__aarch64__) && defined(__linux__))
    assert_true(touch_evict(&region, memory, LINE));
#else
    assert_false(touch_evict(&region, memory, LINE));
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touching_and_evicting_stay_inside_and_change_nothing),
        cmocka_unit_test(exactly_the_pages_of_a_region_are_touched),
        cmocka_unit_test(a_region_of_many_dimensions_is_touched_row_by_row),
        cmocka_unit_test(lines_are_evicted_where_the_processor_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
