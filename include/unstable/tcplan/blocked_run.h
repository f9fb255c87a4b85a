/**
 * Runs blocked algorithms (tcplan/blocked.h) on matrices in memory. The calls run in order, and use
 * the BLAS and LAPACK's unblocked routines. LAPACK's blocked routines are never called, because
 * they choose algorithms and block sizes themselves.
 *
 * The caller passes an array of pointers, indexed by the numbers of matrices in
 * tcplan_blocks.matrix. Each points to the first element of a column-major matrix with the rows,
 * columns and leading dimension of tcplan_blocked_extents(). Pivots are ints that count from 1, as
 * in LAPACK. The run allocates its own temporaries and ignores their pointers in the array.
 */
#ifndef TCPLAN_BLOCKED_RUN_H
#define TCPLAN_BLOCKED_RUN_H

#include "tcplan/blocked.h"
#include "tcplan/provider.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a run ended numerically. */
enum tcplan_blocked_end {
    TCPLAN_BLOCKED_COMPUTED,
    TCPLAN_BLOCKED_INDEFINITE, /**< the leading minor of order `info` is not positive: there is no
                                  Cholesky factor. The run stopped there */
    TCPLAN_BLOCKED_SINGULAR,   /**< element (info, info) of the triangular matrix or factor is 0.
                                  A factorisation is complete all the same; any other operation was
                                  not started */
    TCPLAN_BLOCKED_CLOSE,  /**< eigenvalues of A and -B are equal or so close that X may overflow.
                              The run stopped there */
    TCPLAN_BLOCKED_FAILED, /**< another routine returned `info`. The run stopped there */
    TCPLAN_BLOCKED_ENDS
};

struct tcplan_blocked_outcome {
    enum tcplan_blocked_end end;
    int64_t info; /**< the info that the LAPACK routine of the whole operation would return; 0:
                     success */
    const char *routine; /**< the routine that reported `info`, such as `dpotf2`; NULL: none did */
    int64_t calls;       /**< number of calls made */
    double seconds; /**< seconds of the calls and of the work between them, without preparation;
                       with one thread, only the time on its core */
    bool disturbed; /**< whether a thread lost its core for some time */
};

/** Returns a short description, such as `not positive definite`. */
TCPLAN_API const char *tcplan_blocked_end_text(enum tcplan_blocked_end end);

/** Gets rows, columns and leading dimension of a matrix; for temporaries, those of their largest
 * block. */
TCPLAN_API void tcplan_blocked_extents(const struct tcplan_blocked *blocked,
                                       const struct tcplan_blocked_sizes *sizes, int matrix,
                                       int64_t *rows, int64_t *columns, int64_t *leading);

/** Returns the bytes of a matrix from its first to its last element, gaps included. */
TCPLAN_API int64_t tcplan_blocked_bytes(const struct tcplan_blocked *blocked,
                                        const struct tcplan_blocked_sizes *sizes, int matrix);

/**
 * Runs an algorithm. The caller sets the threads of the BLAS and pins them.
 *
 * For trsyl with real types, LAPACK expects zeros below the diagonal of triangular matrices;
 * otherwise the other triangle is neither read nor written.
 *
 * @param out       receives the outcome; valid if TCPLAN_OK is returned
 * @param provider  the library whose routines are called
 * @param matrix    TCPLAN_MAX_MATRICES pointers, as described at the top of this file
 * @return TCPLAN_OK, also if the matrix is singular or indefinite (see `out`); TCPLAN_INVALID or
 *         TCPLAN_OVERFLOW if the algorithm cannot be computed at these sizes; TCPLAN_INVALID if the
 *         provider lacks a routine; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_run(struct tcplan_blocked_outcome *out,
                                                 const struct tcplan_blocked *blocked,
                                                 const struct tcplan_blocked_sizes *sizes,
                                                 enum tcplan_provider provider,
                                                 void *const matrix[], struct tcplan_error *error);

/**
 * Fills matrices with random numbers for which the operations are well-conditioned: off the
 * diagonal uniform in +-0.35 / sqrt(n), on it real and in [1, 2). A triangle used as a symmetric
 * (Hermitian) matrix is then positive definite; used as a triangular matrix, it is
 * well-conditioned; and no eigenvalue of A is near one of -B. The rows of a general matrix to be
 * factored with pivots are swapped at random, so that each pivot is known. Elements outside
 * triangles and write-only vectors are zero.
 *
 * @param matrix  pointers to the matrices, as for tcplan_blocked_run()
 * @param seed    equal seeds give equal numbers
 */
TCPLAN_API void tcplan_blocked_fill(const struct tcplan_blocked *blocked,
                                    const struct tcplan_blocked_sizes *sizes, void *const matrix[],
                                    uint64_t seed);

/** Comparison of an algorithm's result with LAPACK's. */
struct tcplan_blocked_verdict {
    struct tcplan_blocked_outcome outcome; /**< outcome of the algorithm's run */
    int64_t lapack_info;                   /**< info of LAPACK's routine for the whole operation */
    const char *lapack; /**< name of LAPACK's routine for the whole operation, such as `dpotrf` */
    double error;   /**< largest difference between an element of a result and LAPACK's, relative to
                       that result's largest magnitude */
    double allowed; /**< rounding error allowed at these sizes: 8 (n + 8) units of roundoff, where n
                       is the larger size */
    const char *worst; /**< name of the matrix with the largest difference; NULL if none differs */
    const char *touched; /**< name of a matrix with a forbidden write: to an input, to a gap, or
                            outside a triangle; NULL if there is none */
    bool passed; /**< whether the error is at most `allowed`, nothing forbidden was written, and
                    info and pivots are the same */
};

/**
 * Runs an algorithm on random matrices, and LAPACK's routine on copies of them, and compares.
 * Elements that must not be read (gaps, and those outside triangles) hold numbers that would spoil
 * the result.
 *
 * @return TCPLAN_OK, also if results differ; a status of tcplan_blocked_run(); TCPLAN_INVALID if
 *         three copies of the matrices are more than the memory that is free; TCPLAN_NOT_APPLICABLE
 *         if the algorithm is a user's that names no routine for the whole operation
 */
TCPLAN_API enum tcplan_status tcplan_blocked_verify(struct tcplan_blocked_verdict *out,
                                                    const struct tcplan_blocked *blocked,
                                                    const struct tcplan_blocked_sizes *sizes,
                                                    uint64_t seed, struct tcplan_error *error);

/**
 * Checks that an algorithm reports failures as LAPACK does. It runs both on matrices for which the
 * operation has no result: in a Cholesky factorisation one random diagonal element is -1, in a
 * triangular inversion 0; in a factorisation with pivots a random column is 0. Only info and the
 * memory that must not be written are compared.
 *
 * @return a status of tcplan_blocked_verify(); TCPLAN_NOT_APPLICABLE also if the operation has a
 *         result for every matrix, or LAPACK does not detect matrices without one
 */
TCPLAN_API enum tcplan_status tcplan_blocked_verify_info(struct tcplan_blocked_verdict *out,
                                                         const struct tcplan_blocked *blocked,
                                                         const struct tcplan_blocked_sizes *sizes,
                                                         uint64_t seed, struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
