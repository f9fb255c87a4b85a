/** Element types, and real and complex factors: rounding to a type, printing. */
#ifndef AST_SCALAR_H
#define AST_SCALAR_H

#include "base/strbuf.h"
#include "tcplan/problem.h"

/** Appends the shortest text that reads back to the same factor: `0.5`, or `(0.5,-1)` if the
 * imaginary part is not 0. */
void scalar_print(struct strbuf *out, struct tcplan_scalar scalar);

/** Returns whether a factor is the real number `value`. */
bool scalar_is(struct tcplan_scalar scalar, double value);

/** Classes of factors that algorithms and code distinguish. */
enum scalar_class { SCALAR_ZERO, SCALAR_ONE, SCALAR_OTHER };

enum scalar_class scalar_class_of(struct tcplan_scalar scalar);

/** Rounds a factor to a type. */
struct tcplan_scalar scalar_round(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Rounds a factor to a type. Returns TCPLAN_INVALID, with its name in the message, for a
 * complex factor of a real type or a factor beyond the type's largest number. */
enum tcplan_status scalar_set(struct tcplan_scalar *out, const char *name,
                              struct tcplan_scalar scalar, enum tcplan_dtype dtype,
                              struct tcplan_error *error);

/** Returns whether a conjugate differs from the number itself: only for complex types. */
bool scalar_conjugates(bool conjugated, enum tcplan_dtype dtype);

#endif
