/**
 * Copies, fills and scalings of strided blocks: what a nest does beside BLAS calls.
 */
#ifndef MICROBENCH_STRIDED_H
#define MICROBENCH_STRIDED_H

#include "cachesim/region.h"
#include "gen/lower/copy_shape.h"
#include "microbench/kernels/kernels.h"

/**
 * A block of elements in at most TCPLAN_MAX_INDICES dimensions, innermost first; adjacent
 * dimensions are merged where they can be. Behind them stand those that a copy sums over.
 */
struct strided {
    int rank;
    int summed; /**< copies only: their steps in the destination are 0 */
    int64_t extent[TCPLAN_MAX_INDICES];
    ptrdiff_t to_bytes[TCPLAN_MAX_INDICES];
    ptrdiff_t from_bytes[TCPLAN_MAX_INDICES]; /**< copies only */
    ptrdiff_t to_first_bytes; /**< from the slice's start to the block's: not 0 where the block was
                                 cut down */
    ptrdiff_t from_first_bytes; /**< copies only */
    size_t contiguous_bytes; /**< of an innermost run without gaps; 0: it has gaps; scalings only */
    enum tcplan_dtype dtype;
    union kernel_scalar factor;
    bool scales;      /**< no copy: a scaling */
    bool zero;        /**< the factor is 0: the block is not read; scalings only */
    bool streamed;    /**< copies only: written past the caches */
    bool conjugates;  /**< what is read is conjugated: of complex types only */
    bool accumulates; /**< copies only: the destination is scaled by the factor and added */
    bool multiplies;  /**< copies only: what is read is scaled by the factor, 0: it is not read */
};

/**
 * The block of a copy in a state of the loops: the dimensions in the order of copy_shape_of().
 * Where it is several boxes (copy_shape_box()), the first, which is the largest.
 */
struct strided strided_copy(const struct refined_problem *problem, const struct tcplan_copy *copy,
                            struct blas_call_place place);

/** The block of a scaling in a state of the loops: likewise. */
struct strided strided_scale(const struct refined_problem *problem,
                             const struct tcplan_scale *scale, struct blas_call_place place);

/** Box `number` of a copy or a scaling; false, and nothing, where there is none. */
bool strided_copy_box(struct strided *out, const struct refined_problem *problem,
                      const struct tcplan_copy *copy, struct blas_call_place place, int number);
bool strided_scale_box(struct strided *out, const struct refined_problem *problem,
                       const struct tcplan_scale *scale, struct blas_call_place place, int number);

/** The block of the whole result, scaled by the problem's beta, or a copy of the scaled addend: a
 * dense tensor is one run. */
struct strided strided_start_result(const struct tcplan_problem *problem);

/**
 * to := from, to := factor * from, to := from + factor * to, or to := a sum of from. What is
 * streamed is in order for this thread, for others after strided_fence().
 */
void strided_run_copy(const struct strided *block, char *to, const char *from);

/** The size of an end of a row in which what is streamed waits, see gen/runtime/copy_end.h; all
 * zeros it is empty. */
enum { STRIDED_END_BYTES = COPY_END_BYTES };

/** As strided_run_copy(), of a copy with copy_shape_ends() ends, which go from one execution to the
 * next; the last is followed by strided_write_ends(). */
void strided_run_copy_on(const struct strided *block, char *to, const char *from, char *ends);

/** Writes what waits in `count` ends. */
void strided_write_ends(enum tcplan_dtype dtype, char *ends, int64_t count);

/** The part of a copy in which dimension d runs over `extent[d]` elements only: 1 to the block's
 * own. */
void strided_run_copy_part(const struct strided *block, const int64_t extent[], char *to,
                           const char *from);

/** Orders streamed stores before all that follow. */
void strided_fence(void);

/** to := factor * to. */
void strided_run_scale(const struct strided *block, char *to);

/** Sets the dimensions of a region to those of one side of the block, whose steps are given: what
 * is summed over is on the source's only. */
void strided_dimensions(struct region *out, const struct strided *block,
                        const ptrdiff_t *step_bytes);

/** Bytes of memory in units of `unit_bytes` (cache lines, pages) that the block touches. */
double strided_footprint_bytes(const struct strided *block, int64_t unit_bytes);

/** The part of a block that thread number `part` of `parts` makes, all of them together the whole;
 * false where that is nothing. */
bool strided_part(struct strided *out, const struct strided *block, int part, int parts);

/** Bytes that the block writes. */
double strided_bytes(const struct strided *block);

/**
 * Halves the block, outermost dimension first, until its footprint is at most `bytes`; the last
 * part is kept, as it is the part that a history cut at its capacity holds. Returns the work of the
 * whole over that of the part.
 */
double strided_reduce(struct strided *block, int64_t unit_bytes, double bytes);

#endif
