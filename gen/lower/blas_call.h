/**
 * Lowering: turns a kernel node of a nest into a BLAS call at given sizes, for emitter and executor
 * alike.
 *
 * All calls are column-major. `first` and `second` are the operands in the routine's order:
 *
 *   dot   first = x, second = y: a vector each          ld = increments
 *   axpy  first = the vector x, second = the scalar      ld = increments of x and y
 *   gemv  first = the matrix, second = the vector x      ld = leading dimension, increments of x
 *                                                        and y
 *   ger   first = x, second = y, result = the matrix     ld = increments, leading dimension
 *   gemm  first and second matrix                        ld = leading dimensions; 1 for BLIS, which
 *                                                        takes strides
 *   brgemm as gemm, of the first product; product_elems from one product's factors to those of the
 *   next
 *   loops first = A, second = B, loop_count loops; m, n and k as those of gemm
 *   mul   first and second vector                        strides[part][0] = increments; no BLAS
 *                                                        call, and no limit of its integers
 *
 * `strides` describe the matrices of gemm without a leading dimension. They are set even if no
 * dimension is contiguous, or a stride exceeds the BLAS integer.
 */
#ifndef GEN_LOWER_BLAS_CALL_H
#define GEN_LOWER_BLAS_CALL_H

#include "ast/nest/refine.h"

/** A loop of a kernel, or several that continue each other in all tensors. */
struct blas_call_loop {
    int64_t extent;
    int64_t stride[3]; /**< of first, second and result: elements between successive values; 0 in
                          the result: it is summed */
};

enum { BLAS_CALL_LOOPS = 12, BLAS_CALL_PIECES = 24 };

/** The fused indices of a role, innermost first, if they do not continue each other in memory;
 * those that do are one. */
struct blas_call_split {
    int count; /**< 0: they do */
    int extent[BLAS_CALL_PIECES];
    int64_t stride[2][BLAS_CALL_PIECES]; /**< in elements, in the two operands with the role */
};

struct blas_call {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< the provider of the routine */
    enum tcplan_operand first;
    enum tcplan_operand second;
    bool transposed[2];       /**< of first and second, if they are matrices */
    bool conjugated[2];       /**< the routine conjugates them; complex types only */
    int m;                    /**< rows as BLAS counts them; the length for dot and axpy */
    int n;                    /**< columns; 1 for dot and axpy */
    int k;                    /**< gemm and brgemm only; 1 otherwise */
    int products;             /**< brgemm only: number of summed products; 0 otherwise */
    int64_t product_elems[2]; /**< distance between one product's factors and the next one's */
    int64_t length; /**< mul only: elements of each vector (m, n and k are 1); 0 otherwise */
    int loop_count; /**< loops only */
    struct blas_call_loop loop[BLAS_CALL_LOOPS];
    int ld[3]; /**< leading dimension or increment of first, second and result; 1 if there is none
                */
    int64_t strides[3][2]; /**< mul: increments. gemm: elements between rows and between columns of
                              the factors as the product uses them (m x k and k x n), and of the
                              result (m x n) */
    struct blas_call_split split[3]; /**< gemm: of rows (first factor, result), columns (second
                                        factor, result) and k (both factors) */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta; /**< 1 if the kernel accumulates */
    struct tcplan_register_tile tile;
    bool streamed; /**< the result is written by non-temporal stores, see heuristics_stream_kernel()
                    */
    bool fetches_ahead; /**< the first operand of the next call is prefetched during this one, see
                           heuristics_fetch_ahead() */
};

/** The iterations in which a call is made: border tiles are smaller, and beta applies to the first
 * visit of the result only. */
struct blas_call_place {
    unsigned partial; /**< bit t: the loops are in the last step of tile t of the nest's refinement,
                         and of all tiles around it */
    bool later;       /**< some loop of its update's first_of is past its first iteration */
};

/**
 * Lowers the kernel `call` of `nest` at the sizes of `problem`.
 *
 * @return TCPLAN_OK, or TCPLAN_NOT_APPLICABLE if an extent, leading dimension or increment exceeds
 *   the BLAS integer, or the strides of a tensor do not suit the kernel: columns that overlap,
 *   fused indices that do not continue each other (see `error`). blas_call_check() checks further
 *   limits of the provider (gen/providers/provider.h)
 */
enum tcplan_status blas_call_lower(struct blas_call *out, const struct tcplan_nest *nest,
                                   const struct tcplan_kernel_call *call,
                                   const struct refined_problem *problem,
                                   struct blas_call_place place, struct tcplan_error *error);

/**
 * Sets the distances, in elements, by which the first operand moves between iterations of the
 * innermost loop (*step) and of the loop around it (*outer_step); 0 without such a loop.
 */
void blas_call_first_steps(const struct blas_call *call, const struct tcplan_nest *nest,
                           const struct tcplan_kernel_call *node,
                           const struct refined_problem *problem, int64_t *step,
                           int64_t *outer_step);

/** Returns the extent of an index in the iterations at a place with these `partial` tiles. */
int64_t blas_call_extent(const struct refined_problem *problem, int index, unsigned partial);

/**
 * Returns whether a dot is made one element shorter and its last product added separately:
 * OpenBLAS's strided complex dot (0.3.21, x86-64) reads one stride beyond the last element, where
 * memory may be inaccessible.
 */
bool blas_call_spares_last(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Lowers the most frequent call of an algorithm. *calls becomes the number of such calls that make
 * up all its work: calls in smaller last tiles count in proportion. Status as blas_call_lower() and
 * tcplan_nest_build().
 */
enum tcplan_status blas_call_of(struct blas_call *out, double *calls,
                                const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error);

/**
 * Returns an upper bound of the number of different calls of an algorithm: in full or last tiles,
 * in first or later visits of the result. 0 without memory, or if this is no algorithm of the
 * contraction.
 */
int blas_call_kinds_of(const struct tcplan_problem *problem,
                       const struct tcplan_algorithm *algorithm);

#endif
