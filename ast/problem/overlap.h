/** Decides whether two elements of a strided tensor coincide. */
#ifndef AST_PROBLEM_OVERLAP_H
#define AST_PROBLEM_OVERLAP_H

#include <stdint.h>

#include "tcplan/contraction.h"

enum overlap {
    OVERLAP_NONE,
    OVERLAP_FOUND,
    OVERLAP_UNKNOWN /**< undecided, because the search would take too long: many strides hardly
                       exceed the span of the smaller ones */
};

/** The dimensions of a tensor: extents >= 1 and strides of either sign; the sum of |stride| *
 * (extent - 1) must fit an int64_t. */
struct overlap_dimensions {
    int count;
    int64_t extent[TCPLAN_MAX_INDICES];
    int64_t stride[TCPLAN_MAX_INDICES];
};

/**
 * Decides whether elements coincide.
 * @param difference  receives the indices of one element minus those of another at the same
 *   address, if there are such elements
 */
enum overlap overlap_of(const struct overlap_dimensions *dimensions,
                        int64_t difference[TCPLAN_MAX_INDICES]);

#endif
