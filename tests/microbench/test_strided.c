/*
 * Compares copies and scalings in the nests of random contractions, element by element, with their
 * definition.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "microbench/copy/strided.h"
#include "support/addresses.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "support/temporary.h"

/** The memory of one tensor or temporary, and its expected contents. */
struct memory {
    int64_t elems;
    size_t bytes;
    char *data;
    char *expected;
};

static struct memory memory_of(const struct refined_problem *problem, int64_t elems,
                               uint64_t *random) {
    struct memory memory = {.elems = elems,
                            .bytes = (size_t)elems * problem->written.element_bytes};
    memory.data = malloc(memory.bytes);
    memory.expected = malloc(memory.bytes);
    assert_true(memory.data && memory.expected);
    naive_fill(memory.data, elems, problem->written.dtype, random);
    memcpy(memory.expected, memory.data, memory.bytes);
    return memory;
}

static void memory_free(struct memory *memory) {
    free(memory->data);
    free(memory->expected);
}

/** Draws a slice of an operand: a random subset of its indices varies, the others are 0. */
static struct tcplan_slice draw_slice(const struct random_contraction *random, uint64_t *bits,
                                      enum tcplan_operand operand) {
    const uint64_t span = rng_next(bits) & random->contraction->tensor[operand].indices;
    return (struct tcplan_slice){.operand = operand, .span = span};
}

static bool advance(const struct refined_problem *problem, uint64_t span, int64_t point[]) {
    for (int i = 0; i < problem->refinement->index_count; i++) {
        if (!indexset_has(span, i)) continue;
        if (++point[i] < problem->extent[i]) return true;
        point[i] = 0;
    }
    return false;
}

static void expect_copy(const struct refined_problem *problem, struct tcplan_copy copy,
                        struct memory *to, const struct memory *from) {
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    do {
        memcpy(to->expected +
                   (size_t)address_of(problem, copy.to, point) * problem->written.element_bytes,
               from->data +
                   (size_t)address_of(problem, copy.from, point) * problem->written.element_bytes,
               problem->written.element_bytes);
    } while (advance(problem, copy.to.span, point));
}

static void check_copy(const struct random_contraction *random, struct tcplan_copy copy,
                       uint64_t *bits) {
    struct temporary_problem laid_out;
    temporary_problem_init(&laid_out, &random->problem, copy.to.operand, copy.to.span);
    const struct refined_problem *problem = &laid_out.problem;
    struct memory tensor = memory_of(problem, problem->written.elems[copy.to.operand], bits);
    struct memory temporary = memory_of(problem, slice_elems(problem, copy.to), bits);
    struct memory *to = copy.to.temporary ? &temporary : &tensor,
                  *from = copy.to.temporary ? &tensor : &temporary;
    const struct strided block = strided_copy(problem, &copy, (struct blas_call_place){0});
    expect_copy(problem, copy, to, from);
    const size_t first_bytes =
        (size_t)problem->written.first_elems[copy.to.operand] * problem->written.element_bytes;
    strided_run_copy(&block, to->data + (copy.to.temporary ? 0 : first_bytes),
                     from->data + (copy.to.temporary ? first_bytes : 0));
    if (memcmp(to->data, to->expected, to->bytes) != 0)
        fail_msg("%s", random_contraction_describe(random));
    assert_memory_equal(from->data, from->expected, from->bytes);
    memory_free(&tensor);
    memory_free(&temporary);
}

static void for_random(int count, void (*check)(const struct random_contraction *, uint64_t *)) {
    struct random_contraction_options options = random_contraction_defaults();
    options.zeros = false;
    options.overlaps = false;
    options.min_rank = 0;
    for (int seed = 1; seed <= count; seed++) {
        struct random_contraction random;
        uint64_t bits = (uint64_t)seed;
        random_contraction_init(&random, (uint64_t)seed, &options);
        check(&random, &bits);
        random_contraction_free(&random);
    }
}

static void check_copies(const struct random_contraction *random, uint64_t *bits) {
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_slice tensor = draw_slice(random, bits, (enum tcplan_operand)t);
        struct tcplan_slice temporary = tensor;
        temporary.temporary = true;
        check_copy(
            random,
            (struct tcplan_copy){.to = temporary, .from = tensor, .update = {.alpha = {1, 0}}},
            bits);
        if (random->contraction->tensor[t].still)
            continue; /* the elements of a result must have different addresses */
        check_copy(
            random,
            (struct tcplan_copy){.to = tensor, .from = temporary, .update = {.alpha = {1, 0}}},
            bits);
    }
}

static void copies_in_and_back_move_the_elements_of_their_slices(void **state) {
    (void)state;
    for_random(500, check_copies);
}

/* Scaling. */

static void scale_element(char *element, enum tcplan_dtype dtype, struct tcplan_scalar beta) {
    double re = 0, im = 0;
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX,
               complex = tcplan_dtype_is_complex(dtype);
    if (beta.re != 0 || beta.im != 0) {
        re = single ? ((float *)element)[0] : ((double *)element)[0];
        im = !complex ? 0 : single ? ((float *)element)[1] : ((double *)element)[1];
    }
    const double scaled[2] = {beta.re * re - beta.im * im, beta.re * im + beta.im * re};
    for (int part = 0; part <= (complex ? 1 : 0); part++) {
        if (single) ((float *)element)[part] = (float)scaled[part];
        if (!single) ((double *)element)[part] = scaled[part];
    }
}

static void expect_scale(const struct refined_problem *problem, struct tcplan_slice slice,
                         struct memory *memory) {
    int64_t point[TCPLAN_MAX_INDICES] = {0};
    do {
        scale_element(memory->expected + (size_t)address_of(problem, slice, point) *
                                             problem->written.element_bytes,
                      problem->written.dtype, problem->written.contraction->beta);
    } while (advance(problem, slice.span, point));
}

static double difference(const struct refined_problem *problem, const struct memory *memory) {
    double worst = 0;
    const bool single =
        problem->written.dtype == TCPLAN_FLOAT || problem->written.dtype == TCPLAN_FLOAT_COMPLEX;
    const size_t count = memory->bytes / (single ? sizeof(float) : sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const double found = single ? ((float *)memory->data)[i] : ((double *)memory->data)[i];
        const double expected =
            single ? ((float *)memory->expected)[i] : ((double *)memory->expected)[i];
        worst = fmax(worst, isnan(found) ? INFINITY : fabs(found - expected));
    }
    return worst;
}

static void check_scaling(const struct random_contraction *random, uint64_t *bits) {
    struct temporary_problem laid_out;
    struct tcplan_scale scale = {.slice = draw_slice(random, bits, TCPLAN_C),
                                 .beta = random->contraction->beta};
    temporary_problem_init(&laid_out, &random->problem, TCPLAN_C, scale.slice.span);
    const struct refined_problem *problem = &laid_out.problem;
    scale.slice.temporary = rng_once_in(bits, 3);
    struct memory memory = memory_of(problem,
                                     scale.slice.temporary ? slice_elems(problem, scale.slice)
                                                           : problem->written.elems[TCPLAN_C],
                                     bits);
    const struct strided block = strided_scale(problem, &scale, (struct blas_call_place){0});
    expect_scale(problem, scale.slice, &memory);
    strided_run_scale(&block, memory.data + (scale.slice.temporary
                                                 ? 0
                                                 : (size_t)problem->written.first_elems[TCPLAN_C] *
                                                       problem->written.element_bytes));
    const bool single =
        problem->written.dtype == TCPLAN_FLOAT || problem->written.dtype == TCPLAN_FLOAT_COMPLEX;
    if (difference(problem, &memory) > (single ? 1e-3 : 1e-12))
        fail_msg("%s", random_contraction_describe(random));
    memory_free(&memory);
}

static void scaling_multiplies_the_elements_of_its_slice_by_beta(void **state) {
    (void)state;
    for_random(800, check_scaling);
}

static void a_factor_of_zero_does_not_read(void **state) {
    (void)state;
    for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
        struct random_contraction given;
        double memory[24];
        random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=3,b=4,i=2", TCPLAN_COLUMN_MAJOR,
                                 (enum tcplan_dtype)dtype);
        struct tcplan_scale scale = {.slice = {.operand = TCPLAN_C, .span = 3}};
        memset(memory, 0xff, sizeof memory); /* all bits set: NaN for every type */
        struct temporary_problem whole;
        temporary_problem_init(&whole, &given.problem, TCPLAN_C, 0);
        const struct strided block =
            strided_scale(&whole.problem, &scale, (struct blas_call_place){0});
        strided_run_scale(&block, (char *)memory);
        const unsigned char *bytes = (const unsigned char *)memory;
        for (size_t i = 0; i < sizeof memory; i++)
            assert_int_equal(bytes[i], i < 12 * given.problem.element_bytes ? 0 : 0xff);
        random_contraction_free(&given);
    }
}

/* Shapes. */

static void dimensions_that_continue_each_other_are_merged(void **state) {
    (void)state;
    struct random_contraction given;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=3,b=4,c=5,i=2", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    const struct tcplan_scale whole = {.slice = {.operand = TCPLAN_C, .span = 7}},
                              part = {.slice = {.operand = TCPLAN_C, .span = 5}};
    struct temporary_problem tensors;
    temporary_problem_init(&tensors, &given.problem, TCPLAN_C, 0);
    const struct strided one = strided_scale(&tensors.problem, &whole, (struct blas_call_place){0}),
                         two = strided_scale(&tensors.problem, &part, (struct blas_call_place){0});
    assert_int_equal(one.rank, 1);
    assert_int_equal(one.extent[0], 60);
    assert_int_equal(two.rank, 2);
    assert_true(two.extent[0] == 3 && two.to_bytes[0] == 8 && two.extent[1] == 5 &&
                two.to_bytes[1] == 96);
    random_contraction_free(&given);
}

static double elements(const struct strided *block) {
    double count = 1;
    for (int d = 0; d < block->rank; d++) count *= (double)block->extent[d];
    return count;
}

static void check_reduction(const struct random_contraction *random, uint64_t *bits) {
    const struct tcplan_scale scale = {.slice = draw_slice(random, bits, TCPLAN_C)};
    struct temporary_problem tensors;
    temporary_problem_init(&tensors, &random->problem, TCPLAN_C, 0);
    const struct strided whole =
        strided_scale(&tensors.problem, &scale, (struct blas_call_place){0});
    const int64_t unit_bytes = (int64_t)16 << rng_below(bits, 4);
    const double limit = (double)unit_bytes * (3 + rng_below(bits, 30));
    struct strided part = whole;
    const double factor = strided_reduce(&part, unit_bytes, limit);
    assert_true(fabs(factor * elements(&part) - elements(&whole)) <= 1e-9 * elements(&whole));
    assert_int_equal(part.rank, whole.rank);
    for (int d = 0; d < part.rank; d++) assert_in_range(part.extent[d], 1, whole.extent[d]);
    assert_true(strided_footprint_bytes(&part, unit_bytes) <= limit);
    if (strided_footprint_bytes(&whole, unit_bytes) <= limit) assert_true(factor == 1);
}

static void a_reduced_block_is_a_part_of_the_whole_with_its_factor(void **state) {
    (void)state;
    for_random(800, check_reduction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_and_back_move_the_elements_of_their_slices),
        cmocka_unit_test(scaling_multiplies_the_elements_of_its_slice_by_beta),
        cmocka_unit_test(a_factor_of_zero_does_not_read),
        cmocka_unit_test(dimensions_that_continue_each_other_are_merged),
        cmocka_unit_test(a_reduced_block_is_a_part_of_the_whole_with_its_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
