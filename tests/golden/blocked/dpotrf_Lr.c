/*
 * operation: potrf_L: A = L L^H, A positive definite; if upper, U^H U
 * algorithm: potrf_Lr, recursive
 * type: double
 *
 * halve n > b
 *   A11 := again(A11)
 *   dtrsm_RLTN: A21 := A21 L11^-T
 *   dsyrk_LN: A22 -= A21 A21^T
 *   A22 := again(A22)
 * else
 *   dpotf2_L: A := potf2(A)
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

int potrf_Lr(int n, double *A, int ldA, int b) {
    if (n < 0) return -1;
    if (ldA < 1 || ldA < n) return -3;
    if (b < 1) return -4;
    int info = 0;
    if (n <= b) {
        /* A := potf2(A) */
        dpotf2_("L", &n, A, &ldA, &info, 1);
        if (info != 0) return info;
        return 0;
    }
    const int n1 = n < 16 ? n / 2 : (n + 8) / 16 * 8, n2 = n - n1;
    int result;
    double *const A21 = A + n1;
    double *const A22 = A + n1 + (ptrdiff_t)n1 * ldA;
    /* A11 := again(A11) */
    result = potrf_Lr(n1, A, ldA, b);
    if (result != 0) return result;
    /* A21 := A21 L11^-T */
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n2, n1, 1.0, A, ldA, A21, ldA);
    /* A22 -= A21 A21^T */
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n2, n1, -1.0, A21, ldA, 1.0, A22, ldA);
    /* A22 := again(A22) */
    result = potrf_Lr(n2, A22, ldA, b);
    if (result != 0) return n1 + result;
    return 0;
}
