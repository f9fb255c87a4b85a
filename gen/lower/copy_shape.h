/**
 * Copies as the kernels of gen/runtime take them: dimensions in their order, merged where they
 * continue each other.
 */
#ifndef GEN_LOWER_COPY_SHAPE_H
#define GEN_LOWER_COPY_SHAPE_H

#include "ast/nest/refine.h"

/** One dimension: steps are in elements. */
struct copy_shape_dimension {
    int64_t extent;
    int64_t to;
    int64_t from;
    int index; /**< the index that it is; the innermost one where several are merged */
    int head;  /**< where the index runs in tiles and is part of a range that varies, or ends within
                  a step: the outermost index of that; else -1 */
};

/**
 * The dimensions of the destination, and behind them those that are summed over, whose steps there
 * are 0.
 *
 * The first dimension is the one in which elements of the destination lie closest, steps being of
 * either sign (in the source also 0), the others follow by rising steps in the source, which is so
 * read in sequence: stores, above all streamed ones, mind less where they go. So do those that are
 * summed over.
 */
struct copy_shape {
    int rank; /**< of the destination */
    int summed;
    struct copy_shape_dimension dimension[TCPLAN_MAX_INDICES];
};

/**
 * The shape of a copy at the extents of a problem, where all tiles are full. The dimensions of an
 * index in tiles whose extent differs between places stay by themselves, even where they are of
 * extent 1; steps and what runs within them are one where they continue each other.
 */
struct copy_shape copy_shape_of(const struct refined_problem *problem,
                                const struct tcplan_copy *copy);

/** The same whatever the extents: each index and the steps around it in the span one dimension,
 * without panels; strides are those at these extents. */
struct copy_shape copy_shape_of_ranges(const struct refined_problem *problem,
                                       const struct tcplan_copy *copy);

/** Part of a copy: all dimensions of a shape from somewhere on. */
struct copy_box {
    int64_t extent[TCPLAN_MAX_INDICES]; /**< of each dimension of the shape */
    int64_t to;                         /**< elements from where the copy begins */
    int64_t from;
};

/**
 * What a copy is in a place: one box, unless an index ends within a step whose points do not
 * continue those of the step before (panels); then full steps are one box and the last one is
 * others.
 *
 * @param partial  bit t: the loops around are in the last step of tile t
 * @param number   which box, from 0
 * @return false where there is no such box
 */
bool copy_shape_box(struct copy_box *out, const struct copy_shape *shape,
                    const struct refined_problem *problem, unsigned partial, int number);

/** What one end takes, in which streamed elements wait for the rest of their line, see
 * gen/runtime/copy_end.h. */
enum { COPY_END_BYTES = 80 };

/**
 * How many ends the copy of a nest's result has, two for each row: 0 where the copy does not
 * stream, or reads what it writes, where no block goes on where the one before it ends, or where
 * there are so many rows that their ends would not stay in a near cache.
 */
int64_t copy_shape_ends(const struct tcplan_nest *nest, const struct refined_problem *problem);

#endif
