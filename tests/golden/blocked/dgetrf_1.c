/*
 * operation: getrf: P L U = A, with pivots
 * algorithm: getrf_1
 * type: double
 *
 * for m1 = 1:b:m, n1 = 1:b:n together
 *   dgetf2: [A11;A21] := getf2([A11;A21], p1)
 *   dlaswp: [A10;A20] := laswp([A10;A20], p1)
 *   dlaswp: [A12;A22] := laswp([A12;A22], p1)
 *   dtrsm_LLNU: A12 := L11^-1 A12
 *   dgemm_NN: A22 -= A21 A12
 *   dshift: p1 := shift(p1)
 *
 *   A: m x n, column-major, leading dimension ldA, read and written
 *   p: n integers, written
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
void dgetf2_(const int *m, const int *n, double *A, const int *ldA, int *ipiv, int *info);
void dlaswp_(const int *n, double *A, const int *ldA, const int *k1, const int *k2, const int *ipiv,
             const int *incipiv);

int getrf_1(int m, int n, double *A, int ldA, int *p, int b) {
    if (m < 0) return -1;
    if (n < 0) return -2;
    if (ldA < 1 || ldA < m) return -4;
    if (b < 1) return -6;
    int info = 0;
    int result = 0;
    for (int m0 = 0, m1, n0 = 0, n1; m0 < m && n0 < n; m0 += m1, n0 += n1) {
        m1 = m - m0 < b ? m - m0 : b;
        if (n - n0 < m1) m1 = n - n0;
        n1 = m1;
        const int m2 = m - m0 - m1;
        const int n2 = n - n0 - n1;
        double *const A1to2_1 = A + m0 + (ptrdiff_t)n0 * ldA;
        int *const p1 = p + n0;
        double *const A1to2_0 = A + m0;
        double *const A1to2_2 = A + m0 + (ptrdiff_t)(n0 + n1) * ldA;
        double *const A11 = A + m0 + (ptrdiff_t)n0 * ldA;
        double *const A12 = A + m0 + (ptrdiff_t)(n0 + n1) * ldA;
        double *const A21 = A + m0 + m1 + (ptrdiff_t)n0 * ldA;
        double *const A22 = A + m0 + m1 + (ptrdiff_t)(n0 + n1) * ldA;
        /* [A11;A21] := getf2([A11;A21], p1) */
        dgetf2_(&(int){m1 + m2}, &n1, A1to2_1, &ldA, p1, &info);
        if (info != 0 && result == 0) result = m0 + info;
        /* [A10;A20] := laswp([A10;A20], p1) */
        dlaswp_(&n0, A1to2_0, &ldA, &(int){1}, &n1, p1, &(int){1});
        /* [A12;A22] := laswp([A12;A22], p1) */
        dlaswp_(&n2, A1to2_2, &ldA, &(int){1}, &n1, p1, &(int){1});
        /* A12 := L11^-1 A12 */
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m1, n2, 1.0, A11, ldA, A12, ldA);
        /* A22 -= A21 A12 */
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m2, n2, n1, -1.0, A21, ldA, A12, ldA, 1.0, A22, ldA);
        /* p1 := shift(p1) */
        for (int i = 0; i < n1; i++) p1[i] += m0;
    }
    return result;
}
