/*
 * operation: potrf_L: A = L L^H, A positive definite; if upper, U^H U
 * algorithm: potrf_L3, right-looking
 * type: double
 *
 * for n1 = 1:b:n
 *   dpotf2_L: A11 := potf2(A11)
 *   dtrsm_RLTN: A21 := A21 L11^-T
 *   dsyrk_LN: A22 -= A21 A21^T
 *
 *   A: n x n, column-major, leading dimension ldA, its lower triangle, read and written
 *   b: rows of a block, 1 or more
 *
 * Returns 0; -i if argument i is invalid; i if the leading minor of order i is not positive: the function stops there.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <stddef.h>

#include <cblas.h>

/* LAPACK routines, with the lengths of character arguments after the other arguments. */
void dpotf2_(const char *uplo, const int *n, double *A, const int *ldA, int *info, size_t);

int potrf_L3(int n, double *A, int ldA, int b) {
    if (n < 0) return -1;
    if (ldA < 1 || ldA < n) return -3;
    if (b < 1) return -4;
    int info = 0;
    for (int n0 = 0, n1; n0 < n; n0 += n1) {
        n1 = n - n0 < b ? n - n0 : b;
        const int n2 = n - n0 - n1;
        double *const A11 = A + n0 + (ptrdiff_t)n0 * ldA;
        double *const A21 = A + n0 + n1 + (ptrdiff_t)n0 * ldA;
        double *const A22 = A + n0 + n1 + (ptrdiff_t)(n0 + n1) * ldA;
        /* A11 := potf2(A11) */
        dpotf2_("L", &n1, A11, &ldA, &info, 1);
        if (info != 0) return n0 + info;
        /* A21 := A21 L11^-T */
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n2, n1, 1.0, A11, ldA, A21, ldA);
        /* A22 -= A21 A21^T */
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n2, n1, -1.0, A21, ldA, 1.0, A22, ldA);
    }
    return 0;
}
