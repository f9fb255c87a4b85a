/** Shapes for the einsum parser, which removes dimensions from them. */
#ifndef AST_PROBLEM_SHAPES_H
#define AST_PROBLEM_SHAPES_H

#include <stddef.h>

#include "tcplan/shapes.h"

enum { SHAPES = TCPLAN_C }; /* number of shapes: one for each factor */

/** An extent and its position in the text. */
struct shape_extent {
    int64_t value;
    size_t offset;
    size_t length;
};

struct shape {
    size_t offset;
    size_t length; /* length of the text; 0: the shape is missing */
    int rank;
    struct shape_extent extent[TCPLAN_MAX_RANK];
};

struct tcplan_shapes {
    struct shape shape[SHAPES]; /* shapes by operand */
};

/** Reads `count` shapes; a missing last one counts as the shape of a scalar. Returns the statuses
 * of tcplan_shapes_parse(). */
enum tcplan_status shapes_read(struct shape shape[], int count, const char *text,
                               struct tcplan_error *error);

/** Rejects a shape whose rank differs from its tensor's. */
enum tcplan_status shapes_check_rank(const struct shape *shape, const char *tensor, int rank,
                                     struct tcplan_error *error);

/**
 * Records the extent of dimension `d`; all dimensions of an index must agree.
 * @param known extent of the index so far; -1: unknown
 */
enum tcplan_status shapes_note(int64_t *known, const struct shape *shape, int d, const char *index,
                               struct tcplan_error *error);

#endif
