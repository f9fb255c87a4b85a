/**
 * A list of values that a variable takes in turn:
 *
 *     sweep = piece { "," piece } ;
 *     piece = expression [ ":" expression [ ":" expression ] ]
 *
 * `first:last:step` is first, first + step and so on up to last; last itself is included only if
 * the steps reach it. A step of 1 may be omitted; a negative step counts down.
 */
#ifndef SAMPLER_SWEEP_H
#define SAMPLER_SWEEP_H

#include <stddef.h>

#include "routines/sampler/experiments/expression.h"

struct sweep_piece;

/** A parsed sweep; all members zero: there is none. */
struct sweep {
    const char *text; /**< text of the sweep without blanks; NULL: there is no sweep */
    size_t count;
    const struct sweep_piece *piece;
};

/**
 * Reads a sweep.
 *
 * @param arena memory for the parsed sweep
 * @param scope  the variables that its expressions may use
 * @return a status of expression_parse()
 */
enum tcplan_status sweep_parse(struct sweep *out, struct arena *arena, const char *text,
                               const struct expression_scope *scope, struct tcplan_error *error);

/**
 * Computes the values of a sweep.
 *
 * @param out   receives the values, allocated in `arena`
 * @param most  the largest accepted number of values
 * @return TCPLAN_OK; TCPLAN_INVALID if a step is 0 or there are too many values; as
 *         expression_integer(); TCPLAN_NO_MEMORY
 */
enum tcplan_status sweep_values(const int64_t **out, size_t *count, const struct sweep *sweep,
                                const struct expression_values *values, size_t most,
                                struct arena *arena, struct tcplan_error *error);

#endif
