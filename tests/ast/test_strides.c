#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/contraction/contraction.h"
#include "tcplan/canonical.h"
#include "tcplan/problem.h"
#include "tcplan/strides.h"

static struct tcplan_contraction *contraction_of(const char *text, enum tcplan_order order) {
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, order, NULL), TCPLAN_OK);
    return contraction;
}

static struct tcplan_contraction *strided(const char *text, const char *strides) {
    struct tcplan_contraction *contraction = contraction_of(text, TCPLAN_COLUMN_MAJOR);
    assert_int_equal(tcplan_strides_parse(contraction, strides, NULL), TCPLAN_OK);
    return contraction;
}

/* Reading. */

static void assert_reads_as(const char *contraction_text, const char *strides,
                            const char *expected) {
    struct tcplan_contraction *contraction = strided(contraction_text, strides);
    char *text = tcplan_strides_text(contraction);
    assert_string_equal(text, expected);
    free(text);
    tcplan_contraction_free(contraction);
}

static void strides_are_read_and_printed(void **state) {
    (void)state;
    assert_reads_as("C_abc=A_ai*B_ibc", "", "");
    assert_reads_as("C_abc=A_ai*B_ibc", "A=1,400", "A=1,400");
    assert_reads_as("C_abc=A_ai*B_ibc", " C = 1 , -400 , +7 ; A=0,-0", "A=0,0;C=1,-400,7");
    assert_reads_as("C_abc=A_ai*B_ibc", "A=1,2 B=9,8,7\tC=1,5,25", "A=1,2;B=9,8,7;C=1,5,25");
    assert_reads_as("C_abc=A_ai*B_ibc", "A=dense;B=1,2,-9223372036854775808",
                    "B=1,2,-9223372036854775808");
    assert_reads_as("R[row]=T_1[row,k]*V[k]", "T_1=1,9", "T_1=1,9");
}

static void strides_of_a_name_apply_to_both_factors_unless_given_twice(void **state) {
    (void)state;
    assert_reads_as("C_ab=A_ai*A_ib", "A=1,7", "A=1,7;A=1,7");
    assert_reads_as("C_ab=A_ai*A_ib", "A=1,7;A=9,1", "A=1,7;A=9,1");
    assert_reads_as("C_ab=A_ai*A_ib", "A=dense;A=9,1", "A=dense;A=9,1");
}

static void assert_refused(const char *contraction_text, const char *strides, size_t column,
                           size_t length, const char *message) {
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = contraction_of(contraction_text, TCPLAN_COLUMN_MAJOR);
    assert_int_equal(tcplan_strides_parse(contraction, strides, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(error.column, column);
    assert_int_equal(error.length, length);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) assert_false(contraction->tensor[t].strided);
    tcplan_contraction_free(contraction);
}

static void malformed_strides_are_refused_with_their_place(void **state) {
    (void)state;
    const char *usual = "C_ab=A_ai*B_ib";
    assert_refused(usual, "A=1,2;Q=1,2", 7, 1, "no tensor 'Q'; its tensors: A, B and C");
    assert_refused(usual, "A=1", 3, 1, "expected 2 strides, one for each index of 'A', found 1");
    assert_refused(usual, "A=1,2,3", 3, 5, "found 3");
    assert_refused(usual, "A=1,2.5", 5, 3, "expected a stride as a whole number, found '2.5'");
    assert_refused(usual, "A=1,", 5, 0, "expected a stride, found the end");
    assert_refused(usual, "A=1,9223372036854775808", 5, 19, "beyond the largest stride");
    assert_refused(usual, "A=1,2;A=1,2", 7, 1, "tensor 'A' has its strides already");
    assert_refused(usual, "B=1,2;B=1,2", 7, 1, "tensor 'B' has its strides already");
    assert_refused(usual, "A 1,2", 3, 1, "expected '=' and strides");
    assert_refused(usual, "A=1,2;", 7, 0, "expected the name of a tensor");
    assert_refused(usual, "A=1,2:B=3,4", 6, 1, "expected ',', ';' or the end, found ':'");
    assert_refused("C_a=A_a*B", "B=1", 3, 1, "expected 0 strides");
    assert_refused("C_ab=A_ai*A_ib", "A=1,2;A=1,2;A=1,2", 13, 1, "has its strides already");
}

static void strides_of_a_diagonal_that_add_up_to_too_much_are_refused(void **state) {
    (void)state;
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = contraction_of("C_a=A_aa*B", TCPLAN_COLUMN_MAJOR);
    assert_int_equal(tcplan_strides_parse(contraction, "A=9223372036854775807,1", &error),
                     TCPLAN_OVERFLOW);
    assert_false(contraction->tensor[TCPLAN_A].strided);
    tcplan_contraction_free(contraction);
}

/* Properties without sizes. */

static void the_contiguous_index_and_the_order_follow_the_strides(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = strided("C_abc=A_ai*B_ibc", "A=-8,3;B=40,1,-5");
    enum { A, B, C, I };
    assert_int_equal(contraction_unit_index(contraction, TCPLAN_A), -1);
    assert_int_equal(contraction_place(contraction, TCPLAN_A, I), 0);
    assert_int_equal(contraction_place(contraction, TCPLAN_A, A), 1);
    assert_int_equal(contraction_unit_index(contraction, TCPLAN_B), B);
    assert_int_equal(contraction_place(contraction, TCPLAN_B, C), 1);
    assert_int_equal(contraction_place(contraction, TCPLAN_B, I), 2);
    assert_int_equal(contraction_unit_index(contraction, TCPLAN_C), A); /* a dense tensor */
    tcplan_contraction_free(contraction);
}

static void a_diagonal_is_not_contiguous(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = strided("C_a=A_aa*B", "A=2,-1");
    assert_int_equal(contraction_unit_index(contraction, TCPLAN_A), -1);
    tcplan_contraction_free(contraction);
}

static void strides_that_are_taken_back_leave_a_dense_tensor(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", "A=-3,0");
    const struct tcplan_contraction *dense = contraction_of("C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR);
    assert_true(contraction->tensor[TCPLAN_A].falling != 0 &&
                contraction->tensor[TCPLAN_A].still != 0);
    assert_int_equal(tcplan_contraction_set_strides(contraction, TCPLAN_A, NULL, NULL), TCPLAN_OK);
    assert_false(contraction->tensor[TCPLAN_A].strided);
    assert_true(contraction->tensor[TCPLAN_A].falling == 0 &&
                contraction->tensor[TCPLAN_A].still == 0);
    assert_memory_equal(contraction->tensor[TCPLAN_A].nearest, dense->tensor[TCPLAN_A].nearest, 2);
    tcplan_contraction_free(contraction);
    tcplan_contraction_free((struct tcplan_contraction *)(uintptr_t)dense);
}

/* Problems. */

static enum tcplan_status problem_of(struct tcplan_problem *out,
                                     const struct tcplan_contraction *contraction,
                                     struct tcplan_error *error) {
    static const int64_t extent[TCPLAN_MAX_INDICES] = {5, 4, 3}; /* a, b, i */
    return tcplan_problem_init(out, contraction, extent, TCPLAN_DOUBLE, error);
}

static void a_problem_has_the_memory_span_and_start_of_strided_tensors(void **state) {
    (void)state;
    struct tcplan_problem problem;
    struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", "A=-2,100;B=0,-7;C=8,1");
    assert_int_equal(problem_of(&problem, contraction, NULL), TCPLAN_OK);
    const int64_t elems[] = {1 + 4 * 2 + 2 * 100, 1 + 3 * 7, 1 + 4 * 8 + 3}, first[] = {8, 21, 0};
    assert_memory_equal(problem.elems, elems, sizeof elems);
    assert_memory_equal(problem.first_elems, first, sizeof first);
    assert_int_equal(problem.stride_elems[TCPLAN_A][0], -2);
    assert_int_equal(problem.stride_elems[TCPLAN_B][1], -7);
    assert_true(tcplan_problem_own_elems(&problem, TCPLAN_A) == 15 &&
                tcplan_problem_own_elems(&problem, TCPLAN_B) == 4);
    tcplan_contraction_free(contraction);
}

static void dense_strides_that_are_given_make_the_same_problem(void **state) {
    (void)state;
    struct tcplan_problem given, dense;
    struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", "A=1,5;B=1,3;C=1,5");
    assert_int_equal(problem_of(&given, contraction, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_strides_parse(contraction, "A=dense;B=dense;C=dense", NULL), TCPLAN_OK);
    assert_int_equal(problem_of(&dense, contraction, NULL), TCPLAN_OK);
    assert_memory_equal(given.stride_elems, dense.stride_elems, sizeof dense.stride_elems);
    assert_memory_equal(given.elems, dense.elems, sizeof dense.elems);
    assert_memory_equal(given.first_elems, dense.first_elems, sizeof dense.first_elems);
    tcplan_contraction_free(contraction);
}

static void elements_of_the_result_that_coincide_are_refused_by_their_indices(void **state) {
    (void)state;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", "C=3,6");
    assert_int_equal(problem_of(&problem, contraction, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "C[0,1] and C[2,0] have the same address"));
    assert_int_equal(tcplan_strides_parse(contraction, "C=1,0", NULL), TCPLAN_OK);
    assert_int_equal(problem_of(&problem, contraction, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "C[0,1] and C[0,0]"));
    assert_int_equal(tcplan_strides_parse(contraction, "C=-4,3;A=0,0;B=1,1", NULL),
                     TCPLAN_OK); /* interleaved without overlap */
    assert_int_equal(problem_of(&problem, contraction, &error), TCPLAN_OK);
    tcplan_contraction_free(contraction);
}

static void strides_whose_bytes_do_not_fit_are_refused(void **state) {
    (void)state;
    static const char *const beyond[] = {
        "A=1,9223372036854775807", "A=1,-9223372036854775808", "A=-1152921504606846976,1",
        "A=200000000000000000,300000000000000000",
        "A=1,6148914691236517206" /* 3 * 6148914691236517206 = 2^64 + 2: the product overflows */};
    for (size_t b = 0; b < sizeof beyond / sizeof *beyond; b++) {
        struct tcplan_problem problem;
        struct tcplan_error error = {0};
        struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", beyond[b]);
        assert_int_equal(problem_of(&problem, contraction, &error), TCPLAN_OVERFLOW);
        assert_non_null(strstr(error.message, "tensor A"));
        tcplan_contraction_free(contraction);
    }
}

static void problems_of_other_strides_are_others(void **state) {
    (void)state;
    static const char *const strides[] = {"", "A=1,5", "A=1,6", "A=-1,5", "C=1,5", "B=1,5"};
    char *text[6];
    for (int s = 0; s < 6; s++) {
        struct tcplan_problem problem;
        struct tcplan_contraction *contraction = strided("C_ab=A_ai*B_ib", strides[s]);
        assert_int_equal(problem_of(&problem, contraction, NULL), TCPLAN_OK);
        text[s] = tcplan_problem_canonical(&problem);
        for (int other = 0; other < s; other++) assert_string_not_equal(text[s], text[other]);
        tcplan_contraction_free(contraction);
    }
    assert_non_null(strstr(text[3], "0,2@-1,5"));
    for (int s = 0; s < 6; s++) free(text[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strides_are_read_and_printed),
        cmocka_unit_test(strides_of_a_name_apply_to_both_factors_unless_given_twice),
        cmocka_unit_test(malformed_strides_are_refused_with_their_place),
        cmocka_unit_test(strides_of_a_diagonal_that_add_up_to_too_much_are_refused),
        cmocka_unit_test(the_contiguous_index_and_the_order_follow_the_strides),
        cmocka_unit_test(a_diagonal_is_not_contiguous),
        cmocka_unit_test(strides_that_are_taken_back_leave_a_dense_tensor),
        cmocka_unit_test(a_problem_has_the_memory_span_and_start_of_strided_tensors),
        cmocka_unit_test(dense_strides_that_are_given_make_the_same_problem),
        cmocka_unit_test(elements_of_the_result_that_coincide_are_refused_by_their_indices),
        cmocka_unit_test(strides_whose_bytes_do_not_fit_are_refused),
        cmocka_unit_test(problems_of_other_strides_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
