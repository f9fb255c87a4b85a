/**
 * Running blocked algorithms (tcplan/blocked.h) on matrices in memory: their calls, one behind the
 * other, through BLAS and LAPACK's unblocked routines; never through LAPACK's blocked ones, which
 * have algorithms and block sizes of their own.
 *
 * Matrices are an array of pointers by their numbers in tcplan_blocks.matrix, each to the first
 * element of a column-major matrix of tcplan_blocked_extents() rows and columns, with the leading
 * dimension of struct tcplan_blocked_sizes. Pivots are ints from 1 on, as LAPACK's. Temporaries are
 * the run's own: what stands for them in the array is not looked at.
 */
#ifndef TCPLAN_BLOCKED_RUN_H
#define TCPLAN_BLOCKED_RUN_H

#include "tcplan/blocked.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a run ended, as far as numbers decide that. */
enum tcplan_blocked_end {
    TCPLAN_BLOCKED_COMPUTED,
    TCPLAN_BLOCKED_INDEFINITE, /**< the leading minor of order `info` is not positive: there is no
                                  Cholesky factor. The run stopped there */
    TCPLAN_BLOCKED_SINGULAR,   /**< element (info, info) of the triangular matrix or factor is 0. A
                                  factorisation was computed to its end; others were not begun */
    TCPLAN_BLOCKED_CLOSE,      /**< A and -B have eigenvalues so close that X is beyond the range of
                                  numbers, or there is none. The run stopped there */
    TCPLAN_BLOCKED_FAILED,     /**< another routine told `info`. The run stopped there */
    TCPLAN_BLOCKED_ENDS
};

struct tcplan_blocked_outcome {
    enum tcplan_blocked_end end;
    int64_t info; /**< as the LAPACK routine of the whole operation returns it; 0: all is computed
                   */
    const char *routine; /**< that told so, `dpotf2`; NULL: none */
    int64_t calls;       /**< that were made */
    double seconds;      /**< that they took, with what lies between them; without what is prepared
                            before. Of one thread those in which it had its core */
    bool disturbed;      /**< a thread did not have its core all the time */
};

/** What an end means, in a few words: `not positive definite`. */
TCPLAN_API const char *tcplan_blocked_end_text(enum tcplan_blocked_end end);

/** Rows, columns and leading dimension of a matrix at some sizes; of temporaries what their largest
 * block needs. */
TCPLAN_API void tcplan_blocked_extents(const struct tcplan_blocked *blocked,
                                       const struct tcplan_blocked_sizes *sizes, int matrix,
                                       int64_t *rows, int64_t *columns, int64_t *leading);

/** Bytes of a matrix from its first to its last element, gaps included. */
TCPLAN_API int64_t tcplan_blocked_bytes(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes, int matrix);

/**
 * Runs an algorithm. The BLAS has as many threads as it was told; pinning them is the caller's.
 *
 * Triangular matrices of trsyl are triangular: below the diagonal of those of real types LAPACK
 * expects zeros (elsewhere what lies outside a triangle is neither read nor written).
 *
 * @param out       receives the outcome; valid where TCPLAN_OK is returned
 * @param provider  whose routines are called
 * @param matrix    TCPLAN_MAX_MATRICES pointers, see above
 * @return TCPLAN_OK, also if the matrix is singular or indefinite: `out` says so; as
 *         tcplan_blocked_check(); TCPLAN_INVALID if the provider lacks a routine; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_run(struct tcplan_blocked_outcome *out,
                                                 const struct tcplan_blocked *blocked,
                                                 const struct tcplan_blocked_sizes *sizes,
                                                 enum tcplan_provider provider,
                                                 void *const matrix[], struct tcplan_error *error);

/**
 * Fills matrices with random numbers that operations are well-conditioned on: off the diagonal
 * uniform in +-0.35 / sqrt(n), on it real and in [1, 2), so that a matrix is positive definite
 * where its triangle is read as a symmetric (Hermitian) one, has an inverse near itself where it is
 * read as a triangular one, and no eigenvalue of A is near one of -B. Of a general matrix that is
 * to be factored with pivots the rows are swapped at random, so that each pivot is known. Outside
 * of triangles there are zeros, vectors that are only written are zero.
 *
 * @param matrix  as of tcplan_blocked_run()
 * @param seed    the same seed, the same numbers
 */
TCPLAN_API void tcplan_blocked_fill(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes, void *const matrix[],
                                    uint64_t seed);

/** An algorithm's result beside LAPACK's. */
struct tcplan_blocked_verdict {
    struct tcplan_blocked_outcome outcome; /**< of the algorithm */
    int64_t lapack_info;                   /**< of LAPACK's routine for the whole operation */
    const char *lapack;                    /**< its name, `dpotrf` */
    double error;   /**< largest difference of two elements of a result, by the largest magnitude of
                       that result's elements */
    double allowed; /**< what rounding explains at these sizes: 8 (n + 8) units of it, n the larger
                       size */
    const char *worst;   /**< name of the matrix with that difference; NULL: there is none */
    const char *touched; /**< name of a matrix that was written where it must not be: inputs, gaps,
                            outside of triangles; NULL: none */
    bool passed; /**< no more than allowed, nothing touched, the same info, the same pivots */
};

/**
 * Runs an algorithm on random matrices, and LAPACK's routine on copies of them, and compares. What
 * must not be read - gaps, and what lies outside of triangles - holds numbers that would spoil the
 * result.
 *
 * @return TCPLAN_OK, also if results differ; as tcplan_blocked_run(); TCPLAN_INVALID if three
 *         copies of the matrices are more than the memory that is free; TCPLAN_NOT_APPLICABLE if
 *         the algorithm is a user's that names no routine for the whole operation
 */
TCPLAN_API enum tcplan_status tcplan_blocked_verify(struct tcplan_blocked_verdict *out,
                                                    const struct tcplan_blocked *blocked,
                                                    const struct tcplan_blocked_sizes *sizes,
                                                    uint64_t seed, struct tcplan_error *error);

/**
 * The same on matrices that have no result, to hold what is told of them against LAPACK: of a
 * Cholesky factorisation one element of the diagonal is -1, of a triangular inversion 0, of a
 * factorisation with pivots a column is 0; which one is drawn. Only info is compared, and what must
 * not be touched.
 *
 * @return as tcplan_blocked_verify(); TCPLAN_NOT_APPLICABLE also if every matrix has a result, or
 *         LAPACK does not look for those that have none
 */
TCPLAN_API enum tcplan_status tcplan_blocked_verify_info(struct tcplan_blocked_verdict *out,
                                                         const struct tcplan_blocked *blocked,
                                                         const struct tcplan_blocked_sizes *sizes,
                                                         uint64_t seed, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
