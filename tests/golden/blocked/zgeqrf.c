/*
 * operation: geqrf: Q R = A, Q as reflectors
 * algorithm: geqrf
 * type: double _Complex
 *
 * for m1 = 1:b:m, n1 = 1:b:n together
 *   zgeqr2: [A11;A21] := geqr2([A11;A21], tau1)
 *   zlarft_FC: T11 := larft([A11;A21], tau1, T11) where n2
 *   for n1' = 1:n1, m1' = 1:m1 together
 *     zcopy: W21' := A1'2^T
 *     zlacgv: W21' := lacgv(W21')
 *   ztrmm_RLNU: W21 := W21 V11
 *   zgemm_CN: W21 += A22^H A21
 *   ztrmm_RUNN: W21 := W21 T11
 *   zgemm_NC: A22 -= A21 W21^H
 *   ztrmm_RLCU: W21 := W21 V11^H
 *   zaddop_C: A12 -= W21^H
 *
 *   A: m x n, column-major, leading dimension ldA, read and written
 *   tau: n, written
 *   b: rows of a block, 1 or more
 *
 * Returns 0; -i if argument i is invalid; -1010 without memory.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <complex.h>
#include <stddef.h>
#include <stdlib.h>

#include <cblas.h>

/* LAPACK routines, with the lengths of character arguments after the other arguments. */
void zgeqr2_(const int *m, const int *n, double _Complex *A, const int *ldA, double _Complex *tau,
             double _Complex *work, int *info);
void zlarft_(const char *direct, const char *storev, const int *n, const int *k, const double _Complex *V,
             const int *ldV, const double _Complex *tau, double _Complex *T, const int *ldT, size_t, size_t);
void zlacgv_(const int *n, double _Complex *x, const int *incx);

#ifndef HAS_zadd_adjoint /* emitted files may be concatenated */
#define HAS_zadd_adjoint
/* B := B + alpha A^H. */
static void zadd_adjoint(int m, int n, double _Complex alpha, const double _Complex *A, int ldA, double _Complex *B, int ldB) {
    for (ptrdiff_t j = 0; j < n; j++) {
        for (ptrdiff_t i = 0; i < m; i++) B[i + j * ldB] += alpha * conj(A[j + i * ldA]);
    }
}
#endif

int geqrf(int m, int n, double _Complex *A, int ldA, double _Complex *tau, int b) {
    if (m < 0) return -1;
    if (n < 0) return -2;
    if (ldA < 1 || ldA < m) return -4;
    if (b < 1) return -6;
    int info = 0;
    int result = 0;
    const int largest = m > n ? m : n;
    if (b > largest) b = largest > 1 ? largest : 1;
    const int ldT = b;
    const int columnsT = b;
    double _Complex *const T = malloc((size_t)ldT * (size_t)columnsT * sizeof *T);
    const int ldW = n > 1 ? n : 1;
    const int columnsW = b;
    double _Complex *const W = malloc((size_t)ldW * (size_t)columnsW * sizeof *W);
    double _Complex *const work = malloc((1 + (size_t)b) * sizeof *work);
    if (!T || !W || !work) {
        result = -1010;
        goto end;
    }
    for (int m0 = 0, m1, n0 = 0, n1; m0 < m && n0 < n; m0 += m1, n0 += n1) {
        m1 = m - m0 < b ? m - m0 : b;
        if (n - n0 < m1) m1 = n - n0;
        n1 = m1;
        const int m2 = m - m0 - m1;
        const int n2 = n - n0 - n1;
        double _Complex *const A1to2_1 = A + m0 + (ptrdiff_t)n0 * ldA;
        double _Complex *const tau1 = tau + n0;
        double _Complex *const A11 = A + m0 + (ptrdiff_t)n0 * ldA;
        double _Complex *const A22 = A + m0 + m1 + (ptrdiff_t)(n0 + n1) * ldA;
        double _Complex *const A21 = A + m0 + m1 + (ptrdiff_t)n0 * ldA;
        double _Complex *const A12 = A + m0 + (ptrdiff_t)(n0 + n1) * ldA;
        /* [A11;A21] := geqr2([A11;A21], tau1) */
        zgeqr2_(&(int){m1 + m2}, &n1, A1to2_1, &ldA, tau1, work, &info);
        /* T11 := larft([A11;A21], tau1, T11) */
        if (n2 > 0) {
            zlarft_("F", "C", &(int){m1 + m2}, &n1, A1to2_1, &ldA, tau1, T, &ldT, 1, 1);
        }
        for (int n1_0 = 0, m1_0 = 0; n1_0 < n1 && m1_0 < m1; n1_0++, m1_0++) {
            double _Complex *const A1_1_2 = A + m0 + m1_0 + (ptrdiff_t)(n0 + n1) * ldA;
            double _Complex *const W2_1_1 = W + (ptrdiff_t)n1_0 * ldW;
            /* W21' := A1'2^T */
            cblas_zcopy(n2, A1_1_2, ldA, W2_1_1, 1);
            /* W21' := lacgv(W21') */
            zlacgv_(&n2, W2_1_1, &(int){1});
        }
        /* W21 := W21 V11 */
        cblas_ztrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasUnit, n2, m1, &(double _Complex){1.0},
                    A11, ldA, W, ldW);
        /* W21 += A22^H A21 */
        cblas_zgemm(CblasColMajor, CblasConjTrans, CblasNoTrans, n2, n1, m2, &(double _Complex){1.0}, A22, ldA, A21,
                    ldA, &(double _Complex){1.0}, W, ldW);
        /* W21 := W21 T11 */
        cblas_ztrmm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n2, n1,
                    &(double _Complex){1.0}, T, ldT, W, ldW);
        /* A22 -= A21 W21^H */
        cblas_zgemm(CblasColMajor, CblasNoTrans, CblasConjTrans, m2, n2, n1, &(double _Complex){-1.0}, A21, ldA, W,
                    ldW, &(double _Complex){1.0}, A22, ldA);
        /* W21 := W21 V11^H */
        cblas_ztrmm(CblasColMajor, CblasRight, CblasLower, CblasConjTrans, CblasUnit, n2, m1, &(double _Complex){1.0},
                    A11, ldA, W, ldW);
        /* A12 -= W21^H */
        zadd_adjoint(n1, n2, -1.0, W, ldW, A12, ldA);
    }
end:
    free(T);
    free(W);
    free(work);
    return result;
}
