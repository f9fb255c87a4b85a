#include "routines/sampler/kernels/loops.h"

#include <complex.h>

/** Returns the end of the block that starts at `from`, at most `size`. */
static int64_t block_end(int64_t from, int64_t block, int64_t size) {
    return size - from < block ? size : from + block;
}

/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
/** Defines the routines of one type. `add` adds alpha times the product of one block of A and one
 * of B to a block of C; both routines call it for all blocks. */
#define LOOPS(letter, type)                                                                        \
    static void letter##scale(int64_t m, int64_t n, type beta, type *c, int64_t ldc) {             \
        for (int64_t j = 0; j < n; j++) {                                                          \
            for (int64_t i = 0; i < m; i++)                                                        \
                c[i + j * ldc] = beta == 0 ? 0 : beta * c[i + j * ldc];                            \
        }                                                                                          \
    }                                                                                              \
    static void letter##add(const int64_t size[3], type alpha, const type *a, int64_t lda,         \
                            const type *b, int64_t ldb, type *c, int64_t ldc) {                    \
        for (int64_t i = 0; i < size[0]; i++) {                                                    \
            for (int64_t j = 0; j < size[1]; j++) {                                                \
                type sum = 0;                                                                      \
                for (int64_t p = 0; p < size[2]; p++) sum += a[i + p * lda] * b[p + j * ldb];      \
                c[i + j * ldc] += alpha * sum;                                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void letter##loops6(const int *m, const int *n, const int *k, const int *nb,            \
                               const type *alpha, const type *a, const int *lda, const type *b,    \
                               const int *ldb, const type *beta, type *c, const int *ldc) {        \
        letter##scale(*m, *n, *beta, c, *ldc);                                                     \
        for (int64_t i = 0; i < *m; i += *nb) {                                                    \
            for (int64_t j = 0; j < *n; j += *nb) {                                                \
                for (int64_t p = 0; p < *k; p += *nb) {                                            \
                    const int64_t size[3] = {block_end(i, *nb, *m) - i, block_end(j, *nb, *n) - j, \
                                             block_end(p, *nb, *k) - p};                           \
                    letter##add(size, *alpha, a + i + p * *lda, *lda, b + p + j * *ldb, *ldb,      \
                                c + i + j * *ldc, *ldc);                                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void letter##loops3(const int *m, const int *n, const int *k, const type *alpha,        \
                               const type *a, const int *lda, const type *b, const int *ldb,       \
                               const type *beta, type *c, const int *ldc) {                        \
        const int64_t size[3] = {*m, *n, *k};                                                      \
        letter##scale(*m, *n, *beta, c, *ldc);                                                     \
        letter##add(size, *alpha, a, *lda, b, *ldb, c, *ldc);                                      \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

LOOPS(s, float)          /* NOLINT(readability-function-size) */
LOOPS(d, double)         /* NOLINT(readability-function-size) */
LOOPS(c, float complex)  /* NOLINT(readability-function-size) */
LOOPS(z, double complex) /* NOLINT(readability-function-size) */

routine_fn *const loops_three[TCPLAN_DTYPES] = {(routine_fn *)sloops3, (routine_fn *)dloops3,
                                                (routine_fn *)cloops3, (routine_fn *)zloops3};
routine_fn *const loops_six[TCPLAN_DTYPES] = {(routine_fn *)sloops6, (routine_fn *)dloops6,
                                              (routine_fn *)cloops6, (routine_fn *)zloops6};
