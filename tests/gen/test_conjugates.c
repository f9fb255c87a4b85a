/*
 * Tests conjugated tensors: which kernels and copies conjugate, and which routines the emitted C
 * calls. Tests of random contractions check the results.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random_contraction.h"
#include "tcplan/canonical.h"
#include "tcplan/emit.h"
#include "tcplan/nest.h"

static struct tcplan_nest *nest_of(const struct random_contraction *given, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    enum tcplan_status status =
        tcplan_algorithm_parse(&algorithm, given->contraction, given->problem.dtype, name, &error);
    if (status == TCPLAN_OK)
        status = tcplan_nest_build(&nest, given->contraction, &algorithm, &error);
    if (status != TCPLAN_OK) fail_msg("%s --algorithm %s: %s", given->text, name, error.message);
    return nest;
}

/** Checks the nest of an algorithm, and that its emitted C contains `emitted`. */
static void assert_nest(const char *text, enum tcplan_order order, const char *name,
                        const char *expected, const char *emitted) {
    struct random_contraction given;
    char *c = NULL;
    struct tcplan_error error = {0};
    random_contraction_given(&given, text, strchr(text, 'i') ? "a=3,b=4,i=5" : "a=3,b=4", order,
                             TCPLAN_DOUBLE_COMPLEX);
    struct tcplan_nest *nest = nest_of(&given, name);
    char *printed = tcplan_nest_text(nest, NULL, TCPLAN_DOUBLE_COMPLEX);
    assert_string_equal(printed, expected);
    if (tcplan_emit_c(&c, nest, &given.problem, NULL, &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    if (!strstr(c, emitted)) fail_msg("%s --algorithm %s: no %s in\n%s", text, name, emitted, c);
    free(c);
    free(printed);
    tcplan_nest_free(nest);
    random_contraction_free(&given);
}

static void a_gemm_conjugates_transposed_factors(void **state) {
    (void)state;
    assert_nest("C_ab=conj(A)_ia*B_ib", TCPLAN_COLUMN_MAJOR, "zgemm",
                "zgemm_CN: C[:,:] := A[:,:]^H B[:,:]\n", "CblasConjTrans, CblasNoTrans");
    assert_nest("C_ab=A_ai*conj(B)_bi", TCPLAN_COLUMN_MAJOR, "zgemm",
                "zgemm_NC: C[:,:] := A[:,:] B[:,:]^H\n", "CblasNoTrans, CblasConjTrans");
    assert_nest("C_ab=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "'zgemm",
                "A~[:,:] := conj(A[:,:])\nzgemm_NN: C[:,:] := A~[:,:] B[:,:]\n",
                "COPY_Z_CONJUGATE, 0.0, NULL);");
    assert_nest("C_ab=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "zgemm@blis",
                "zgemm_NN@blis: C[:,:] := conj(A[:,:]) B[:,:]\n",
                "bli_zgemm(BLIS_CONJ_NO_TRANSPOSE, BLIS_NO_TRANSPOSE");
}

static void a_gemv_conjugates_a_transposed_matrix(void **state) {
    (void)state;
    assert_nest("C_ab=conj(A)_ia*B_ib", TCPLAN_COLUMN_MAJOR, "b-zgemv",
                "for b = 1:b\n  zgemv_C: C[:,b] := A[:,:]^H B[:,b]\n", "CblasConjTrans");
    assert_nest("C_ab=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "'b-zgemv",
                "A~[:,:] := conj(A[:,:])\nfor b = 1:b\n  zgemv_N: C[:,b] := A~[:,:] B[:,b]\n",
                "COPY_Z_CONJUGATE");
    assert_nest("C_ab=A_ia*conj(B)_ib", TCPLAN_COLUMN_MAJOR, "b'-zgemv",
                "for b = 1:b\n  B~[:] := conj(B[:,b])\n  zgemv_T: C[:,b] := A[:,:]^T B~[:]\n",
                "COPY_Z_CONJUGATE");
}

static void a_ger_conjugates_its_second_vector(void **state) {
    (void)state;
    assert_nest("C_ab+=A_ai*conj(B)_ib", TCPLAN_COLUMN_MAJOR, "i-zgeru",
                "for i = 1:i\n  zgerc: C[:,:] += A[:,i] B[i,:]^H\n", "cblas_zgerc(");
    assert_nest("C_ab+=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "i'-zgeru",
                "for i = 1:i\n  A~[:] := conj(A[:,i])\n  zgeru: C[:,:] += A~[:] B[i,:]^T\n",
                "cblas_zgeru(");
    /* Row-major: the rows of the result are contiguous, so B's vector is the first argument. */
    assert_nest("C_ab+=conj(A)_ai*B_ib", TCPLAN_ROW_MAJOR, "i-zgeru",
                "for i = 1:i\n  zgerc: C[:,:] += conj(A[:,i]) B[i,:]^T\n", "cblas_zgerc(");
}

static void a_dot_conjugates_either_factor_or_both(void **state) {
    (void)state;
    assert_nest("C_ab=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "ab-zdotu",
                "for a = 1:a\n  for b = 1:b\n    zdotc: C[a,b] := conj(A[a,:]) B[:,b]\n",
                "cblas_zdotc_sub(4, A + i_a, 3, B + 5 * i_b, 1, &dot)");
    assert_nest("C_ab=A_ai*conj(B)_ib", TCPLAN_COLUMN_MAJOR, "ab-zdotu",
                "for a = 1:a\n  for b = 1:b\n    zdotc: C[a,b] := A[a,:] conj(B[:,b])\n",
                "cblas_zdotc_sub(4, B + 5 * i_b, 1, A + i_a, 3, &dot)");
    assert_nest("C_ab=conj(A)_ai*conj(B)_ib", TCPLAN_COLUMN_MAJOR, "ab-zdotu",
                "for a = 1:a\n  for b = 1:b\n    zdotu: C[a,b] := conj(A[a,:]) conj(B[:,b])\n",
                " = conj(dot);");
}

static void an_axpy_conjugates_its_scalar(void **state) {
    (void)state;
    assert_nest("C_ab+=A_ai*conj(B)_ib", TCPLAN_COLUMN_MAJOR, "bi-zaxpy",
                "for b = 1:b\n  for i = 1:i\n    zaxpy: C[:,b] += A[:,i] conj(B[i,b])\n",
                "factor = conj(B[");
    assert_nest(
        "C_ab+=conj(A)_ai*B_ib", TCPLAN_COLUMN_MAJOR, "i'b-zaxpy",
        "for i = 1:i\n  A~[:] := conj(A[:,i])\n  for b = 1:b\n    zaxpy: C[:,b] += A~[:] B[i,b]\n",
        "COPY_Z_CONJUGATE");
}

static void an_element_wise_product_conjugates_both(void **state) {
    (void)state;
    assert_nest("C_ab=conj(A)_ab*conj(B)_ab", TCPLAN_COLUMN_MAJOR, "zmul",
                "zmul: C[:,:] := conj(A[:,:]) .* conj(B[:,:])\n", "mul_z_conjugated(12, ");
}

static void the_kernel_adds_to_the_conjugate_of_the_result(void **state) {
    (void)state;
    assert_nest("C_ab=A_ai*B_ib+(0,2)*conj(C)_ab", TCPLAN_COLUMN_MAJOR, "zgemm",
                "C[:,:] := (0,2) conj(C[:,:])\nzgemm_NN: C[:,:] += A[:,:] B[:,:]\n",
                " = (0.0 + 2.0 * _Complex_I) * conj(C[");
    assert_nest(
        "C_ab=A_ai*B_ib+conj(C)_ab", TCPLAN_COLUMN_MAJOR, "b'C-zgemv",
        "for b = 1:b\n  C[:,b] := conj(C[:,b])\n  zgemv_N: C~[:] := A[:,:] B[:,b]\n  C[:,b] += C~[:]\n",
        " = conj(C[");
    assert_nest("C_ab=0*A_ai*B_ib+conj(C)_ab", TCPLAN_COLUMN_MAJOR, "zgemm",
                "C[:,:] := conj(C[:,:])\nzgemm_NN: C[:,:] += 0 A[:,:] B[:,:]\n", " = conj(C[");
}

static void real_numbers_are_their_own_conjugates(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_contraction *contraction;
    random_contraction_given(&given, "C_ab=conj(A)_ia*B_ib+conj(C)_ab", "a=3,b=4,i=5",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    struct tcplan_nest *nest = nest_of(&given, "dgemm");
    char *c = NULL;
    assert_int_equal(tcplan_emit_c(&c, nest, &given.problem, NULL, NULL), TCPLAN_OK);
    assert_non_null(strstr(c, "(CblasColMajor, CblasTrans, CblasNoTrans, "));
    assert_null(strstr(c, "] = conj"));
    free(c);
    tcplan_nest_free(nest);
    contraction = given.contraction;
    tcplan_contraction_fit_type(contraction, TCPLAN_DOUBLE_COMPLEX);
    assert_true(contraction->tensor[TCPLAN_A].conjugated);
    tcplan_contraction_fit_type(contraction, TCPLAN_DOUBLE);
    assert_false(contraction->tensor[TCPLAN_A].conjugated ||
                 contraction->tensor[TCPLAN_C].conjugated);
    random_contraction_free(&given);
}

static void conjugation_makes_another_problem(void **state) {
    (void)state;
    static const char *const texts[] = {"C_ab=A_ai*B_ib+2*C_ab", "C_ab=conj(A)_ai*B_ib+2*C_ab",
                                        "C_ab=A_ai*conj(B)_ib+2*C_ab",
                                        "C_ab=A_ai*B_ib+2*conj(C)_ab"};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gemm_conjugates_transposed_factors),
        cmocka_unit_test(a_gemv_conjugates_a_transposed_matrix),
        cmocka_unit_test(a_ger_conjugates_its_second_vector),
        cmocka_unit_test(a_dot_conjugates_either_factor_or_both),
        cmocka_unit_test(an_axpy_conjugates_its_scalar),
        cmocka_unit_test(an_element_wise_product_conjugates_both),
        cmocka_unit_test(the_kernel_adds_to_the_conjugate_of_the_result),
        cmocka_unit_test(real_numbers_are_their_own_conjugates),
        cmocka_unit_test(conjugation_makes_another_problem)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
