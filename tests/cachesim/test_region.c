/*
 * Compares regions with the elements of the slices that they describe, and footprints with a count
 * of single cache lines.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "cachesim/region.h"
#include "support/addresses.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "support/temporary.h"

/** Elements of one address space, in any order, possibly repeated. */
struct elements {
    size_t count;
    int64_t *element;
};

static void add_element(void *context, int space, int64_t element) {
    struct elements *elements = context;
    (void)space;
    elements->element[elements->count++] = element;
}

static int compare_elements(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/** Some iterations of a slice. */
struct part {
    struct tcplan_slice slice;
    int64_t at[TCPLAN_MAX_INDICES];
    struct region_scope scope;
};

static void draw_part(struct part *out, const struct random_contraction *random, uint64_t *bits) {
    const struct tcplan_problem *problem = &random->problem;
    const int t = rng_below(bits, TCPLAN_OPERANDS);
    memset(out, 0, sizeof *out);
    out->slice =
        (struct tcplan_slice){.operand = (enum tcplan_operand)t, .temporary = rng_once_in(bits, 4)};
    out->slice.span = rng_next(bits) & rng_next(bits) & random->contraction->tensor[t].indices;
    for (int i = 0; i < random->contraction->index_count; i++)
        out->at[i] = rng_below(bits, (int)problem->extent[i]);
    out->scope = (struct region_scope){.at = out->at, .fixed = rng_next(bits), .ranged = -1};
    if (random->contraction->index_count == 0 || rng_once_in(bits, 3)) return;
    const int ranged = rng_below(bits, random->contraction->index_count);
    out->scope.ranged = ranged;
    out->scope.first = rng_below(bits, (int)problem->extent[ranged]);
    out->scope.count = 1 + rng_below(bits, (int)(problem->extent[ranged] - out->scope.first));
}

/** Computes which values of an index the part has: [*first, *first + *count). */
static void range_of(const struct part *part, const struct refined_problem *problem, int index,
                     int64_t *first, int64_t *count) {
    *first = 0;
    *count = problem->extent[index];
    if (indexset_has(part->slice.span, index)) return;
    if (index == part->scope.ranged) {
        *first = part->scope.first;
        *count = part->scope.count;
    } else if (indexset_has(part->scope.fixed, index)) {
        *first = part->at[index];
        *count = 1;
    }
}

static void add_points(struct elements *out, const struct part *part,
                       const struct refined_problem *problem, uint64_t pending, int64_t point[]) {
    int64_t first, count;
    if (!pending) {
        add_element(out, 0, address_of(problem, part->slice, point));
        return;
    }
    const int index = indexset_first(pending);
    range_of(part, problem, index, &first, &count);
    for (point[index] = first; point[index] < first + count; point[index]++) {
        add_points(out, part, problem, pending & ~indexset_of(index), point);
    }
}

static void sort_elements(struct elements *elements) {
    qsort(elements->element, elements->count, sizeof *elements->element, compare_elements);
}

/** Removes repeated elements, which strides of 0 cause: a region has each element once. */
static void drop_repeated(struct elements *elements) {
    size_t kept = 0;
    for (size_t e = 0; e < elements->count; e++) {
        if (e == 0 || elements->element[e] != elements->element[e - 1])
            elements->element[kept++] = elements->element[e];
    }
    elements->count = kept;
}

static struct elements room_for(const struct refined_problem *problem,
                                enum tcplan_operand operand) {
    int64_t count = problem->written.elems[operand]; /* number of index combinations; several may
                                                        have one address */
    for (uint64_t rest = problem->refinement->still[operand]; rest; rest &= rest - 1)
        count *= problem->extent[indexset_first(rest)];
    struct elements elements = {.element = malloc((size_t)count * sizeof *elements.element)};
    assert_non_null(elements.element);
    return elements;
}

static void for_random(uint64_t first_seed, int count, int64_t max_extent,
                       void (*check)(const struct random_contraction *, uint64_t *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    options.min_rank = 0;
    options.max_extent = max_extent;
    for (int c = 0; c < count; c++) {
        struct random_contraction random;
        uint64_t bits = first_seed + (uint64_t)c;
        random_contraction_init(&random, bits, &options);
        check(&random, &bits);
        random_contraction_free(&random);
    }
}

static void check_elements(const struct random_contraction *random, uint64_t *bits) {
    struct temporary_problem laid_out;
    struct part part;
    draw_part(&part, random, bits);
    temporary_problem_init(&laid_out, &random->problem, part.slice.operand, part.slice.span);
    const struct refined_problem *problem = &laid_out.problem;
    struct elements found = room_for(problem, part.slice.operand),
                    expected = room_for(problem, part.slice.operand);
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    const bool written = rng_once_in(bits, 2);
    const struct region region = region_of(problem, part.slice, written, &part.scope);
    assert_int_equal(region.operand, part.slice.operand);
    assert_int_equal(region.temporary, part.slice.temporary);
    assert_int_equal(region.written, written);
    assert_int_equal(region.element_bytes, problem->written.element_bytes);
    address_region(&region, add_element, &found);
    add_points(&expected, &part, problem,
               part.slice.temporary ? part.slice.span
                                    : random->contraction->tensor[part.slice.operand].indices,
               point);
    sort_elements(&found);
    sort_elements(&expected);
    drop_repeated(&expected);
    if (found.count != expected.count ||
        memcmp(found.element, expected.element, found.count * sizeof *found.element) != 0) {
        fail_msg("%s", random_contraction_describe(random));
    }
    free(found.element);
    free(expected.element);
}

static void regions_of_slices_are_the_elements_of_their_definition(void **state) {
    (void)state;
    for_random(1, 5000, 7, check_elements);
}

static void check_order(const struct random_contraction *random, uint64_t *bits) {
    struct temporary_problem laid_out;
    struct part part;
    draw_part(&part, random, bits);
    temporary_problem_init(&laid_out, &random->problem, part.slice.operand, part.slice.span);
    const struct region region = region_of(&laid_out.problem, part.slice, false, &part.scope);
    for (int d = 0; d < region.rank; d++) {
        assert_true(region.dimension[d].extent > 1);
        if (d == 0) continue;
        const struct region_dimension *inner = &region.dimension[d - 1];
        assert_true(region.dimension[d].stride_bytes > inner->stride_bytes);
        assert_true(region.dimension[d].stride_bytes !=
                    inner->stride_bytes * inner->extent); /* a gap: otherwise both would be one
                                                             dimension */
    }
}

static void dimensions_rise_and_are_merged(void **state) {
    (void)state;
    for_random(10001, 2000, 7, check_order);
}

static void a_whole_tensor_is_one_dimension(void **state) {
    (void)state;
    struct random_contraction given;
    const int64_t at[TCPLAN_MAX_INDICES] = {0};
    const struct region_scope everything = {.at = at, .ranged = -1};
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=3,b=4,c=5,i=6", TCPLAN_ROW_MAJOR,
                             TCPLAN_FLOAT);
    struct temporary_problem whole;
    temporary_problem_init(&whole, &given.problem, TCPLAN_C, 0);
    const struct region region = region_of(
        &whole.problem, (struct tcplan_slice){.operand = TCPLAN_C, .span = 2}, true, &everything);
    assert_int_equal(region.rank, 1);
    assert_true(region.dimension[0].extent == 60 && region.dimension[0].stride_bytes == 4 &&
                region.offset_bytes == 0);
    random_contraction_free(&given);
}

static void check_sort(const struct random_contraction *random, uint64_t *bits) {
    struct temporary_problem laid_out;
    struct part part;
    draw_part(&part, random, bits);
    temporary_problem_init(&laid_out, &random->problem, part.slice.operand, part.slice.span);
    const struct region sorted = region_of(&laid_out.problem, part.slice, false, &part.scope);
    struct region shuffled = sorted;
    for (int last = shuffled.rank - 1; last > 0; last--) {
        const int other = rng_below(bits, last + 1);
        const struct region_dimension old = shuffled.dimension[last];
        shuffled.dimension[last] = shuffled.dimension[other];
        shuffled.dimension[other] = old;
    }
    if (shuffled.rank < TCPLAN_MAX_INDICES)
        shuffled.dimension[shuffled.rank++] = (struct region_dimension){1, 12345};
    region_sort(&shuffled);
    assert_int_equal(shuffled.rank, sorted.rank);
    assert_memory_equal(shuffled.dimension, sorted.dimension,
                        (size_t)sorted.rank * sizeof *sorted.dimension);
}

static void sorting_puts_dimensions_in_order_and_drops_those_of_one(void **state) {
    (void)state;
    for_random(20001, 2000, 7, check_sort);
}

/* Lines. */

/** Counts the cache lines of elements; the tensor starts `shift` bytes after a line boundary. */
struct line_count {
    int64_t line_bytes;
    int64_t element_bytes;
    int64_t shift;
    unsigned char *seen;
    int64_t lines;
};

static void count_line(void *context, int space, int64_t element) {
    struct line_count *count = context;
    (void)space;
    const int64_t line = (element * count->element_bytes + count->shift) / count->line_bytes;
    if (!count->seen[line]) count->lines++;
    count->seen[line] = 1;
}

static int64_t lines_of(const struct region *region, int64_t tensor_bytes, int64_t line_bytes,
                        int64_t shift) {
    struct line_count count = {
        .line_bytes = line_bytes, .element_bytes = region->element_bytes, .shift = shift};
    count.seen = calloc((size_t)(tensor_bytes / line_bytes) + 2, 1);
    assert_non_null(count.seen);
    address_region(region, count_line, &count);
    free(count.seen);
    return count.lines;
}

/** Returns the number of cache lines of a region, averaged over all alignments of the tensor. */
static double mean_lines(const struct region *region, int64_t tensor_bytes, int64_t line_bytes) {
    double lines = 0;
    for (int64_t shift = 0; shift < line_bytes; shift += region->element_bytes) {
        lines += (double)lines_of(region, tensor_bytes, line_bytes, shift);
    }
    return lines / (double)(line_bytes / region->element_bytes);
}

/** Returns whether no two rows share a cache line, because the gap between them is at least a line.
 */
static bool rows_are_apart(const struct region *region, int64_t line_bytes) {
    int64_t extent_bytes = region->element_bytes;
    bool dense = true;
    for (int d = 0; d < region->rank; d++) {
        const struct region_dimension *dimension = &region->dimension[d];
        const int64_t gap = dimension->stride_bytes - extent_bytes;
        dense = dense && gap == 0;
        if (!dense && gap < line_bytes) return false;
        extent_bytes += (dimension->extent - 1) * dimension->stride_bytes;
    }
    return true;
}

static void check_footprint(const struct random_contraction *random, uint64_t *bits) {
    enum { LINE = 64 };
    struct part part;
    draw_part(&part, random, bits);
    part.slice.temporary = false;
    struct temporary_problem tensors;
    temporary_problem_init(&tensors, &random->problem, TCPLAN_C, 0);
    const struct region region = region_of(&tensors.problem, part.slice, false, &part.scope);
    const int64_t tensor_bytes = random->problem.elems[part.slice.operand] * region.element_bytes;
    const double footprint = region_footprint_bytes(&region, LINE) / LINE;
    const double exact = (double)lines_of(&region, tensor_bytes, LINE, 0),
                 mean = mean_lines(&region, tensor_bytes, LINE);
    const bool apart = rows_are_apart(&region, LINE);
    if (apart && fabs(footprint - exact) > 1e-6 && fabs(footprint - mean) > 1e-6) {
        fail_msg("%s: footprint of %g lines, %g at offset 0, %g on average",
                 random_contraction_describe(random), footprint, exact, mean);
    }
    if (footprint < fmin(mean, exact) * 0.999) {
        fail_msg("%s: footprint of %g lines, %g at offset 0, %g on average",
                 random_contraction_describe(random), footprint, exact, mean);
    }
}

static void footprints_are_the_lines_of_a_region_where_rows_share_none_and_not_less_elsewhere(
    void **state) {
    (void)state;
    for_random(30001, 3000, 9, check_footprint);
}

static struct region rows(int64_t row_bytes, int64_t stride_bytes, int64_t count) {
    return (struct region){
        .rank = 2, .element_bytes = 8, .dimension = {{row_bytes / 8, 8}, {count, stride_bytes}}};
}

static void whole_lines_are_counted_exactly(void **state) {
    (void)state;
    const struct region one = rows(640, 1280, 3);
    assert_true(region_footprint_bytes(&one, 64) == 3 * 640);
    const struct region scalar = {.rank = 0, .element_bytes = 8};
    assert_true(region_footprint_bytes(&scalar, 64) == 64);
}

static void rows_of_whole_lines_that_start_inside_lines_take_more(void **state) {
    (void)state;
    const struct region region =
        rows(64, 64 + 136, 100); /* rows start every 200 bytes: at byte 0, 8, 16, ... of a line */
    assert_true(fabs(region_footprint_bytes(&region, 64) - 100 * (1 + 56.0 / 64) * 64) < 1e-6);
}

static void a_gap_of_a_line_ends_a_run(void **state) {
    (void)state;
    int64_t run_bytes;
    const struct region apart = rows(64, 128, 10), close = rows(64, 120, 10),
                        scattered = rows(8, 72, 10);
    assert_int_equal(region_run(&apart, 64, &run_bytes), 1);
    assert_int_equal(run_bytes, 64);
    assert_int_equal(region_run(&close, 64, &run_bytes), 2);
    assert_int_equal(run_bytes, 9 * 120 + 64);
    assert_int_equal(region_run(&scattered, 64, &run_bytes), 1);
    assert_int_equal(run_bytes, 8);
    assert_true(region_footprint_bytes(&apart, 64) == 640);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_of_slices_are_the_elements_of_their_definition),
        cmocka_unit_test(dimensions_rise_and_are_merged),
        cmocka_unit_test(a_whole_tensor_is_one_dimension),
        cmocka_unit_test(sorting_puts_dimensions_in_order_and_drops_those_of_one),
        cmocka_unit_test(
            footprints_are_the_lines_of_a_region_where_rows_share_none_and_not_less_elsewhere),
        cmocka_unit_test(whole_lines_are_counted_exactly),
        cmocka_unit_test(rows_of_whole_lines_that_start_inside_lines_take_more),
        cmocka_unit_test(a_gap_of_a_line_ends_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
