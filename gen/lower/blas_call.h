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

/** A loop of a kernel, possibly several fused indices. */
struct blas_call_loop {
    int64_t extent;
    int64_t stride[3]; /**< stride of the first operand, the second and the result, in elements; 0
                          in the result: the loop is summed */
};

enum { BLAS_CALL_LOOPS = 12, BLAS_CALL_PIECES = 24 };

/** Fused indices of a role that are not all contiguous with each other, innermost first. Indices
 * that are contiguous with each other share an entry. */
struct blas_call_split {
    int count; /**< number of entries; 0: the fused indices are contiguous */
    int extent[BLAS_CALL_PIECES];
    int64_t stride[2][BLAS_CALL_PIECES]; /**< strides in elements, in both operands with the role */
};

struct blas_call {
    enum tcplan_kernel kernel;
    enum tcplan_provider provider; /**< the provider of the routine */
    enum tcplan_operand first;
    enum tcplan_operand second;
    bool transposed[2]; /**< whether the first and the second operand are transposed, if they are
                           matrices */
    bool conjugated[2]; /**< whether the routine conjugates the first and the second operand; false
                           for real types */
    int m;              /**< rows of the BLAS call; length for dot and axpy */
    int n;              /**< columns; 1 for dot and axpy */
    int k;              /**< contracted extent of gemm and brgemm; otherwise 1 */
    int products;       /**< number of products that a brgemm sums; otherwise 0 */
    int64_t product_elems[2]; /**< distance of the factors of consecutive products, in elements */
    int64_t length;           /**< length of the vectors of mul (m, n and k are 1); otherwise 0 */
    int loop_count;           /**< number of loops; only for the kernel `loops` */
    struct blas_call_loop loop[BLAS_CALL_LOOPS];
    int ld[3]; /**< leading dimensions or increments of first operand, second and result; 1 if an
                  operand has none */
    int64_t strides[3][2]; /**< mul: increments. gemm: strides between rows and between columns, of
                              the factors as the product uses them (m x k and k x n), and of the
                              result (m x n) */
    struct blas_call_split split[3]; /**< gemm: fused indices of rows (first operand, result),
                                        columns (second operand, result) and k (first and second
                                        operand) */
    struct tcplan_scalar alpha;
    struct tcplan_scalar beta; /**< factor of the previous result; 1 if the kernel adds to it */
    struct tcplan_register_tile tile;
    bool streamed; /**< whether non-temporal stores write the result: see heuristics_stream_kernel()
                    */
    bool fetches_ahead; /**< whether the next call's first operand is prefetched during this call:
                           see heuristics_fetch_ahead() */
};

/** Where in the nest a call is made: in the last tiles calls are smaller, and beta applies to the
 * first visit of the result only. */
struct blas_call_place {
    unsigned partial; /**< bit t: the call is in the last step of tile t of the nest, and of all
                         tiles around it */
    bool later;       /**< whether some loop of the update's first_of is past its first iteration */
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
 * Sets the distance, in elements, by which the first operand moves in an iteration of the
 * innermost loop (*step) and of the loop around it (*outer_step); 0 without such a loop.
 */
void blas_call_first_steps(const struct blas_call *call, const struct tcplan_nest *nest,
                           const struct tcplan_kernel_call *node,
                           const struct refined_problem *problem, int64_t *step,
                           int64_t *outer_step);

/** Returns the extent of an index for a call in the last steps of the tiles in `partial`. */
int64_t blas_call_extent(const struct refined_problem *problem, int index, unsigned partial);

/**
 * Returns whether a dot is made one element shorter and its last product added separately:
 * OpenBLAS's strided complex dot (0.3.21, x86-64) reads one stride beyond the last element, where
 * memory may be inaccessible.
 */
bool blas_call_spares_last(const struct blas_call *call, enum tcplan_dtype dtype);

/**
 * Lowers the most frequent call of an algorithm. *calls becomes the number of such calls that make
 * up all its work: smaller calls in last tiles count as fractions. Returns a status of
 * blas_call_lower() or tcplan_nest_build().
 */
enum tcplan_status blas_call_of(struct blas_call *out, double *calls,
                                const struct tcplan_problem *problem,
                                const struct tcplan_algorithm *algorithm,
                                struct tcplan_error *error);

/**
 * Returns an upper bound on the number of different calls of an algorithm: in full or last tiles,
 * in first or later visits of the result. 0 if out of memory, or if the algorithm does not fit the
 * contraction.
 */
int blas_call_kinds_of(const struct tcplan_problem *problem,
                       const struct tcplan_algorithm *algorithm);

#endif
