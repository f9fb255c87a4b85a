/**
 * Copies in the form that gen/runtime needs: sorted dimensions, merged if they are contiguous with
 * each other.
 */
#ifndef GEN_LOWER_COPY_SHAPE_H
#define GEN_LOWER_COPY_SHAPE_H

#include "ast/nest/refine.h"

/** A dimension of a copy, with strides in elements. */
struct copy_shape_dimension {
    int64_t extent;
    int64_t to;
    int64_t from;
    int index; /**< index of the dimension; the innermost one of several merged indices */
    int head;  /**< outermost index of a range that has a varying length or ends within a step, if
                  the dimension belongs to one; otherwise -1 */
};

/**
 * The dimensions of the destination, then the summed ones, whose strides in the destination are 0.
 * The first dimension has the smallest stride in the destination, of either sign (in the source it
 * may be 0). The others follow by increasing strides in the source, so that the source is read
 * sequentially; for stores, the order matters less. Summed dimensions are also sorted by strides
 * in the source.
 */
struct copy_shape {
    int rank; /**< number of dimensions of the destination */
    int summed;
    struct copy_shape_dimension dimension[TCPLAN_MAX_INDICES];
};

/**
 * Returns the shape of a copy at the extents of a problem, with full tiles. Dimensions of a tiled
 * index with a varying extent stay separate, even with extent 1; contiguous ones are merged.
 */
struct copy_shape copy_shape_of(const struct refined_problem *problem,
                                const struct tcplan_copy *copy);

/** Returns the shape of a copy for extents that are arguments. Each index, with the steps around it
 * in the span, is one dimension, without panels; strides are those at the problem's extents. */
struct copy_shape copy_shape_of_ranges(const struct refined_problem *problem,
                                       const struct tcplan_copy *copy);

/** A part of a copy: a range of each dimension. */
struct copy_box {
    int64_t extent[TCPLAN_MAX_INDICES]; /**< extent of each dimension of the shape */
    int64_t to; /**< offset in elements from the start of the copy, in the destination and in the
                   source */
    int64_t from;
};

/**
 * Returns one box of a copy at a place. A copy is one box, unless an index ends within a step whose
 * points do not continue those of the step before (panels); then the full steps are one box and the
 * last step adds others.
 * @param partial  bit t: the loops around are in the last step of tile t
 * @param number   which box, from 0
 * @return false if there is no such box
 */
bool copy_shape_box(struct copy_box *out, const struct copy_shape *shape,
                    const struct refined_problem *problem, unsigned partial, int number);

/** Bytes of a buffer in which elements wait for the other elements of their cache line: see
 * gen/runtime/copy_end.h. */
enum { COPY_END_BYTES = 80 };

/**
 * Returns the number of buffers for partial lines in the copy to the result: two for each row. 0
 * if the copy uses no non-temporal stores, reads its destination, has no blocks that are
 * contiguous with each other, or has so many rows that the buffers would not fit in a near cache.
 */
int64_t copy_shape_ends(const struct tcplan_nest *nest, const struct refined_problem *problem);

#endif
