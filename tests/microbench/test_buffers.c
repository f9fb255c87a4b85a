/* Tests tensors in virtual memory. The system call mincore() returns which pages are in memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/program/buffers.h"
#include "microbench/program/program.h"
#include "support/random_contraction.h"

enum { PAGE_ALIGNMENT = 1 << 16 /* a multiple of the page sizes of all systems */ };

/** A contraction whose tensors have addresses, but mostly no memory. */
struct reserved {
    struct random_contraction given;
    struct buffers buffers;
};

static void reserved_init(struct reserved *out, const char *contraction, const char *sizes,
                          enum tcplan_dtype dtype) {
    struct tcplan_error error = {0};
    random_contraction_given(&out->given, contraction, sizes, TCPLAN_COLUMN_MAJOR, dtype);
    if (buffers_reserve(&out->buffers, &out->given.problem, PAGE_ALIGNMENT, SIZE_MAX, &error))
        fail_msg("%s", error.message);
}

static void reserved_free(struct reserved *reserved) {
    buffers_free(&reserved->buffers);
    random_contraction_free(&reserved->given);
}

/** Returns the number of pages of a tensor that are in memory. */
static size_t resident_pages(const struct buffers *buffers, enum tcplan_operand operand) {
    const struct reservation *reservation = &buffers->tensor[operand];
    const size_t pages = reservation->bytes / buffers->page_bytes;
    unsigned char *resident = malloc(pages);
    size_t count = 0;
    assert_non_null(resident);
    assert_int_equal(mincore(reservation->pages, reservation->bytes, resident), 0);
    for (size_t p = 0; p < pages; p++) count += resident[p] & 1U;
    free(resident);
    return count;
}

/** Returns whether mincore() works: sandboxes may report every page as resident. */
static bool kernel_tells(void) {
    const size_t bytes = 1 << 16;
    unsigned char resident[16] = {0};
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    const bool tells = mincore(memory, bytes, resident) == 0 && (resident[0] & 1U) == 0;
    munmap(memory, bytes);
    return tells;
}

/** Returns the region of `extent` elements of a tensor that are `stride_bytes` apart. */
static struct region row(enum tcplan_operand operand, int64_t offset_bytes, int64_t extent,
                         int64_t stride_bytes) {
    return (struct region){.operand = operand,
                           .rank = 1,
                           .offset_bytes = offset_bytes,
                           .element_bytes = 8,
                           .dimension = {{.extent = extent, .stride_bytes = stride_bytes}}};
}

static const char *const large =
    "C_abc=A_ai*B_ibc"; /* C has 8 GB at these sizes, A 64 kB, B 64 MB */
static const char *const large_sizes = "a=b=c=1000,i=8";

static void reserving_backs_nothing(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    assert_int_equal(reserved.buffers.resident_bytes, 0);
    assert_true(reserved.buffers.tensor[TCPLAN_C].bytes >= 8000000000U);
    if (kernel_tells()) assert_int_equal(resident_pages(&reserved.buffers, TCPLAN_C), 0);
    reserved_free(&reserved);
}

static void only_the_pages_of_a_region_are_backed_and_counted(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    const int64_t page = (int64_t)reserved.buffers.page_bytes;
    const struct region region =
        row(TCPLAN_C, 3 * page + 8, 7, 5 * page); /* 7 elements, each on another page */
    assert_int_equal(buffers_missing_bytes(&reserved.buffers, &region), 7 * page);
    buffers_back(&reserved.buffers, &region);
    assert_int_equal(buffers_missing_bytes(&reserved.buffers, &region), 0);
    assert_int_equal(reserved.buffers.resident_bytes, 7 * page);
    if (kernel_tells()) assert_int_equal(resident_pages(&reserved.buffers, TCPLAN_C), 7);
    reserved_free(&reserved);
}

static void pages_are_backed_once(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    const int64_t page = (int64_t)reserved.buffers.page_bytes;
    const struct region first = row(TCPLAN_C, page - 8, 2, 8),
                        wider = row(TCPLAN_C, 0, 4 * page / 8, 8);
    double *element = (double *)(void *)reserved.buffers.tensor[TCPLAN_C].base;
    buffers_back(&reserved.buffers, &first); /* the element lies across the border of two pages */
    assert_int_equal(reserved.buffers.resident_bytes, 2 * page);
    element[0] = 42;
    assert_int_equal(buffers_missing_bytes(&reserved.buffers, &wider), 2 * page);
    buffers_back(&reserved.buffers, &wider);
    assert_int_equal(reserved.buffers.resident_bytes, 4 * page);
    assert_true(element[0] == 42); /* backing a page again keeps its contents */
    reserved_free(&reserved);
}

static void regions_of_temporaries_need_no_pages(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    struct region region = row(TCPLAN_A, 0, 1000, 8);
    region.temporary = true;
    assert_int_equal(buffers_missing_bytes(&reserved.buffers, &region), 0);
    buffers_back(&reserved.buffers, &region);
    assert_int_equal(reserved.buffers.resident_bytes, 0);
    reserved_free(&reserved);
}

static void released_pages_are_given_back_and_backed_anew(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    const int64_t page = (int64_t)reserved.buffers.page_bytes;
    const struct region region = row(TCPLAN_C, 0, 100, page);
    const double *element = (double *)(void *)reserved.buffers.tensor[TCPLAN_C].base;
    buffers_back(&reserved.buffers, &region);
    buffers_release(&reserved.buffers);
    assert_int_equal(reserved.buffers.resident_bytes, 0);
    if (kernel_tells()) assert_int_equal(resident_pages(&reserved.buffers, TCPLAN_C), 0);
    assert_int_equal(buffers_missing_bytes(&reserved.buffers, &region), 100 * page);
    buffers_back(&reserved.buffers, &region);
    assert_int_equal(reserved.buffers.resident_bytes, 100 * page);
    assert_true(element[0] != 0);
    reserved_free(&reserved);
}

static double part_at(const struct buffers *buffers, enum tcplan_operand operand,
                      enum tcplan_dtype dtype, int64_t part) {
    const void *base = buffers->tensor[operand].base;
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    return single ? (double)((const float *)base)[part] : ((const double *)base)[part];
}

static void backed_pages_hold_normal_numbers_about_one_that_differ(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct reserved reserved;
        reserved_init(&reserved, "C_ab=A_ai*B_ib", "a=70,b=80,i=90", (enum tcplan_dtype)dtype);
        buffers_back_all(&reserved.buffers);
        for (int t = 0; t < TCPLAN_OPERANDS; t++) {
            const int64_t parts = reserved.given.problem.elems[t] *
                                  (tcplan_dtype_is_complex((enum tcplan_dtype)dtype) ? 2 : 1);
            for (int64_t p = 0; p < parts; p++) {
                const double value =
                    part_at(&reserved.buffers, (enum tcplan_operand)t, (enum tcplan_dtype)dtype, p);
                assert_true(isnormal(value) && value >= 0.25 && value <= 4);
                if (p > 0)
                    assert_true(value != part_at(&reserved.buffers, (enum tcplan_operand)t,
                                                 (enum tcplan_dtype)dtype, p - 1));
            }
        }
        reserved_free(&reserved);
    }
}

static void all_pages_of_all_tensors_can_be_backed(void **state) {
    (void)state;
    struct reserved reserved;
    size_t bytes = 0;
    reserved_init(&reserved, "C_ab=A_ai*B_ib", "a=701,b=83,i=97", TCPLAN_DOUBLE);
    buffers_back_all(&reserved.buffers);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct reservation *tensor = &reserved.buffers.tensor[t];
        assert_true(tensor->bytes >= (size_t)reserved.given.problem.elems[t] * 8);
        assert_int_equal(tensor->bytes % reserved.buffers.page_bytes, 0);
        assert_int_equal((uintptr_t)tensor->base % reserved.buffers.page_bytes, 0);
        assert_int_equal(resident_pages(&reserved.buffers, (enum tcplan_operand)t),
                         tensor->bytes / reserved.buffers.page_bytes);
        bytes += tensor->bytes;
    }
    assert_int_equal(reserved.buffers.resident_bytes, bytes);
    reserved_free(&reserved);
}

/* Fakes a clock: the first readings are far apart, as if each access to a page waited for a
 * hypervisor. */
static int slow_readings, readings;
static uint64_t scripted_ns;

static uint64_t scripted_now_ns(void) {
    scripted_ns += readings++ < slow_readings ? 9000 : 100;
    return scripted_ns;
}

static int readings_to_settle(struct buffers *buffers, int slow) {
    slow_readings = slow;
    readings = 0;
    buffers_settle_all(buffers);
    return readings;
}

static void pages_are_touched_until_they_are_quick(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, "C_ab=A_ai*B_ib", "a=701,b=683,i=97", TCPLAN_DOUBLE);
    struct buffers *buffers = &reserved.buffers;
    buffers->now_ns = scripted_now_ns;
    assert_in_range(readings_to_settle(buffers, 1000000), 0,
                    TCPLAN_OPERANDS); /* all tensors are reserved; no page is backed */
    buffers_back_all(buffers);
    const int pages = (int)(buffers_total_bytes(buffers) / buffers->page_bytes);
    const double before = part_at(buffers, TCPLAN_C, TCPLAN_DOUBLE, 0);
    const int quick = readings_to_settle(buffers, 0);
    assert_in_range(quick, pages / 16, pages / 16 + 8);
    const int once = readings_to_settle(buffers, quick);
    assert_in_range(once, pages + 2 * quick, pages + 2 * quick + 8);
    const int always = readings_to_settle(buffers, 1000000);
    assert_in_range(always, 4 * (pages + quick), 4 * (pages + quick) + 32);
    assert_true(before == part_at(buffers, TCPLAN_C, TCPLAN_DOUBLE, 0));
    reserved_free(&reserved);
}

static void memory_of_temporaries_is_touched_until_it_is_quick(void **state) {
    (void)state;
    enum { PAGES = 640 };
    struct reserved reserved;
    reserved_init(&reserved, "C_ab=A_ai*B_ib", "a=7,b=6,i=9", TCPLAN_DOUBLE);
    struct buffers *buffers = &reserved.buffers;
    buffers->now_ns = scripted_now_ns;
    assert_non_null(scratch_get(&buffers->scratch, TCPLAN_A, PAGES * buffers->page_bytes));
    const uint64_t before_ns = buffers->backing_ns;
    for (int slow = 0; slow < 2; slow++) {
        slow_readings = slow * (PAGES / 16 + 1);
        readings = 0;
        buffers_settle_temporaries(buffers);
        const int least = slow * PAGES + (1 + slow) * PAGES / 16;
        assert_in_range(readings, least, least + 8);
    }
    assert_true(buffers->backing_ns > before_ns); /* the time of backing pages is recorded */
    reserved_free(&reserved);
}

static void a_stride_beyond_the_end_may_be_read(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, "C_ab=A_ai*B_ib", "a=4096,b=512,i=64", TCPLAN_DOUBLE_COMPLEX);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const volatile char *end =
            reserved.buffers.tensor[t].base + reserved.buffers.tensor[t].bytes;
        const int64_t stride = t == TCPLAN_B ? 64 : 4096;
        assert_int_equal(end[0] + end[stride * 16 - 1] + end[stride * 16 + 63], 0);
    }
    assert_int_equal(reserved.buffers.resident_bytes, 0);
    reserved_free(&reserved);
}

static void pointers_to_strided_tensors_leave_room_for_elements_before(void **state) {
    (void)state;
    struct reserved reserved;
    struct tcplan_error error = {0};
    random_contraction_strided(&reserved.given, "C_ab=A_ai*B_ib", "a=701,b=83,i=97",
                               "A=-1,-900;B=0,-3;C=90,1", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(buffers_reserve(&reserved.buffers, &reserved.given.problem, PAGE_ALIGNMENT,
                                     SIZE_MAX, &error),
                     TCPLAN_OK);
    const int64_t before[TCPLAN_OPERANDS] = {700 + 96 * 900, 82 * 3, 0};
    const struct tensor_pointers at = program_base(&reserved.buffers);
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        assert_int_equal(at.tensor[t] - reserved.buffers.tensor[t].base, 8 * before[t]);
    assert_true(reserved.buffers.tensor[TCPLAN_C].bytes >= 8 * (700 * 90 + 83));
    reserved_free(&reserved);
}

/* 16 placements: each quarter of a page has 4 on average. */
static void placements_cover_a_page(void **state) {
    (void)state;
    struct random_contraction given;
    struct buffers buffers;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=b=i=3", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(buffers_reserve(&buffers, &given.problem, BUFFERS_ALIGNMENT, SIZE_MAX, NULL),
                     TCPLAN_OK);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int quarters[4] = {0};
        const char *base = buffers.tensor[t].base;
        for (int p = 0; p < BUFFERS_PLACEMENTS; p++) {
            const char *at = program_base_at(&buffers, p).tensor[t];
            assert_true(at >= base && at < base + buffers.page_bytes);
            assert_int_equal((uintptr_t)at % (2 * BUFFERS_ALIGNMENT), BUFFERS_ALIGNMENT);
            quarters[4 * (size_t)(at - base) / buffers.page_bytes]++;
        }
        for (int q = 0; q < 4; q++) assert_in_range(quarters[q], 3, 5);
        assert_ptr_equal(program_base(&buffers).tensor[t], base);
    }
    buffers_free(&buffers);
    random_contraction_free(&given);
}

static void a_scalar_has_a_page(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, "C=A*B", "", TCPLAN_DOUBLE_COMPLEX);
    const struct region scalar = {.operand = TCPLAN_C, .rank = 0, .element_bytes = 16};
    buffers_back(&reserved.buffers, &scalar);
    assert_int_equal(reserved.buffers.resident_bytes, reserved.buffers.page_bytes);
    assert_true(part_at(&reserved.buffers, TCPLAN_C, TCPLAN_DOUBLE_COMPLEX, 1) != 0);
    reserved_free(&reserved);
}

static void the_last_element_of_a_tensor_is_backed(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    const int64_t elems = reserved.given.problem.elems[TCPLAN_C];
    const struct region last = row(TCPLAN_C, (elems - 1) * 8, 1, 8);
    buffers_back(&reserved.buffers, &last);
    assert_true(part_at(&reserved.buffers, TCPLAN_C, TCPLAN_DOUBLE, elems - 1) != 0);
    reserved_free(&reserved);
}

static void a_region_of_several_dimensions_is_backed_row_by_row(void **state) {
    (void)state;
    struct reserved reserved;
    reserved_init(&reserved, large, large_sizes, TCPLAN_DOUBLE);
    const int64_t page = (int64_t)reserved.buffers.page_bytes;
    const struct region block = {.operand = TCPLAN_C,
                                 .rank = 3,
                                 .offset_bytes = page,
                                 .element_bytes = 8,
                                 .dimension = {{10, 8}, {3, 4 * page}, {5, 100 * page}}};
    buffers_back(&reserved.buffers, &block);
    assert_int_equal(reserved.buffers.resident_bytes, 15 * page);
    for (int64_t i = 0; i < 3; i++) {
        for (int64_t j = 0; j < 5; j++) {
            assert_true(part_at(&reserved.buffers, TCPLAN_C, TCPLAN_DOUBLE,
                                page * (1 + 4 * i + 100 * j) / 8 + 9) != 0);
        }
    }
    reserved_free(&reserved);
}

static void unavailable_address_space_is_out_of_memory(void **state) {
    (void)state;
    struct random_contraction given;
    struct buffers buffers;
    struct tcplan_error error = {0};
    random_contraction_given(&given, "C_abcd=A_ab*B_cd", "a=b=c=32768,d=32767", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(buffers_reserve(&buffers, &given.problem, PAGE_ALIGNMENT, SIZE_MAX, &error),
                     TCPLAN_NO_MEMORY);
    assert_string_equal(error.message,
                        "cannot reserve 9223090561878065152 bytes of address space for tensor C");
    random_contraction_free(&given);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction given;
    struct buffers buffers;
    struct tcplan_error error = {0};
    random_contraction_given(&given, "C=A_i*B_i", "i=5", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    base_alloc_fail_after(0);
    const enum tcplan_status status =
        buffers_reserve(&buffers, &given.problem, PAGE_ALIGNMENT, SIZE_MAX, &error);
    base_alloc_fail_after(-1);
    assert_int_equal(status, TCPLAN_NO_MEMORY);
    assert_int_equal(error.status, TCPLAN_NO_MEMORY);
    random_contraction_free(&given);
}

static void the_system_reports_available_memory(void **state) {
    (void)state;
    const int64_t bytes = buffers_available_bytes();
    FILE *told = fopen("/proc/meminfo", "r");
    if (told) {
        assert_true(bytes > 1 << 20);
        fclose(told);
    } else {
        assert_true(bytes == 0);
    }
}

/** Returns whether /proc/self/smaps lists a flag of two letters for the mapping at an address. */
static bool has_flag(const void *base, const char *flag) {
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512], start[32];
    bool within = false, found = false;
    if (!file) return false;
    snprintf(start, sizeof start, "%llx-", (unsigned long long)(uintptr_t)base);
    while (!found && fgets(line, sizeof line, file)) {
        if (strncmp(line, start, strlen(start)) == 0) within = true;
        if (strncmp(line, "VmFlags:", 8) != 0) continue;
        found = within && strstr(line, flag);
        if (within) break;
    }
    fclose(file);
    return found;
}

static void tensors_are_aligned_like_arrays_of_programs(void **state) {
    (void)state;
    const size_t wanted[] = {BUFFERS_ALIGNMENT, 8, 64, PAGE_ALIGNMENT, 2 * PAGE_ALIGNMENT},
                 behind[] = {2 * sizeof(size_t), 8, 64, 0, 0};
    struct random_contraction given;
    random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=64,b=64,i=64", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE); /* eight pages of 4096 bytes for each tensor */
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        struct buffers buffers;
        assert_int_equal(buffers_reserve(&buffers, &given.problem, wanted[w], SIZE_MAX, NULL),
                         TCPLAN_OK);
        const struct reservation *reservation = &buffers.tensor[TCPLAN_C];
        assert_int_equal((uintptr_t)reservation->base % buffers.page_bytes, behind[w]);
        assert_int_equal(reservation->bytes, (behind[w] > 0 ? 9 : 8) * buffers.page_bytes);
        const struct region last = {
            .operand = TCPLAN_C, .offset_bytes = 64 * 64 * 8 - 8, .element_bytes = 8};
        buffers_back(&buffers, &last);
        assert_int_equal(buffers.resident_bytes, buffers.page_bytes);
        assert_true(((const double *)(const void *)reservation->base)[64 * 64 - 1] > 0);
        buffers_back_all(&buffers);
        assert_true(buffers_all_backed(&buffers));
        buffers_free(&buffers);
    }
    random_contraction_free(&given);
}

/** Returns whether the system accepts and reports requests to avoid huge pages. */
static bool huge_pages_can_be_refused(void) {
    const size_t bytes = 1 << 16;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    const bool can = madvise(memory, bytes, MADV_NOHUGEPAGE) == 0 && has_flag(memory, " nh");
    munmap(memory, bytes);
    return can;
}

static void tensors_beyond_the_bound_have_no_huge_pages(void **state) {
    (void)state;
    struct random_contraction given;
    struct buffers bounded, free_buffers;
    if (!huge_pages_can_be_refused())
        skip(); /* the system has no huge pages, or an emulator ignores such requests */
    random_contraction_given(&given, large, large_sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(buffers_reserve(&bounded, &given.problem, PAGE_ALIGNMENT, 64 << 20, NULL),
                     TCPLAN_OK);
    assert_int_equal(buffers_reserve(&free_buffers, &given.problem, PAGE_ALIGNMENT, SIZE_MAX, NULL),
                     TCPLAN_OK);
    assert_true(has_flag(bounded.tensor[TCPLAN_C].base, " nh"));
    assert_false(has_flag(free_buffers.tensor[TCPLAN_C].base, " nh"));
    buffers_free(&bounded);
    buffers_free(&free_buffers);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reserving_backs_nothing),
        cmocka_unit_test(only_the_pages_of_a_region_are_backed_and_counted),
        cmocka_unit_test(pages_are_backed_once),
        cmocka_unit_test(regions_of_temporaries_need_no_pages),
        cmocka_unit_test(released_pages_are_given_back_and_backed_anew),
        cmocka_unit_test(backed_pages_hold_normal_numbers_about_one_that_differ),
        cmocka_unit_test(all_pages_of_all_tensors_can_be_backed),
        cmocka_unit_test(a_stride_beyond_the_end_may_be_read),
        cmocka_unit_test(pointers_to_strided_tensors_leave_room_for_elements_before),
        cmocka_unit_test(placements_cover_a_page),
        cmocka_unit_test(a_scalar_has_a_page),
        cmocka_unit_test(the_last_element_of_a_tensor_is_backed),
        cmocka_unit_test(a_region_of_several_dimensions_is_backed_row_by_row),
        cmocka_unit_test(unavailable_address_space_is_out_of_memory),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(tensors_are_aligned_like_arrays_of_programs),
        cmocka_unit_test(pages_are_touched_until_they_are_quick),
        cmocka_unit_test(memory_of_temporaries_is_touched_until_it_is_quick),
        cmocka_unit_test(tensors_beyond_the_bound_have_no_huge_pages),
        cmocka_unit_test(the_system_reports_available_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
