/* One contender of bench/blocks: one cblas_dgemm for each pair of blocks. */
#include <stdint.h>

enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111 };

void cblas_dgemm(int order, int transpose_a, int transpose_b, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc);

/** A pair: block c += block a of A times block b of B; the first pair of a block c assigns (`adds`
 * is false). */
struct pair {
    int32_t a, b, c, m, n, k, adds;
};

void multiply(int64_t count, const struct pair pair[], const double *const A[],
              const double *const B[], double *const C[]) {
    for (int64_t p = 0; p < count; p++) {
        const struct pair *at = &pair[p];
        cblas_dgemm(ROW_MAJOR, NO_TRANSPOSE, NO_TRANSPOSE, at->m, at->n, at->k, 1, A[at->a], at->k,
                    B[at->b], at->n, at->adds ? 1 : 0, C[at->c], at->n);
    }
}
