/**
 * Which routines' calls a copy is made of: from the block that it copies to cases of
 * tcplan/models.h. tcplan's own copies are
 *
 *   dpermute    order streamed      m n k     three dimensions whose order changes; `order` has
 *                                             those of the source in the destination's
 *   dtranspose  streamed            m n       two, each contiguous on one side
 *   dmove       incx incy           n         one
 *
 * A block of more dimensions, or with others between, is so many calls of these. Leading dimensions
 * are in no model.
 */
#ifndef PLAN_TIMES_COPY_CASE_H
#define PLAN_TIMES_COPY_CASE_H

#include "plan/times/model_case.h"

enum { COPY_CASE_DIMENSIONS = 6 };

/** A dimension of a block; steps in elements, the least on either side being 1 where that side is
 * contiguous. */
struct copy_case_dimension {
    double extent;
    double to;
    double from;
};

/** What is copied: dimensions of more than one element, those as one that continue each other on
 * both sides. */
struct copy_case_block {
    int rank;
    struct copy_case_dimension dimension[COPY_CASE_DIMENSIONS];
    bool streamed; /**< past the caches */
    enum tcplan_dtype dtype;
    int64_t line_bytes; /**< of the machine that copies */
};

/** Calls that make up a copy. */
struct copy_case {
    struct model_case model_case;
    double calls;
    bool is_run; /**< runs of elements: what is around them in the copy costs less than so many
                    calls */
};

/** How many cases may be those of one block, at most. */
enum { COPY_CASES = 3 };

/**
 * The cases of a block, the most fitting first: of the ones that have a model, the first is taken.
 *
 * @return how many: 0 where neither side is contiguous, or the block is empty
 */
int copy_case_of(struct copy_case out[COPY_CASES], const struct copy_case_block *block);

#endif
