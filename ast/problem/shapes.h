/**
 * What shapes are for the parser of einsum, which takes dimensions out of them.
 */
#ifndef AST_PROBLEM_SHAPES_H
#define AST_PROBLEM_SHAPES_H

#include <stddef.h>

#include "tcplan/shapes.h"

enum { SHAPES = TCPLAN_C }; /* of both factors */

/** An extent and where it stands. */
struct shape_extent {
    int64_t value;
    size_t offset;
    size_t length;
};

struct shape {
    size_t offset;
    size_t length; /* 0: it is missing */
    int rank;
    struct shape_extent extent[TCPLAN_MAX_RANK];
};

struct tcplan_shapes {
    struct shape shape[SHAPES]; /* by operand */
};

#endif
