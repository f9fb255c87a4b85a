/*
 * operation: getrf: P L U = A, with pivots
 * algorithm: getrf_r, recursive
 * type: double
 *
 * for m1 = 1:all:m, n1 = 1:all:n together
 *   halve m12, n1 together > b
 *     [A1'1';A2'1'] := again([A1'1';A2'1'], p1')
 *     dlaswp: [A1'2';A2'2'] := laswp([A1'2';A2'2'], p1')
 *     dtrsm_LLNU: A1'2' := L1'1'^-1 A1'2'
 *     dgemm_NN: A2'2' -= A2'1' A1'2'
 *     A2'2' := again(A2'2', p2')
 *     dlaswp: A2'1' := laswp(A2'1', p2')
 *     dshift: p2' := shift(p2')
 *   else
 *     dgetf2: [A11;A21] := getf2([A11;A21], p1)
 *   dlaswp: A12 := laswp(A12, p1)
 *   dtrsm_LLNU: A12 := L11^-1 A12
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
void dlaswp_(const int *n, double *A, const int *ldA, const int *k1, const int *k2, const int *ipiv,
             const int *incipiv);
void dgetf2_(const int *m, const int *n, double *A, const int *ldA, int *ipiv, int *info);

/* Recursion for m1to2 rows, from row m1to2_at on, and n1 columns, from column n1_at on. */
static int getrf_r_half(int m1to2_at, int m1to2, int n1_at, int n1, double *A, int ldA, int *p, int b) {
    int info = 0;
    int result = 0;
    if (m1to2 <= b || n1 <= b) {
        double *const A1to2_1 = A + m1to2_at + (ptrdiff_t)n1_at * ldA;
        int *const p1 = p + n1_at;
        /* [A11;A21] := getf2([A11;A21], p1) */
        dgetf2_(&m1to2, &n1, A1to2_1, &ldA, p1, &info);
        if (info != 0 && result == 0) result = m1to2_at + info;
        return result;
    }
    const int least = m1to2 < n1 ? m1to2 : n1;
    const int m1to2_1 = least < 16 ? least / 2 : (least + 8) / 16 * 8;
    const int m1to2_2 = m1to2 - m1to2_1;
    const int n1_1 = m1to2_1;
    const int n1_2 = n1 - n1_1;
    double *const A1to2_1to2_1_2 = A + m1to2_at + (ptrdiff_t)(n1_at + n1_1) * ldA;
    int *const p1_1 = p + n1_at;
    double *const A1to2_1_1_1 = A + m1to2_at + (ptrdiff_t)n1_at * ldA;
    double *const A1to2_1_1_2 = A + m1to2_at + (ptrdiff_t)(n1_at + n1_1) * ldA;
    double *const A1to2_2_1_1 = A + m1to2_at + m1to2_1 + (ptrdiff_t)n1_at * ldA;
    double *const A1to2_2_1_2 = A + m1to2_at + m1to2_1 + (ptrdiff_t)(n1_at + n1_1) * ldA;
    int *const p1_2 = p + n1_at + n1_1;
    /* [A1'1';A2'1'] := again([A1'1';A2'1'], p1') */
    {
        const int told = getrf_r_half(m1to2_at, m1to2_1 + m1to2_2, n1_at, n1_1, A, ldA, p, b);
        if (result == 0) result = told;
    }
    /* [A1'2';A2'2'] := laswp([A1'2';A2'2'], p1') */
    dlaswp_(&n1_2, A1to2_1to2_1_2, &ldA, &(int){1}, &n1_1, p1_1, &(int){1});
    /* A1'2' := L1'1'^-1 A1'2' */
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m1to2_1, n1_2, 1.0, A1to2_1_1_1, ldA,
                A1to2_1_1_2, ldA);
    /* A2'2' -= A2'1' A1'2' */
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m1to2_2, n1_2, n1_1, -1.0, A1to2_2_1_1, ldA, A1to2_1_1_2,
                ldA, 1.0, A1to2_2_1_2, ldA);
    /* A2'2' := again(A2'2', p2') */
    {
        const int told = getrf_r_half(m1to2_at + m1to2_1, m1to2_2, n1_at + n1_1, n1_2, A, ldA, p, b);
        if (result == 0) result = told;
    }
    /* A2'1' := laswp(A2'1', p2') */
    dlaswp_(&n1_1, A1to2_2_1_1, &ldA, &(int){1}, &n1_2, p1_2, &(int){1});
    /* p2' := shift(p2') */
    for (int i = 0; i < n1_2; i++) p1_2[i] += n1_1;
    return result;
}

int getrf_r(int m, int n, double *A, int ldA, int *p, int b) {
    if (m < 0) return -1;
    if (n < 0) return -2;
    if (ldA < 1 || ldA < m) return -4;
    if (b < 1) return -6;
    int result = 0;
    if ((m < n ? m : n) > 0) {
        const int m1 = m < n ? m : n;
        const int m2 = m - m1;
        const int n1 = m1;
        const int n2 = n - n1;
        double *const A12 = A + (ptrdiff_t)n1 * ldA;
        {
            const int told = getrf_r_half(0, m1 + m2, 0, n1, A, ldA, p, b);
            if (result == 0) result = told;
        }
        /* A12 := laswp(A12, p1) */
        dlaswp_(&n2, A12, &ldA, &(int){1}, &m1, p, &(int){1});
        /* A12 := L11^-1 A12 */
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, m1, n2, 1.0, A, ldA, A12, ldA);
    }
    return result;
}
