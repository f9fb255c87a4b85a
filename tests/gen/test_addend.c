/*
 * Tests contractions with an addend that is not the result, such as D_ab=A_ai*B_ib+2*C_ab: which
 * arguments functions and programs accept. Tests of random contractions check the results.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_contraction.h"
#include "tcplan/canonical.h"
#include "tcplan/emit.h"
#include "tcplan/program.h"
#include "tcplan/rank.h"
#include "tcplan/strides.h"

/** An algorithm of a contraction with a=2, b=3, i=4. */
struct given {
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest;
};

static void given_init(struct given *out, const char *text, const char *strides, const char *name) {
    struct tcplan_error error = {0};
    random_contraction_strided(&out->random, text, "a=2,b=3,i=4", strides, TCPLAN_COLUMN_MAJOR,
                               TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&out->algorithm, out->random.contraction, TCPLAN_DOUBLE, name,
                               &error))
        fail_msg("%s", error.message);
    assert_int_equal(
        tcplan_nest_build(&out->nest, out->random.contraction, &out->algorithm, &error), TCPLAN_OK);
}

static void given_free(struct given *given) {
    tcplan_nest_free(given->nest);
    random_contraction_free(&given->random);
}

/* Emitted C. */

static void assert_emitted(const char *text, const char *strides, const char *const expected[]) {
    struct given given;
    char *emitted = NULL;
    given_init(&given, text, strides, "dgemm");
    assert_int_equal(tcplan_emit_c(&emitted, given.nest, &given.random.problem, NULL, NULL),
                     TCPLAN_OK);
    for (; *expected; expected++) {
        if (!strstr(emitted, *expected)) fail_msg("%s: no \"%s\" in\n%s", text, *expected, emitted);
    }
    free(emitted);
    given_free(&given);
}

static void functions_take_the_result_last(void **state) {
    (void)state;
    assert_emitted(
        "D_ab=A_ai*B_ib+2*C_ab", "",
        (const char *[]){
            "int contract(const double *A, const double *B, const double *C, double *D) {",
            "C may overlap these. It may also be D itself; otherwise the two must not overlap",
            NULL});
    assert_emitted(
        "D_ab=A_ai*B_ib+2*C_ba", "",
        (const char *[]){
            "C may overlap these. It must not overlap D, because its layout is different",
            " *   C = C[b,a]: 3 x 2, strides 1, 3", NULL});
    assert_emitted("D_ab=A_ai*B_ib+2*C_ba", "C=2,1",
                   (const char *[]){"It may also be D itself", NULL});
    assert_emitted("D_ab=A_ai*B_ib+0*C_ba", "",
                   (const char *[]){"C is not read because beta is 0, and may be NULL",
                                    "    (void)C;\n", NULL});
    assert_emitted(
        "new_ab=old_ba-A_ai*B_ib", "",
        (const char *[]){"(const double *A, const double *B, const double *C, double *D)", NULL});
    assert_emitted(
        "R_ab=Old_ba-X_ai*Y_ib", "",
        (const char *[]){"(const double *X, const double *Y, const double *Old, double *R)", NULL});
}

static void interfaces_have_four_arguments(void **state) {
    (void)state;
    struct given given;
    char *header = NULL, *module = NULL;
    given_init(&given, "D_ab=A_ai*B_ib+2*C_ba", "", "dgemm");
    assert_int_equal(tcplan_emit_header(&header, given.nest, &given.random.problem, NULL, NULL),
                     TCPLAN_OK);
    assert_non_null(strstr(
        header, "int contract(const double *A, const double *B, const double *C, double *D);"));
    assert_int_equal(tcplan_emit_fortran(&module, given.nest, &given.random.problem, NULL, NULL),
                     TCPLAN_OK);
    assert_non_null(strstr(module, "function contract(A, B, C, D) &"));
    assert_non_null(strstr(module, "intent(in) :: C(3,2)\n"));
    assert_non_null(strstr(module, "intent(inout) :: D(2,3)\n"));
    free(header);
    free(module);
    given_free(&given);
}

/* Execution. */

static void an_addend_that_is_missing_is_refused(void **state) {
    (void)state;
    struct given given;
    struct tcplan_program *program = NULL;
    struct tcplan_error error = {0};
    const double A[8] = {1, 1, 1, 1, 1, 1, 1, 1}, B[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    const double C[6] = {1, 2, 3, 4, 5, 6};
    double D[6] = {7, 7, 7, 7, 7, 7};
    given_init(&given, "D_ab=A_ai*B_ib+2*C_ba", "", "dgemm");
    assert_int_equal(tcplan_program_build(&program, given.nest, &given.random.problem, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_program_run(program, A, B, D), TCPLAN_INVALID);
    assert_int_equal(tcplan_program_run_adding(program, A, B, NULL, D, &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "the addend C of the contraction is missing");
    for (int e = 0; e < 6; e++) assert_true(D[e] == 7);
    assert_int_equal(tcplan_program_run_adding(program, A, B, C, D, &error), TCPLAN_OK);
    for (int e = 0; e < 6; e++) assert_true(D[e] == 1 + 2 * C[e % 2 * 3 + e / 2]);
    tcplan_program_free(program);
    given_free(&given);
}

static void without_an_addend_none_is_needed(void **state) {
    (void)state;
    struct given given;
    struct tcplan_program *program = NULL;
    const double A[8] = {1, 1, 1, 1, 1, 1, 1, 1}, B[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
    double D[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    given_init(&given, "D_ab=A_ai*B_ib+0*C_ba", "", "dgemm");
    assert_int_equal(tcplan_program_build(&program, given.nest, &given.random.problem, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_program_run_adding(program, A, B, NULL, D, NULL), TCPLAN_OK);
    for (int e = 0; e < 6; e++) assert_true(D[e] == 1);
    assert_int_equal(tcplan_program_run(program, A, B, D), TCPLAN_OK);
    tcplan_program_free(program);
    given_free(&given);
}

static void a_contraction_that_adds_to_its_result_takes_no_other_tensor(void **state) {
    (void)state;
    struct given given;
    struct tcplan_program *program = NULL;
    struct tcplan_error error = {0};
    const double A[8] = {1, 1, 1, 1, 1, 1, 1, 1}, B[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0},
                 other[6] = {0};
    double C[6] = {1, 2, 3, 4, 5, 6};
    given_init(&given, "C_ab=A_ai*B_ib+2*C_ab", "", "dgemm");
    assert_int_equal(tcplan_program_build(&program, given.nest, &given.random.problem, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_program_run_adding(program, A, B, other, C, &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "the contraction adds to its result C; expected no separate addend");
    assert_int_equal(tcplan_program_run_adding(program, A, B, C, C, &error), TCPLAN_OK);
    for (int e = 0; e < 6; e++) assert_true(C[e] == 1 + 2 * (e + 1));
    assert_int_equal(tcplan_program_run_adding(program, A, B, NULL, C, &error), TCPLAN_OK);
    tcplan_program_free(program);
    given_free(&given);
}

/* Problems. */

static void an_addend_makes_another_problem(void **state) {
    (void)state;
    static const char *const texts[] = {"C_ab=A_ai*B_ib+2*C_ab", "D_ab=A_ai*B_ib+2*C_ab",
                                        "D_ab=A_ai*B_ib+2*C_ba", "D_ab=A_ai*B_ib+2*conj(C)_ba",
                                        "D_ab=A_ai*B_ib+C_ba"};
    enum { TEXTS = sizeof texts / sizeof *texts };
    char *canonical[TEXTS];
    for (int t = 0; t < TEXTS; t++) {
        struct random_contraction given;
        random_contraction_given(&given, texts[t], "a=3,b=4,i=5", TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE_COMPLEX);
        canonical[t] = tcplan_problem_canonical(&given.problem);
        for (int other = 0; other < t; other++)
            assert_string_not_equal(canonical[t], canonical[other]);
        random_contraction_free(&given);
    }
    for (int t = 0; t < TEXTS; t++) free(canonical[t]);
}

static void tensors_of_one_name_have_the_same_extents(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    struct tcplan_error error = {0};
    const int64_t extent[TCPLAN_MAX_INDICES] = {3, 4, 5};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "D_ab=A_ai*B_ib+A_ab", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, &error),
                     TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "tensor A is a factor and is added, but its dimension 2 has extent 5 in one (index 'i') and 4 in the other "
        "(index 'b'), expected equal extents");
    tcplan_contraction_free(contraction);
}

static void a_name_selects_all_tensors_with_it(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"A=1,7", "A=1,7;A=1,7;A=1,7"},
        {"A=1,7;A=dense", "A=1,7;A=dense;A=dense"},
        {"A=1,7;A=2,8;A=3,9;D=1,20", "A=1,7;A=2,8;A=3,9;D=1,20"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct tcplan_contraction *contraction = NULL;
        assert_int_equal(tcplan_contraction_parse(&contraction, "D_ab=A_ai*A_ib+A_ab",
                                                  TCPLAN_COLUMN_MAJOR, NULL),
                         TCPLAN_OK);
        assert_int_equal(tcplan_strides_parse(contraction, cases[c][0], NULL), TCPLAN_OK);
        char *text = tcplan_strides_text(contraction);
        assert_string_equal(text, cases[c][1]);
        assert_int_equal(tcplan_strides_parse(contraction, "A=1,1;A=1,1;A=1,1;A=1,1", NULL),
                         TCPLAN_INVALID);
        free(text);
        tcplan_contraction_free(contraction);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_take_the_result_last),
        cmocka_unit_test(interfaces_have_four_arguments),
        cmocka_unit_test(an_addend_that_is_missing_is_refused),
        cmocka_unit_test(without_an_addend_none_is_needed),
        cmocka_unit_test(a_contraction_that_adds_to_its_result_takes_no_other_tensor),
        cmocka_unit_test(an_addend_makes_another_problem),
        cmocka_unit_test(tensors_of_one_name_have_the_same_extents),
        cmocka_unit_test(a_name_selects_all_tensors_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
