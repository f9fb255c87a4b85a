/*
 * operation: trtri_LN: A := A^-1, A triangular
 * algorithm: trtri_LN5, bordered, upward
 * type: double
 *
 * for n1 = n:-b:1
 *   dtrmm_LLNN: A21 := A22 A21
 *   dtrsm_RLNN: A21 := -A21 A11^-1
 *   dtrti2_LN: A11 := trti2(A11)
 *
 *   A: n x n, column-major, leading dimension ldA, its lower triangle, read and written
 *   b: rows of a block, 1 or more
 *
 * Returns 0; -i if argument i is invalid; i if element (i,i) of the triangle or factor is 0.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <stddef.h>

#include <cblas.h>

/* LAPACK routines, with the lengths of character arguments after the other arguments. */
void dtrti2_(const char *uplo, const char *diag, const int *n, double *A, const int *ldA, int *info, size_t, size_t);

int trtri_LN5(int n, double *A, int ldA, int b) {
    if (n < 0) return -1;
    if (ldA < 1 || ldA < n) return -3;
    if (b < 1) return -4;
    int info = 0;
    for (int i = 0; i < n; i++) {
        if (A[i + (ptrdiff_t)i * ldA] == 0) return i + 1;
    }
    for (int n2 = 0, n1; n2 < n; n2 += n1) {
        n1 = (n - n2 - 1) % b + 1;
        const int n0 = n - n2 - n1;
        double *const A22 = A + n0 + n1 + (ptrdiff_t)(n0 + n1) * ldA;
        double *const A21 = A + n0 + n1 + (ptrdiff_t)n0 * ldA;
        double *const A11 = A + n0 + (ptrdiff_t)n0 * ldA;
        /* A21 := A22 A21 */
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n2, n1, 1.0, A22, ldA, A21, ldA);
        /* A21 := -A21 A11^-1 */
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, n2, n1, -1.0, A11, ldA, A21,
                    ldA);
        /* A11 := trti2(A11) */
        dtrti2_("L", "N", &n1, A11, &ldA, &info, 1, 1);
    }
    return 0;
}
