/*
 * operation: sytrd_L: Q^H A Q = T, A symmetric or Hermitian, T tridiagonal, with diagonal d and off-diagonal e; Q as reflectors
 * algorithm: sytrd_L
 * type: double _Complex
 *
 * for n1 = 1:b:n
 *   for n1' = 1:all:n12, n1' = 1:all:n1 together
 *     zlatrd_L: [A1'1',A1'2';A2'1',A2'2'] := latrd([A1'1',A1'2';A2'1',A2'2'], [e1';e2'], [tau1';tau2'], [W1'1';W2'1'])
 *     zher2k_LN: A2'2' -= A2'1' W2'1'^H + W2'1' A2'1'^H
 *     ztridi_L: [A1'1',A1'2';A2'1',A2'2'] := tridi([A1'1',A1'2';A2'1',A2'2'], d1', [e1';e2'])
 *
 *   A: n x n, column-major, leading dimension ldA, its lower triangle, read and written
 *   d: n real numbers, written
 *   e: n real numbers, written
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
void zlatrd_(const char *uplo, const int *n, const int *nb, double _Complex *A, const int *ldA, double *e,
             double _Complex *tau, double _Complex *W, const int *ldW, size_t);

int sytrd_L(int n, double _Complex *A, int ldA, double *d, double *e, double _Complex *tau, int b) {
    if (n < 0) return -1;
    if (ldA < 1 || ldA < n) return -3;
    if (b < 1) return -7;
    int result = 0;
    const int largest = n;
    if (b > largest) b = largest > 1 ? largest : 1;
    const int ldW = n > 1 ? n : 1;
    const int columnsW = b;
    double _Complex *const W = malloc((size_t)ldW * (size_t)columnsW * sizeof *W);
    if (!W) {
        result = -1010;
        goto end;
    }
    for (int n0 = 0, n1; n0 < n; n0 += n1) {
        n1 = n - n0 < b ? n - n0 : b;
        const int n2 = n - n0 - n1;
        if ((n1 + n2 < n1 ? n1 + n2 : n1) > 0) {
            const int n1to2_1 = n1 + n2 < n1 ? n1 + n2 : n1;
            const int n1to2_2 = n1 + n2 - n1to2_1;
            const int n1_1 = n1to2_1;
            double _Complex *const A1to2_1to2_1to2_1to2 = A + n0 + (ptrdiff_t)n0 * ldA;
            double *const e1to2_1to2 = e + n0;
            double _Complex *const tau1to2_1to2 = tau + n0;
            double _Complex *const A1to2_2_1to2_1 = A + n0 + n1to2_1 + (ptrdiff_t)n0 * ldA;
            double _Complex *const W1to2_2_1_1 = W + n1to2_1;
            double _Complex *const A1to2_2_1to2_2 = A + n0 + n1to2_1 + (ptrdiff_t)(n0 + n1to2_1) * ldA;
            double *const d1_1 = d + n0;
            /* [A1'1',A1'2';A2'1',A2'2'] := latrd([A1'1',A1'2';A2'1',A2'2'], [e1';e2'], [tau1';tau2'], [W1'1';W2'1']) */
            zlatrd_("L", &(int){n1to2_1 + n1to2_2}, &n1_1, A1to2_1to2_1to2_1to2, &ldA, e1to2_1to2, tau1to2_1to2, W,
                    &ldW, 1);
            /* A2'2' -= A2'1' W2'1'^H + W2'1' A2'1'^H */
            cblas_zher2k(CblasColMajor, CblasLower, CblasNoTrans, n1to2_2, n1to2_1, &(double _Complex){-1.0},
                         A1to2_2_1to2_1, ldA, W1to2_2_1_1, ldW, 1.0, A1to2_2_1to2_2, ldA);
            /* [A1'1',A1'2';A2'1',A2'2'] := tridi([A1'1',A1'2';A2'1',A2'2'], d1', [e1';e2']) */
            for (ptrdiff_t j = 0; j < n1_1; j++) {
                d1_1[j] = creal(A1to2_1to2_1to2_1to2[j + j * ldA]);
                if (j + 1 < n1to2_1 + n1to2_2) A1to2_1to2_1to2_1to2[j + 1 + j * ldA] = e1to2_1to2[j];
            }
        }
    }
end:
    free(W);
    return result;
}
