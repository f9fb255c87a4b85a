/**
 * Blocked algorithms: matrix operations as loops over blocks, whose bodies are calls of BLAS and of
 * unblocked routines (Peise 2017, chapter 4).
 *
 * An *operation* is a LAPACK routine with its flags: `potrf_L`, `trtri_LN`, `trsyl`. It has one or
 * more *algorithms*, named by the operation and a suffix: `potrf_L3`, `trsyl_7m1m2`. Algorithm,
 * sizes and block size determine a sequence of calls, by a pure function: nothing is executed or
 * timed.
 *
 *   operation   algorithms
 *   potrf_L     4   bordered, left-looking (LAPACK's), right-looking, recursive; potrf_U as many:
 *                   every lower variant has an upper counterpart
 *   trtri_LN    11  5 is LAPACK's; 4 and 8 are unstable and take three times the operations; r1 to
 *                   r3 are recursive
 *   trsyl       64  A X + X B = C; 8 by layers, m1n1 to n2m2, and 56 from 14 along the diagonal,
 *                   1n1m1 to 14m2n2
 *   lauum_L, sygst_1L, getrf   2 each, LAPACK's and a recursive one; all others: LAPACK's
 *
 * Users may add operations in an XML file or as text. Products of several matrices are also
 * families: each order of pairwise products, with each choice of routines for triangular or
 * symmetric matrices, is an algorithm without a loop.
 */
#ifndef TCPLAN_BLOCKED_H
#define TCPLAN_BLOCKED_H

#include "tcplan/nest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_BLOCKED_NAME = 32,  /**< size of the buffer for a name, in bytes */
    TCPLAN_BLOCKED_FLAGS = 12, /**< size of the buffer for a routine's flags, in bytes */
    TCPLAN_CALL_SIZES = 4      /**< maximum number of sizes of a routine */
};

/* Operations and algorithms. */

/** Description of an operation. The strings are static. */
struct tcplan_blocked_operation {
    const char *name;    /**< `potrf_L` */
    const char *purpose; /**< what the operation computes, such as `A := L, A = L L^T` */
    int algorithms;
    int default_block; /**< block size of LAPACK (ilaenv of 3.5) */
    int size_count;    /**< number of sizes. 1: n; 2: m and n; 3: other sizes, in the order of the
                          matrices */
    int lapack;        /**< number of LAPACK's own algorithm; -1 if there is none */
};

/** Returns the number of built-in operations. */
TCPLAN_API int tcplan_blocked_operations(void);

/** Describes operation number `number`, counted from 0. */
TCPLAN_API void tcplan_blocked_operation(struct tcplan_blocked_operation *out, int number);

/** Writes the name of an algorithm, such as `potrf_L3`. If the operation has a single algorithm,
 * writes the operation's name. */
TCPLAN_API void tcplan_blocked_algorithm_name(char out[TCPLAN_BLOCKED_NAME], int operation,
                                              int algorithm);

/**
 * Finds operations and algorithms by name: `potrf` means its first operation, potrf_L; `potrf_U`;
 * `potrf_L3` one algorithm of it. A type letter may precede the name, as in `dpotrf`; it sets
 * `dtype`.
 *
 * @param operation  receives the operation's number
 * @param algorithm  receives the algorithm's number in it; -1: the name is that of an operation
 *                   with several
 * @return TCPLAN_OK; TCPLAN_INVALID; the message gives the name found and the nearest one
 */
TCPLAN_API enum tcplan_status tcplan_blocked_find(int *operation, int *algorithm,
                                                  enum tcplan_dtype *dtype, const char *name,
                                                  struct tcplan_error *error);

/** An algorithm for one element type. Immutable. */
struct tcplan_blocked;

/**
 * Makes algorithm number `algorithm` of an operation.
 *
 * @param out  receives the algorithm, to be freed with tcplan_blocked_free()
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_INVALID if the type has no such routine
 */
TCPLAN_API enum tcplan_status tcplan_blocked_make(struct tcplan_blocked **out, int operation,
                                                  int algorithm, enum tcplan_dtype dtype,
                                                  struct tcplan_error *error);

/**
 * Reads users' algorithms from an XML file: see docs/blocked.md and
 * docs/schema/blocked.rng.
 *
 * @param out    receives an array of `*count` algorithms, each to be freed with
 *               tcplan_blocked_free(), the array with free()
 * @param path   path of the file; `-` is the standard input
 * @return TCPLAN_OK; TCPLAN_INVALID, with the line, if it is malformed or no routine computes a
 *         statement; TCPLAN_ENVIRONMENT, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_read(struct tcplan_blocked ***out, int *count,
                                                  const char *path, enum tcplan_dtype dtype,
                                                  struct tcplan_error *error);

/** Frees an algorithm; does nothing if it is NULL. */
TCPLAN_API void tcplan_blocked_free(struct tcplan_blocked *blocked);

/** Returns the name, such as `potrf_L3`. */
TCPLAN_API const char *tcplan_blocked_name(const struct tcplan_blocked *blocked);

/** Returns a short description, such as `right-looking`; may be empty. */
TCPLAN_API const char *tcplan_blocked_note(const struct tcplan_blocked *blocked);

/** Returns the position of the algorithm's operation in the list of operations; -1 for a user's
 * algorithm. */
TCPLAN_API int tcplan_blocked_of(const struct tcplan_blocked *blocked);

TCPLAN_API enum tcplan_dtype tcplan_blocked_dtype(const struct tcplan_blocked *blocked);

/** Returns the algorithm's sizes, ranges, matrices and views. */
TCPLAN_API const struct tcplan_blocks *tcplan_blocked_blocks(const struct tcplan_blocked *blocked);

/** Returns the first node of the algorithm's nest. */
TCPLAN_API const struct tcplan_node *tcplan_blocked_body(const struct tcplan_blocked *blocked);

/**
 * Returns the steps of an algorithm in the form of tcplan_nest_text():
 *
 *   for n1 = 1:b:n
 *     dpotf2_L: A11 := potf2(A11)
 *     dtrsm_RLTN: A21 := A21 L11^-T
 *     dsyrk_LN: A22 -= A21 A21^T
 *
 * @return a string to be freed with free(), or NULL if memory runs out
 */
TCPLAN_API char *tcplan_blocked_text(const struct tcplan_blocked *blocked);

/* The following functions are about algorithms at given sizes. */

/** Sizes, block size and leading dimensions of an algorithm; a plain value. */
struct tcplan_blocked_sizes {
    int64_t size[TCPLAN_BLOCK_SIZES]; /**< sizes m, n and so on, by number
                                         (tcplan_blocks.size_name): 0 to the largest BLAS integer */
    int64_t block; /**< block size, at least 1; may exceed a size; algorithms without a loop ignore
                      it */
    int64_t leading[TCPLAN_MAX_MATRICES]; /**< leading dimension of each matrix; 0: its number of
                                             rows, but at least 1 */
    bool remainder_last; /**< whether upward loops begin with a whole block at the end, so that the
                            smaller block comes last; false: as in LAPACK */
};

/**
 * Checks whether an algorithm can be computed at these sizes.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID, with the size; TCPLAN_OVERFLOW if the bytes of a matrix do
 *     not fit an int64_t
 */
TCPLAN_API enum tcplan_status tcplan_blocked_check(const struct tcplan_blocked *blocked,
                                                   const struct tcplan_blocked_sizes *sizes,
                                                   struct tcplan_error *error);

/** Returns the flops of the operation (dissertation, appendix B), the minimum over algorithms; for
 * users' algorithms without a routine, the flops of their calls. */
TCPLAN_API double tcplan_blocked_flops(const struct tcplan_blocked *blocked,
                                       const struct tcplan_blocked_sizes *sizes);

/** A call in a trace. Strings are valid as long as the algorithm, unless stated otherwise. */
struct tcplan_blocked_call {
    int64_t step;        /**< step of the outermost loop, counted from 1 */
    const char *routine; /**< name of the routine, such as `dtrsm` */
    const char *letters; /**< the routine's flags, such as `RLTN` */
    int size_count;
    const char *size_name[TCPLAN_CALL_SIZES];
    int64_t size[TCPLAN_CALL_SIZES];
    bool empty;  /**< whether a size is 0; the call is then listed but not executed */
    bool is_own; /**< whether the routine is tcplan's own instead of a library's; the dissertation
                    does not count it as a kernel */
    double flops;
    const char *statement; /**< the statement, such as `A10 := A10 L00^-T`; valid during the visit
                            */
    const char *slices;    /**< the statement with numbers, such as `A[129:256,1:128] := ...`; valid
                              during the visit */
};

/** Callback that receives every call in order; returning false ends the walk. */
typedef bool tcplan_blocked_visit_fn(void *context, const struct tcplan_blocked_call *call);

/**
 * Lists the calls of an algorithm, including those with a size of 0.
 *
 * @return TCPLAN_OK, also if the callback ended the walk; TCPLAN_INVALID or TCPLAN_OVERFLOW if the
 *         algorithm cannot be computed at these sizes; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_trace(const struct tcplan_blocked *blocked,
                                                   const struct tcplan_blocked_sizes *sizes,
                                                   tcplan_blocked_visit_fn *visit, void *context,
                                                   struct tcplan_error *error);

/**
 * Hashes the non-empty calls of an algorithm. Algorithms of an operation with equal hashes make
 * the same calls on the same blocks in the same order; for example, those that process the whole
 * matrix in a single step.
 *
 * @param sizes  accepted by tcplan_blocked_check()
 */
TCPLAN_API uint64_t tcplan_blocked_call_hash(const struct tcplan_blocked *blocked,
                                             const struct tcplan_blocked_sizes *sizes);

#ifdef __cplusplus
}
#endif

#endif
