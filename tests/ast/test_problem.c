#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/problem.h"

static struct tcplan_contraction *contraction_of(const char *text, enum tcplan_order order) {
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, order, NULL), TCPLAN_OK);
    return contraction;
}

/** Makes the problem of `text` with extents 2, 3, 5 and 7 for the first four indices. */
static struct tcplan_problem small_problem(const struct tcplan_contraction *contraction,
                                           enum tcplan_dtype dtype) {
    static const int64_t extent[] = {2, 3, 5, 7};
    struct tcplan_error error = {0};
    struct tcplan_problem problem;
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, dtype, &error), TCPLAN_OK);
    return problem;
}

static void assert_strides(const struct tcplan_problem *problem, enum tcplan_operand operand,
                           int64_t a, int64_t b, int64_t c, int64_t i) {
    const int64_t *stride = problem->stride_elems[operand];
    assert_true(stride[0] == a && stride[1] == b && stride[2] == c && stride[3] == i);
    for (int index = 4; index < TCPLAN_MAX_INDICES; index++) assert_true(stride[index] == 0);
}

static void assert_refused(const char *text, const int64_t extent[], enum tcplan_dtype dtype,
                           enum tcplan_status status, const char *message) {
    struct tcplan_contraction *contraction = contraction_of(text, TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem, before;
    memset(&problem, 0x5a, sizeof problem);
    memcpy(&before, &problem, sizeof problem);
    struct tcplan_error error;
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, dtype, &error), status);
    assert_int_equal(error.status, status);
    assert_string_equal(error.message, message);
    assert_int_equal(error.column, 0);
    assert_memory_equal(&problem, &before, sizeof problem);
    tcplan_contraction_free(contraction);
}

static void column_major_makes_the_first_index_contiguous(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        contraction_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem = small_problem(contraction, TCPLAN_DOUBLE);
    assert_strides(&problem, TCPLAN_C, 1, 2, 6, 0);
    assert_strides(&problem, TCPLAN_A, 1, 0, 0, 2);
    assert_strides(&problem, TCPLAN_B, 0, 7, 21, 1);
    tcplan_contraction_free(contraction);
}

static void row_major_makes_the_last_index_contiguous(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of("C_abc=A_ai*B_ibc", TCPLAN_ROW_MAJOR);
    struct tcplan_problem problem = small_problem(contraction, TCPLAN_DOUBLE);
    assert_strides(&problem, TCPLAN_C, 15, 5, 1, 0);
    assert_strides(&problem, TCPLAN_A, 7, 0, 0, 1);
    assert_strides(&problem, TCPLAN_B, 0, 5, 1, 15);
    tcplan_contraction_free(contraction);
}

static void the_strides_of_a_diagonal_add_up(void **state) {
    (void)state;
    /* Indices: a=2, i=3. A is 3x2x3; a step in i moves one element in the first and six in the
     * last dimension. */
    struct tcplan_contraction *contraction = contraction_of("C_a=A_iai*B_i", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem = small_problem(contraction, TCPLAN_DOUBLE);
    assert_strides(&problem, TCPLAN_A, 3, 1 + 6, 0, 0);
    assert_true(problem.elems[TCPLAN_A] == 18);
    tcplan_contraction_free(contraction);

    contraction = contraction_of("C_a=A_iai*B_iii", TCPLAN_ROW_MAJOR);
    problem = small_problem(contraction, TCPLAN_DOUBLE);
    assert_strides(&problem, TCPLAN_A, 3, 6 + 1, 0, 0);
    assert_strides(&problem, TCPLAN_B, 0, 9 + 3 + 1, 0, 0);
    tcplan_contraction_free(contraction);
}

static void sizes_add_extents_volumes_and_bytes(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        contraction_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem = small_problem(contraction, TCPLAN_DOUBLE_COMPLEX);
    assert_ptr_equal(problem.contraction, contraction);
    assert_int_equal(problem.dtype, TCPLAN_DOUBLE_COMPLEX);
    assert_int_equal(problem.element_bytes, 16);
    assert_true(problem.extent[0] == 2 && problem.extent[3] == 7 && problem.extent[4] == 0);
    assert_true(problem.elems[TCPLAN_A] == 14 && problem.elems[TCPLAN_B] == 105 &&
                problem.elems[TCPLAN_C] == 30);
    tcplan_contraction_free(contraction);
}

static void a_scalar_has_one_element(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of("C=A*B", TCPLAN_ROW_MAJOR);
    struct tcplan_problem problem = small_problem(contraction, TCPLAN_FLOAT);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) assert_true(problem.elems[t] == 1);
    assert_true(problem.flops == 2);
    tcplan_contraction_free(contraction);
}

static void flops_count_the_additions_of_sums_before_the_product(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        contraction_of("C_ab=A_aij*B_b", TCPLAN_COLUMN_MAJOR); /* a=2, b=3, i=5, j=7 */
    const struct tcplan_problem real = small_problem(contraction, TCPLAN_DOUBLE);
    assert_true(real.product_flops == 2 * 6);
    assert_true(real.flops == 2 * 6 + 2 * (35 - 1));
    assert_true(small_problem(contraction, TCPLAN_DOUBLE_COMPLEX).flops ==
                8 * 6 + 2 * 2 * (35 - 1));
    tcplan_contraction_free(contraction);
}

static void flops_are_two_per_real_and_eight_per_complex_multiply_add(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        contraction_of("C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR);
    assert_true(small_problem(contraction, TCPLAN_FLOAT).flops == 2 * 210);
    assert_true(small_problem(contraction, TCPLAN_DOUBLE).flops == 2 * 210);
    assert_true(small_problem(contraction, TCPLAN_FLOAT_COMPLEX).flops == 8 * 210);
    assert_true(small_problem(contraction, TCPLAN_DOUBLE_COMPLEX).flops == 8 * 210);
    tcplan_contraction_free(contraction);
}

static void factors_are_rounded_to_the_type(void **state) {
    (void)state;
    struct tcplan_contraction *contraction =
        contraction_of("C_a=0.1*A_ai*B_i+1e-60*C_a", TCPLAN_COLUMN_MAJOR);
    const struct tcplan_problem single = small_problem(contraction, TCPLAN_FLOAT_COMPLEX);
    const struct tcplan_problem real = small_problem(contraction, TCPLAN_DOUBLE);
    assert_true(single.alpha.re == 0.1F && single.alpha.im == 0 && single.beta.re == 0);
    assert_true(real.alpha.re == 0.1 && real.beta.re == 1e-60);
    tcplan_contraction_free(contraction);
}

static void a_tensor_that_is_both_factors_has_the_same_extents_in_both(void **state) {
    (void)state;
    static const int64_t equal[] = {3, 3, 4}, other[] = {3, 5, 4};
    struct tcplan_contraction *contraction = contraction_of("C_ab=T_ai*T_bi", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem;
    assert_int_equal(tcplan_problem_init(&problem, contraction, equal, TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    tcplan_contraction_free(contraction);
    assert_refused(
        "C_ab=T_ai*T_bi", other, TCPLAN_DOUBLE, TCPLAN_INVALID,
        "tensor T is both factors, but its dimension 1 has extent 3 in one (index 'a') and 5 in the other (index 'b'), expected "
        "equal extents");
}

static void complex_factors_need_a_complex_type(void **state) {
    (void)state;
    static const int64_t extent[] = {2, 2};
    assert_refused("C_a=(1,2)*A_ai*B_i", extent, TCPLAN_DOUBLE, TCPLAN_INVALID,
                   "alpha has an imaginary part, expected a real factor for the real type 'd'");
    assert_refused("C_a=A_ai*B_i+(0,1)*C_a", extent, TCPLAN_FLOAT, TCPLAN_INVALID,
                   "beta has an imaginary part, expected a real factor for the real type 's'");
    struct tcplan_contraction *contraction =
        contraction_of("C_a=(1,2)*A_ai*B_i+(0,1)*C_a", TCPLAN_COLUMN_MAJOR);
    small_problem(contraction, TCPLAN_FLOAT_COMPLEX);
    tcplan_contraction_free(contraction);
}

static void factors_must_fit_the_type(void **state) {
    (void)state;
    static const int64_t extent[] = {2, 2};
    assert_refused("C_a=1e39*A_ai*B_i", extent, TCPLAN_FLOAT, TCPLAN_INVALID,
                   "alpha is beyond the largest number of type 's'");
    assert_refused("C_a=A_ai*B_i-(1,1e39)*C_a", extent, TCPLAN_FLOAT_COMPLEX, TCPLAN_INVALID,
                   "beta is beyond the largest number of type 'c'");
    struct tcplan_contraction *contraction =
        contraction_of("C_a=-1e39*A_ai*B_i", TCPLAN_COLUMN_MAJOR);
    small_problem(contraction, TCPLAN_DOUBLE);
    tcplan_contraction_free(contraction);
}

static void extents_must_be_blas_integers(void **state) {
    (void)state;
    assert_refused("C_a=A_ai*B_i", (const int64_t[]){-1, 1}, TCPLAN_DOUBLE, TCPLAN_INVALID,
                   "index 'a' has extent -1, expected 0 to 2147483647");
    assert_refused("C_a=A_ai*B_i", (const int64_t[]){2147483648, 1}, TCPLAN_DOUBLE, TCPLAN_INVALID,
                   "index 'a' has extent 2147483648, expected 0 to 2147483647");
}

static void without_elements_there_is_nothing_to_multiply(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of("C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem;
    assert_int_equal(
        tcplan_problem_init(&problem, contraction, (const int64_t[]){2, 3, 0}, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    assert_true(tcplan_problem_only_scales(&problem));
    assert_true(problem.elems[TCPLAN_A] == 0 && problem.elems[TCPLAN_B] == 0 &&
                problem.elems[TCPLAN_C] == 6);
    assert_strides(&problem, TCPLAN_A, 1, 0, 2, 0);
    assert_true(problem.flops == 0);
    assert_int_equal(
        tcplan_problem_init(&problem, contraction, (const int64_t[]){0, 3, 5}, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    assert_true(tcplan_problem_only_scales(&problem));
    assert_true(problem.elems[TCPLAN_B] == 15 && problem.elems[TCPLAN_C] == 0);
    assert_strides(&problem, TCPLAN_C, 1, 1, 0, 0);
    assert_int_equal(
        tcplan_problem_init(&problem, contraction, (const int64_t[]){1, 1, 1}, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    assert_false(tcplan_problem_only_scales(&problem));
    tcplan_contraction_free(contraction);
}

static void strides_of_an_empty_tensor_span_nothing(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of("C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem;
    assert_int_equal(
        tcplan_contraction_set_strides(contraction, TCPLAN_C, (const int64_t[]){1, 1}, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_contraction_set_strides(contraction, TCPLAN_A, (const int64_t[]){-5, 7}, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_problem_init(&problem, contraction, (const int64_t[]){0, 3, 5}, TCPLAN_DOUBLE, NULL),
        TCPLAN_OK);
    assert_true(problem.elems[TCPLAN_C] == 0 && problem.elems[TCPLAN_A] == 0 &&
                problem.first_elems[TCPLAN_A] == 0);
    tcplan_contraction_free(contraction);
}

static void tensors_beyond_the_address_space_are_an_overflow(void **state) {
    (void)state;
    const int64_t huge = 2147483647;
    assert_refused(
        "C_ab=A_ai*B_ib", (const int64_t[]){huge, huge, 1}, TCPLAN_DOUBLE, TCPLAN_OVERFLOW,
        "tensor C has 2147483647*2147483647 elements of 8 bytes: its bytes or strides exceed 9223372036854775807");
    assert_refused(
        "C_a=A_aijk*B_ijk", (const int64_t[]){huge, huge, huge, huge}, TCPLAN_FLOAT,
        TCPLAN_OVERFLOW,
        "tensor A has 2147483647*2147483647*2147483647*2147483647 elements of 4 bytes: its bytes or strides exceed "
        "9223372036854775807");
}

static void the_largest_tensor_that_fits_is_accepted(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = contraction_of("C_ab=A_a*B_b", TCPLAN_COLUMN_MAJOR);
    struct tcplan_problem problem;
    struct tcplan_error error;
    const int64_t fits[] = {2147483647, 1073741824},
                  exceeds[] = {1073741824 * INT64_C(1), 2147483647};
    assert_int_equal(tcplan_problem_init(&problem, contraction, fits, TCPLAN_FLOAT, &error),
                     TCPLAN_OK);
    assert_true(problem.elems[TCPLAN_C] == INT64_C(2147483647) << 30);
    assert_int_equal(tcplan_problem_init(&problem, contraction, exceeds, TCPLAN_DOUBLE, &error),
                     TCPLAN_OVERFLOW);
    tcplan_contraction_free(contraction);
}

static void the_strides_of_a_diagonal_may_overflow_too(void **state) {
    (void)state;
    /* The index i has 1 element, but each of its dimensions has a stride of 2^60 elements. */
    assert_refused(
        "C_ab=A_abiiiiiiiiii*B_i", (const int64_t[]){1073741824, 1073741824, 1}, TCPLAN_FLOAT,
        TCPLAN_OVERFLOW,
        "tensor A has 1073741824*1073741824*1*1*1*1*1*1*1*1*1*1 elements of 4 bytes: its bytes or strides exceed "
        "9223372036854775807");
}

static void a_long_product_is_cut_in_the_message(void **state) {
    (void)state;
    int64_t extent[TCPLAN_MAX_INDICES];
    for (int index = 0; index < TCPLAN_MAX_INDICES; index++) extent[index] = 2147483647;
    struct tcplan_contraction *contraction = contraction_of(
        "C=A_abcdefghijklmnopqrstuvwxyz*B_abcdefghijklmnopqrstuvwxyz", TCPLAN_ROW_MAJOR);
    struct tcplan_problem problem;
    struct tcplan_error error;
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, TCPLAN_FLOAT, &error),
                     TCPLAN_OVERFLOW);
    assert_non_null(strstr(
        error.message, "... elements of 4 bytes: its bytes or strides exceed 9223372036854775807"));
    tcplan_contraction_free(contraction);
}

static void types_are_known_by_their_blas_letters(void **state) {
    (void)state;
    static const char letters[] = "sdcz";
    static const size_t bytes[] = {4, 8, 8, 16};
    for (int t = 0; t < TCPLAN_DTYPES; t++) {
        enum tcplan_dtype dtype = TCPLAN_DTYPES;
        assert_true(tcplan_dtype_from_letter(letters[t], &dtype));
        assert_int_equal(dtype, t);
        assert_int_equal(tcplan_dtype_letter(dtype), letters[t]);
        assert_int_equal(tcplan_dtype_bytes(dtype), bytes[t]);
        assert_int_equal(tcplan_dtype_is_complex(dtype), t >= 2);
    }
}

static void other_letters_are_refused_as_types(void **state) {
    (void)state;
    enum tcplan_dtype dtype = TCPLAN_DTYPES;
    for (int letter = -128; letter < 128; letter++) {
        if (letter != 0 && letter == (char)letter && strchr("sdcz", letter)) continue;
        assert_false(tcplan_dtype_from_letter((char)letter, &dtype));
    }
    assert_int_equal(dtype, TCPLAN_DTYPES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_major_makes_the_first_index_contiguous),
        cmocka_unit_test(row_major_makes_the_last_index_contiguous),
        cmocka_unit_test(the_strides_of_a_diagonal_add_up),
        cmocka_unit_test(sizes_add_extents_volumes_and_bytes),
        cmocka_unit_test(a_scalar_has_one_element),
        cmocka_unit_test(flops_count_the_additions_of_sums_before_the_product),
        cmocka_unit_test(flops_are_two_per_real_and_eight_per_complex_multiply_add),
        cmocka_unit_test(factors_are_rounded_to_the_type),
        cmocka_unit_test(a_tensor_that_is_both_factors_has_the_same_extents_in_both),
        cmocka_unit_test(complex_factors_need_a_complex_type),
        cmocka_unit_test(factors_must_fit_the_type),
        cmocka_unit_test(extents_must_be_blas_integers),
        cmocka_unit_test(without_elements_there_is_nothing_to_multiply),
        cmocka_unit_test(strides_of_an_empty_tensor_span_nothing),
        cmocka_unit_test(tensors_beyond_the_address_space_are_an_overflow),
        cmocka_unit_test(the_largest_tensor_that_fits_is_accepted),
        cmocka_unit_test(the_strides_of_a_diagonal_may_overflow_too),
        cmocka_unit_test(a_long_product_is_cut_in_the_message),
        cmocka_unit_test(types_are_known_by_their_blas_letters),
        cmocka_unit_test(other_letters_are_refused_as_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
