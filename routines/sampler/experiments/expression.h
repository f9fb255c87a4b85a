/**
 * Arithmetic over the variables of an experiment: sizes, scalars, leading dimensions, ranges.
 *
 *   expression = term { ( "+" | "-" ) term }
 *   term       = factor { ( "*" | "/" ) factor }
 *   factor     = [ "-" | "+" ] ( number | variable | "(" expression ")" | function )
 *   function   = ( "min" | "max" ) "(" expression { "," expression } ")"
 *              | ( "floor" | "ceil" ) "(" expression ")"
 *
 * Values are integers of 64 bits as long as possible. A quotient that is not an integer, and a
 * number with a point, are real, and so are results that depend on them. Overflow is an error.
 */
#ifndef SAMPLER_EXPRESSION_H
#define SAMPLER_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "tcplan/status.h"

/** The variables that expressions may use. */
enum expression_variable { EXPRESSION_RANGE, EXPRESSION_SUM, EXPRESSION_VARIABLES };

enum { EXPRESSION_LENGTH_MAX = 512 };

/** The names of the variables; NULL: expressions cannot use this variable. */
struct expression_scope {
    const char *name[EXPRESSION_VARIABLES];
};

struct expression_node;

/** An expression; all members zero: there is none. */
struct expression {
    const char *text; /**< text of the expression without blanks; NULL: there is no expression */
    const struct expression_node *root; /**< root of the parsed expression; NULL: there is no
                                           expression */
    unsigned variables; /**< the variables that it contains, bits of enum expression_variable */
};

/** A value of each variable; those not in the expression are ignored. */
struct expression_values {
    int64_t value[EXPRESSION_VARIABLES];
};

/**
 * Reads an expression.
 *
 * @param arena  memory for the text and the parsed expression
 * @param text   `length` bytes
 * @param scope  the variables that it may use
 * @return TCPLAN_OK; TCPLAN_INVALID, with the position in `text`; TCPLAN_OVERFLOW if a number does
 *         not fit; TCPLAN_NO_MEMORY
 */
enum tcplan_status expression_parse(struct expression *out, struct arena *arena, const char *text,
                                    size_t length, const struct expression_scope *scope,
                                    struct tcplan_error *error);

/** Makes a constant expression. */
enum tcplan_status expression_constant(struct expression *out, struct arena *arena, int64_t value,
                                       struct tcplan_error *error);

/** Computes an integer value. Returns TCPLAN_INVALID if the value is not an integer or for a
 * division by 0, TCPLAN_OVERFLOW if it does not fit. */
enum tcplan_status expression_integer(const struct expression *expression,
                                      const struct expression_values *values, int64_t *out,
                                      struct tcplan_error *error);

/** Computes the value, which must be finite. */
enum tcplan_status expression_real(const struct expression *expression,
                                   const struct expression_values *values, double *out,
                                   struct tcplan_error *error);

/** Returns whether two expressions have the same text. */
bool expression_same(const struct expression *a, const struct expression *b);

#endif
