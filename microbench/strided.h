/**
 * Copies, fills and scalings of strided blocks: what a nest does beside BLAS calls.
 */
#ifndef MICROBENCH_STRIDED_H
#define MICROBENCH_STRIDED_H

#include "cachesim/region.h"
#include "microbench/kernels.h"

/** A block of elements in at most TCPLAN_MAX_INDICES dimensions, innermost first; adjacent dimensions are merged where they can be. */
struct strided {
    int rank;
    int64_t extent[TCPLAN_MAX_INDICES];
    ptrdiff_t to_bytes[TCPLAN_MAX_INDICES];
    ptrdiff_t from_bytes[TCPLAN_MAX_INDICES]; /**< copies only */
    ptrdiff_t to_first_bytes;                 /**< from the slice's start to the block's: not 0 where the block was cut down */
    ptrdiff_t from_first_bytes;               /**< copies only */
    size_t contiguous_bytes;                  /**< of an innermost run without gaps; 0: it has gaps; scalings only */
    enum tcplan_dtype dtype;
    union kernel_scalar factor; /**< of a scaling; of what is there before an accumulating copy adds to it */
    bool accumulates;
    bool streamed;
    bool zero; /**< the factor is 0: the block is not read */
};

/** The block of a copy in a state of the loops (see struct blas_call_place): contiguous in the temporary's first dimension. */
struct strided strided_copy(const struct tcplan_problem *problem, const struct tcplan_copy *copy, unsigned partial, bool later);

/** The block of a scaling by the contraction's beta. */
struct strided strided_scale(const struct tcplan_problem *problem, const struct tcplan_scale *scale);

/** to := from. */
void strided_run_copy(const struct strided *block, char *to, const char *from);

/** to := factor * to. */
void strided_run_scale(const struct strided *block, char *to);

/** Bytes of memory in units of `unit_bytes` (cache lines, pages) that the block touches. */
double strided_footprint_bytes(const struct strided *block, int64_t unit_bytes);

/**
 * Halves the block, outermost dimension first, until its footprint is at most `bytes`; the last part is kept, as it is the part that a history
 * cut at its capacity holds. Returns the work of the whole over that of the part.
 */
double strided_reduce(struct strided *block, int64_t unit_bytes, double bytes);

#endif
