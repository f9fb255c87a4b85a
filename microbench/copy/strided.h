/**
 * Copies, fills and scalings of strided blocks: the operations of a nest other than BLAS calls.
 */
#ifndef MICROBENCH_STRIDED_H
#define MICROBENCH_STRIDED_H

#include "cachesim/region.h"
#include "gen/lower/copy_shape.h"
#include "microbench/kernels/kernels.h"

/**
 * A block of elements in at most TCPLAN_MAX_INDICES dimensions, innermost first, with adjacent
 * dimensions merged if possible. Dimensions that a copy sums over come last.
 */
struct strided {
    int rank;
    int summed; /**< number of summed dimensions, whose destination strides are 0; copies only */
    int64_t extent[TCPLAN_MAX_INDICES];
    ptrdiff_t to_bytes[TCPLAN_MAX_INDICES];
    ptrdiff_t from_bytes[TCPLAN_MAX_INDICES]; /**< for copies only: strides of the source in bytes
                                               */
    ptrdiff_t to_first_bytes; /**< bytes from the start of the slice to that of the block; not 0 if
                                 the block was shortened */
    ptrdiff_t from_first_bytes; /**< for copies only: offset of the source's first element in bytes
                                 */
    size_t contiguous_bytes;    /**< scalings: bytes of a run without gaps along the innermost
                                   dimension; 0: there are gaps */
    enum tcplan_dtype dtype;
    union kernel_scalar factor;
    bool scales;      /**< whether the block is scaled, not copied */
    bool zero;        /**< for scalings: whether the factor is 0, so that the block is not read */
    bool streamed;    /**< for copies: whether they use non-temporal stores */
    bool conjugates;  /**< whether the conjugates of the source are used; false for real types */
    bool accumulates; /**< for copies: whether they add the destination times the factor */
    bool multiplies;  /**< for copies: whether they multiply the source by the factor; if the factor
                         is 0, the source is not read */
};

/**
 * Returns the block of a copy in a state of the loops, with the dimensions in the order of
 * copy_shape_of(). If the copy consists of several boxes (copy_shape_box()), this is the first and
 * largest one.
 */
struct strided strided_copy(const struct refined_problem *problem, const struct tcplan_copy *copy,
                            struct blas_call_place place);

/** Returns the block of a scaling in a state of the loops, like strided_copy(). */
struct strided strided_scale(const struct refined_problem *problem,
                             const struct tcplan_scale *scale, struct blas_call_place place);

/** Returns box `number` of a copy or scaling; false, leaving `out` unset, if it has fewer boxes. */
bool strided_copy_box(struct strided *out, const struct refined_problem *problem,
                      const struct tcplan_copy *copy, struct blas_call_place place, int number);
bool strided_scale_box(struct strided *out, const struct refined_problem *problem,
                       const struct tcplan_scale *scale, struct blas_call_place place, int number);

/** Returns the block that scales the whole result by the problem's beta, or copies the scaled
 * addend. A dense tensor is a single run. */
struct strided strided_start_result(const struct tcplan_problem *problem);

/**
 * Executes to := from, to := factor * from, to := from + factor * to, or to := a sum over from.
 * Non-temporal stores are ordered for this thread; for others only after strided_fence().
 */
void strided_run_copy(const struct strided *block, char *to, const char *from);

/** Bytes of a buffer for a partial line of non-temporal stores (gen/runtime/copy_end.h); zeroed:
 * empty. */
enum { STRIDED_END_BYTES = COPY_END_BYTES };

/** Copies like strided_run_copy(), with copy_shape_ends() buffers for partial lines. Lines may be
 * completed by the next execution; call strided_write_ends() after the last one. */
void strided_run_copy_on(const struct strided *block, char *to, const char *from, char *ends);

/** Writes the elements that wait in `count` buffers. */
void strided_write_ends(enum tcplan_dtype dtype, char *ends, int64_t count);

/** Executes the part of a copy in which dimension d runs over the first `extent[d]` elements
 * only, 1 to the block's own extent. */
void strided_run_copy_part(const struct strided *block, const int64_t extent[], char *to,
                           const char *from);

/** Orders non-temporal stores before all later ones. */
void strided_fence(void);

/** to := factor * to. */
void strided_run_scale(const struct strided *block, char *to);

/** Sets the dimensions of a region to those of one side of the block with the given strides.
 * Summed dimensions exist only on the source side. */
void strided_dimensions(struct region *out, const struct strided *block,
                        const ptrdiff_t *step_bytes);

/** Returns the bytes of memory, in units of `unit_bytes` (cache lines, pages), that the block
 * touches. */
double strided_footprint_bytes(const struct strided *block, int64_t unit_bytes);

/** Returns the part of a block for thread `part` of `parts`; the parts together are the whole.
 * Returns false if the part is empty. */
bool strided_part(struct strided *out, const struct strided *block, int part, int parts);

/** Returns the bytes that the block writes. */
double strided_bytes(const struct strided *block);

/**
 * Halves the block, outermost dimension first, until its footprint is at most `bytes`. The last
 * part remains, because a history that is truncated at its capacity contains the last part as well.
 * Returns the work of the whole block divided by that of the remaining part.
 */
double strided_reduce(struct strided *block, int64_t unit_bytes, double bytes);

#endif
