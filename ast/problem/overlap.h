/**
 * Whether elements that lie some strides apart coincide.
 */
#ifndef AST_PROBLEM_OVERLAP_H
#define AST_PROBLEM_OVERLAP_H

#include <stdint.h>

#include "tcplan/contraction.h"

enum overlap {
    OVERLAP_NONE,
    OVERLAP_FOUND,
    OVERLAP_UNKNOWN /**< it would take too long to tell: strides that are hardly larger than what
                       smaller ones span */
};

/** Dimensions: extents of at least 1, strides of either sign; stride * (extent - 1) of all of them
 * together is within an int64_t. */
struct overlap_dimensions {
    int count;
    int64_t extent[TCPLAN_MAX_INDICES];
    int64_t stride[TCPLAN_MAX_INDICES];
};

/** @param difference  receives the indices of one element less those of another in the same place,
 * where there are such elements */
enum overlap overlap_of(const struct overlap_dimensions *dimensions,
                        int64_t difference[TCPLAN_MAX_INDICES]);

#endif
