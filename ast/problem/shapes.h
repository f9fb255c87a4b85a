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

/** Reads `count` shapes; a missing one at the end is that of a scalar. Statuses of
 * tcplan_shapes_parse(). */
enum tcplan_status shapes_read(struct shape shape[], int count, const char *text,
                               struct tcplan_error *error);

/** Refuses a shape that has another rank than its tensor. */
enum tcplan_status shapes_check_rank(const struct shape *shape, const char *tensor, int rank,
                                     struct tcplan_error *error);

/**
 * Notes the extent of dimension `d`; an index has one extent, wherever it is met.
 *
 * @param known  of the index; -1: not known yet
 */
enum tcplan_status shapes_note(int64_t *known, const struct shape *shape, int d, const char *index,
                               struct tcplan_error *error);

#endif
