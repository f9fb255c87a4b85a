/**
 * Maps a copy to calls of tcplan's own copy routines, as cases of tcplan/models.h:
 *
 *   dpermute    order streamed      m n k     three dimensions whose order changes; `order` has
 *                                             those of the source in the destination's
 *   dtranspose  streamed            m n       two dimensions, each contiguous on one side
 *   dmove       incx incy           n         one
 *
 * A block with more dimensions takes several calls. No model depends on leading dimensions.
 */
#ifndef PLAN_TIMES_COPY_CASE_H
#define PLAN_TIMES_COPY_CASE_H

#include "plan/times/model_case.h"

enum { COPY_CASE_DIMENSIONS = 6 };

/** A dimension of a block, with strides in elements; the smallest stride on a contiguous side is 1.
 */
struct copy_case_dimension {
    double extent;
    double to;
    double from;
};

/** A block to copy: its dimensions of more than one element, fused if contiguous with each other on
 * both sides. */
struct copy_case_block {
    int rank;
    struct copy_case_dimension dimension[COPY_CASE_DIMENSIONS];
    bool streamed; /**< whether the copy uses non-temporal stores */
    enum tcplan_dtype dtype;
    int64_t line_bytes; /**< bytes of a cache line of the machine that copies */
};

/** Calls of a routine that together make a copy. */
struct copy_case {
    struct model_case model_case;
    double calls;
    bool is_run; /**< whether calls copy runs of elements: loops around these cost less than
                    separate calls */
};

/** Maximum number of cases for one block. */
enum { COPY_CASES = 3 };

/**
 * Lists the cases of a block, the best first: the first one with a model is used.
 *
 * @return how many; 0 if neither side is contiguous or the block is empty
 */
int copy_case_of(struct copy_case out[COPY_CASES], const struct copy_case_block *block);

#endif
