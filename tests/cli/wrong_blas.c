/* A CBLAS whose dgemm is wrong for products with 27 rows, and whose ddot ignores the increment of
 * x, for wrong_blas.sh. All other functions are those of the system's BLAS. */
double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy) {
    double sum = 0;
    (void)incx;
    for (int e = 0; e < n; e++) sum += x[e] * y[(long)e * incy];
    return sum;
}

enum { NOT_TRANSPOSED = 111 }; /* CblasNoTrans */

void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

void cblas_dgemm(int order, int transposed_a, int transposed_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc) {
    const int across_a = transposed_a == NOT_TRANSPOSED ? lda : 1,
              along_a = transposed_a == NOT_TRANSPOSED ? 1 : lda;
    const int across_b = transposed_b == NOT_TRANSPOSED ? 1 : ldb,
              along_b = transposed_b == NOT_TRANSPOSED ? ldb : 1;
    (void)order;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m; i++) {
            double sum = m == 27 && i == 26 ? 1 : 0;
            for (int l = 0; l < k; l++)
                sum += a[i * along_a + l * across_a] * b[l * across_b + j * along_b];
            c[i + (long)j * ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[i + (long)j * ldc]);
        }
    }
}
