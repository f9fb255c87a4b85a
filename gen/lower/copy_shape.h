/**
 * Copies in the form of the gen/runtime kernels: ordered dimensions, merged if they continue each
 * other.
 */
#ifndef GEN_LOWER_COPY_SHAPE_H
#define GEN_LOWER_COPY_SHAPE_H

#include "ast/nest/refine.h"

/** One dimension: steps are in elements. */
struct copy_shape_dimension {
    int64_t extent;
    int64_t to;
    int64_t from;
    int index; /**< its index; the innermost one if several are merged */
    int head;  /**< the outermost index of a range that varies or ends within a step, if the
                  dimension is part of one; otherwise -1 */
};

/**
 * The dimensions of the destination, then summed ones, whose steps in the destination are 0. The
 * first dimension has the smallest steps in the destination, of either sign (in the source also 0).
 * The others follow by increasing steps in the source, which is thus read in sequence; the order
 * matters less to stores, least to non-temporal ones. Summed dimensions are sorted in the same way.
 */
struct copy_shape {
    int rank; /**< bytes in the destination */
    int summed;
    struct copy_shape_dimension dimension[TCPLAN_MAX_INDICES];
};

/**
 * Returns the shape of a copy at the extents of a problem with full tiles. Dimensions of a tiled
 * index whose extent varies stay separate, even with extent 1; steps and the index within them are
 * merged if they continue each other.
 */
struct copy_shape copy_shape_of(const struct refined_problem *problem,
                                const struct tcplan_copy *copy);

/** Returns the same for any extents: each index, with the steps around it in the span, is one
 * dimension, without panels; strides are those at these extents. */
struct copy_shape copy_shape_of_ranges(const struct refined_problem *problem,
                                       const struct tcplan_copy *copy);

/** A part of a copy: every dimension from some element on. */
struct copy_box {
    int64_t extent[TCPLAN_MAX_INDICES]; /**< of each dimension of the shape */
    int64_t to;                         /**< elements from the beginning of the copy */
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

/** The size of an end, where elements for non-temporal stores wait for the rest of their line, see
 * gen/runtime/copy_end.h. */
enum { COPY_END_BYTES = 80 };

/**
 * Returns the number of ends of the copy of a nest's result, two for each row. It is 0 if the copy
 * uses no non-temporal stores, reads its destination, has no blocks that continue each other, or
 * has so many rows that the ends would not stay in a near cache.
 */
int64_t copy_shape_ends(const struct tcplan_nest *nest, const struct refined_problem *problem);

#endif
