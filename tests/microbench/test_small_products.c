/*
 * Tests the check of a BLAS by small products: a correct library passes, and errors at particular
 * extents, storage orders, alpha or beta are detected.
 */
#include "microbench/providers/small_products.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct cblas_routines right;

/** Opens the linked BLAS by its file, to copy its table of routines. */
static int open_right(void **state) {
    Dl_info info;
    void *address;
    __typeof__(cblas_dgemm) *const routine = cblas_dgemm;
    struct tcplan_error error;
    memcpy(&address, &routine, sizeof address);
    assert_int_not_equal(dladdr(address, &info), 0);
    if (cblas_open(state, &right, info.dli_fname, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return 0;
}

static int close_right(void **state) {
    return dlclose(*state);
}

static void routines_of_the_linked_blas_are_right(void **state) {
    static const enum tcplan_kernel kernels[] = {TCPLAN_DOT, TCPLAN_AXPY, TCPLAN_GEMV, TCPLAN_GER,
                                                 TCPLAN_GEMM};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int dtype = 0; dtype < TCPLAN_DTYPES; dtype++) {
            if (!small_products_are_right(&right, TCPLAN_PROVIDER_FILE_1, kernels[k],
                                          (enum tcplan_dtype)dtype))
                fail_msg("%c%s is wrong", tcplan_dtype_letter((enum tcplan_dtype)dtype),
                         tcplan_kernel_name(kernels[k], (enum tcplan_dtype)dtype));
        }
    }
}

static int wrongs; /* number of wrong results so far */

static void gemm_of_27_rows(CBLAS_ORDER order, CBLAS_TRANSPOSE transposed_a,
                            CBLAS_TRANSPOSE transposed_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta,
                            double *c, int ldc) {
    right.dgemm(order, transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (m == 27 && ++wrongs) c[26] += 1;
}

static void gemm_that_pads(CBLAS_ORDER order, CBLAS_TRANSPOSE transposed_a,
                           CBLAS_TRANSPOSE transposed_b, int m, int n, int k, double alpha,
                           const double *a, int lda, const double *b, int ldb, double beta,
                           double *c, int ldc) {
    right.dgemm(order, transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (++wrongs) c[m] = 0; /* error: also writes the element after the first column */
}

static void gemm_that_reads(CBLAS_ORDER order, CBLAS_TRANSPOSE transposed_a,
                            CBLAS_TRANSPOSE transposed_b, int m, int n, int k, double alpha,
                            const double *a, int lda, const double *b, int ldb, double beta,
                            double *c, int ldc) {
    if (beta == 0) c[0] *= beta; /* error: with beta = 0, NaNs in C remain */
    const double first = c[0];
    right.dgemm(order, transposed_a, transposed_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (beta == 0 && ++wrongs) c[0] += first;
}

static void gemm_without_conjugates(CBLAS_ORDER order, CBLAS_TRANSPOSE transposed_a,
                                    CBLAS_TRANSPOSE transposed_b, int m, int n, int k,
                                    const void *alpha, const void *a, int lda, const void *b,
                                    int ldb, const void *beta, void *c, int ldc) {
    wrongs += transposed_b == CblasConjTrans;
    right.zgemm(order, transposed_a, transposed_b == CblasConjTrans ? CblasTrans : transposed_b, m,
                n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

static float dot_without_increments(int n, const float *x, int incx, const float *y, int incy) {
    wrongs += incy != 1;
    return right.sdot(n, x, incx, y, 1);
}

static void ger_that_overwrites(CBLAS_ORDER order, int m, int n, double alpha, const double *x,
                                int incx, const double *y, int incy, double *a, int lda) {
    wrongs++;
    for (int j = 0; j < n; j++) memset(a + (ptrdiff_t)j * lda, 0, (size_t)m * sizeof *a);
    right.dger(order, m, n, alpha, x, incx, y, incy, a, lda);
}

static void assert_found(const struct cblas_routines *routines, enum tcplan_kernel kernel,
                         enum tcplan_dtype dtype) {
    wrongs = 0;
    assert_false(small_products_are_right(routines, TCPLAN_PROVIDER_FILE_1, kernel, dtype));
    assert_true(wrongs > 0);
}

static void a_wrong_routine_is_found(void **state) {
    (void)state;
    struct cblas_routines wrong = right;
    wrong.dgemm = gemm_of_27_rows;
    assert_found(&wrong, TCPLAN_GEMM, TCPLAN_DOUBLE);
    assert_found(&wrong, TCPLAN_BRGEMM, TCPLAN_DOUBLE);
    assert_true(
        small_products_are_right(&wrong, TCPLAN_PROVIDER_FILE_1, TCPLAN_GEMM, TCPLAN_FLOAT));
    wrong.dgemm = gemm_that_pads;
    assert_found(&wrong, TCPLAN_GEMM, TCPLAN_DOUBLE);
    wrong.dgemm = gemm_that_reads;
    assert_found(&wrong, TCPLAN_GEMM, TCPLAN_DOUBLE);
    wrong.zgemm = gemm_without_conjugates;
    assert_found(&wrong, TCPLAN_GEMM, TCPLAN_DOUBLE_COMPLEX);
    wrong.sdot = dot_without_increments;
    assert_found(&wrong, TCPLAN_DOT, TCPLAN_FLOAT);
    wrong.dger = ger_that_overwrites;
    assert_found(&wrong, TCPLAN_GER, TCPLAN_DOUBLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(routines_of_the_linked_blas_are_right),
                                       cmocka_unit_test(a_wrong_routine_is_found)};
    return cmocka_run_group_tests(tests, open_right, close_right);
}
