/*
 * operation: trsyl: A X + X B = C, A and B upper triangular, X overwrites C
 * algorithm: trsyl_7m1m2
 * type: float
 *
 * for m1 = m:-b:1, n1 = 1:b:n
 *   for m1' = m2:-b:1
 *     sgemm_NN: C1'1 -= A1'2' C2'1
 *     strsyl_NN1: C1'1 := trsyl(A1'1', B11, C1'1)
 *   sgemm_NN: C11 -= A12 C21
 *   sgemm_NN: C11 -= C10 B01
 *   strsyl_NN1: C11 := trsyl(A11, B11, C11)
 *   sgemm_NN: C01 -= A01 C11
 *   sgemm_NN: C01 -= A02 C21
 *   sgemm_NN: C01 -= C00 B01
 *   for m1' = m0:-b:1
 *     strsyl_NN1: C1'1 := trsyl(A1'1', B11, C1'1)
 *     sgemm_NN: C0'1 -= A0'1' C1'1
 *   sgemm_NN: C12 -= C10 B02
 *   sgemm_NN: C12 -= C11 B12
 *   sgemm_NN: C22 -= C21 B12
 *
 *   A: m x m, column-major, leading dimension ldA, its upper triangle, zeros in the other triangle, read
 *   B: n x n, column-major, leading dimension ldB, its upper triangle, zeros in the other triangle, read
 *   C: m x n, column-major, leading dimension ldC, read and written
 *   b: rows of a block, 1 or more
 *
 * Returns 0; -i if argument i is invalid; 1 if eigenvalues of A and -B are too close: the function stops there.
 *
 * Emitted by tcplan @VERSION@.
 * link: -lopenblas
 */
#include <stddef.h>

#include <cblas.h>

/* LAPACK routines, with the lengths of character arguments after the other arguments. */
void strsyl_(const char *transA, const char *transB, const int *isgn, const int *m, const int *n, const float *A,
             const int *ldA, const float *B, const int *ldB, float *C, const int *ldC, float *scale, int *info,
             size_t, size_t);

int trsyl_7m1m2(int m, int n, const float *A, int ldA, const float *B, int ldB, float *C, int ldC, int b) {
    if (m < 0) return -1;
    if (n < 0) return -2;
    if (ldA < 1 || ldA < m) return -4;
    if (ldB < 1 || ldB < n) return -6;
    if (ldC < 1 || ldC < m) return -8;
    if (b < 1) return -9;
    int info = 0;
    float scale = 1;
    for (int m2 = 0, m1, n0 = 0, n1; m2 < m || n0 < n; m2 += m1, n0 += n1) {
        m1 = m2 < m ? (m - m2 - 1) % b + 1 : 0;
        n1 = n - n0 < b ? n - n0 : b;
        const int m0 = m - m2 - m1;
        const int n2 = n - n0 - n1;
        const float *const B11 = B + n0 + (ptrdiff_t)n0 * ldB;
        const float *const A12 = A + m0 + (ptrdiff_t)(m0 + m1) * ldA;
        float *const C21 = C + m0 + m1 + (ptrdiff_t)n0 * ldC;
        float *const C11 = C + m0 + (ptrdiff_t)n0 * ldC;
        float *const C10 = C + m0;
        const float *const B01 = B + (ptrdiff_t)n0 * ldB;
        const float *const A11 = A + m0 + (ptrdiff_t)m0 * ldA;
        const float *const A01 = A + (ptrdiff_t)m0 * ldA;
        float *const C01 = C + (ptrdiff_t)n0 * ldC;
        const float *const A02 = A + (ptrdiff_t)(m0 + m1) * ldA;
        const float *const B02 = B + (ptrdiff_t)(n0 + n1) * ldB;
        float *const C12 = C + m0 + (ptrdiff_t)(n0 + n1) * ldC;
        const float *const B12 = B + n0 + (ptrdiff_t)(n0 + n1) * ldB;
        float *const C22 = C + m0 + m1 + (ptrdiff_t)(n0 + n1) * ldC;
        for (int m2_2 = 0, m2_1; m2_2 < m2; m2_2 += m2_1) {
            m2_1 = (m2 - m2_2 - 1) % b + 1;
            const int m2_0 = m2 - m2_2 - m2_1;
            const float *const A2_1_2_2 = A + m0 + m1 + m2_0 + (ptrdiff_t)(m0 + m1 + m2_0 + m2_1) * ldA;
            float *const C2_2_1 = C + m0 + m1 + m2_0 + m2_1 + (ptrdiff_t)n0 * ldC;
            float *const C2_1_1 = C + m0 + m1 + m2_0 + (ptrdiff_t)n0 * ldC;
            const float *const A2_1_2_1 = A + m0 + m1 + m2_0 + (ptrdiff_t)(m0 + m1 + m2_0) * ldA;
            /* C1'1 -= A1'2' C2'1 */
            cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m2_1, n1, m2_2, -1.0f, A2_1_2_2, ldA, C2_2_1, ldC,
                        1.0f, C2_1_1, ldC);
            /* C1'1 := trsyl(A1'1', B11, C1'1) */
            strsyl_("N", "N", &(int){1}, &m2_1, &n1, A2_1_2_1, &ldA, B11, &ldB, C2_1_1, &ldC, &scale, &info, 1, 1);
            if (info != 0 || scale != 1) return 1;
        }
        /* C11 -= A12 C21 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m1, n1, m2, -1.0f, A12, ldA, C21, ldC, 1.0f, C11, ldC);
        /* C11 -= C10 B01 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m1, n1, n0, -1.0f, C10, ldC, B01, ldB, 1.0f, C11, ldC);
        /* C11 := trsyl(A11, B11, C11) */
        strsyl_("N", "N", &(int){1}, &m1, &n1, A11, &ldA, B11, &ldB, C11, &ldC, &scale, &info, 1, 1);
        if (info != 0 || scale != 1) return 1;
        /* C01 -= A01 C11 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m0, n1, m1, -1.0f, A01, ldA, C11, ldC, 1.0f, C01, ldC);
        /* C01 -= A02 C21 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m0, n1, m2, -1.0f, A02, ldA, C21, ldC, 1.0f, C01, ldC);
        /* C01 -= C00 B01 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m0, n1, n0, -1.0f, C, ldC, B01, ldB, 1.0f, C01, ldC);
        for (int m0_2 = 0, m0_1; m0_2 < m0; m0_2 += m0_1) {
            m0_1 = (m0 - m0_2 - 1) % b + 1;
            const int m0_0 = m0 - m0_2 - m0_1;
            const float *const A0_1_0_1 = A + m0_0 + (ptrdiff_t)m0_0 * ldA;
            float *const C0_1_1 = C + m0_0 + (ptrdiff_t)n0 * ldC;
            const float *const A0_0_0_1 = A + (ptrdiff_t)m0_0 * ldA;
            float *const C0_0_1 = C + (ptrdiff_t)n0 * ldC;
            /* C1'1 := trsyl(A1'1', B11, C1'1) */
            strsyl_("N", "N", &(int){1}, &m0_1, &n1, A0_1_0_1, &ldA, B11, &ldB, C0_1_1, &ldC, &scale, &info, 1, 1);
            if (info != 0 || scale != 1) return 1;
            /* C0'1 -= A0'1' C1'1 */
            cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m0_0, n1, m0_1, -1.0f, A0_0_0_1, ldA, C0_1_1, ldC,
                        1.0f, C0_0_1, ldC);
        }
        /* C12 -= C10 B02 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m1, n2, n0, -1.0f, C10, ldC, B02, ldB, 1.0f, C12, ldC);
        /* C12 -= C11 B12 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m1, n2, n1, -1.0f, C11, ldC, B12, ldB, 1.0f, C12, ldC);
        /* C22 -= C21 B12 */
        cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m2, n2, n1, -1.0f, C21, ldC, B12, ldB, 1.0f, C22, ldC);
    }
    return 0;
}
