/**
 * Types of elements, and real and complex factors: their rounding to a type, their text.
 */
#ifndef AST_SCALAR_H
#define AST_SCALAR_H

#include "base/strbuf.h"
#include "tcplan/problem.h"

/** The shortest text that reads back to the same factor: `0.5`, or `(0.5,-1)` where the imaginary
 * part is not 0. */
void scalar_print(struct strbuf *out, struct tcplan_scalar scalar);

/** Whether it is the real number `value`. */
bool scalar_is(struct tcplan_scalar scalar, double value);

/** What algorithms and code depend on of a factor: whether it is 0, 1 or something else. */
enum scalar_class { SCALAR_ZERO, SCALAR_ONE, SCALAR_OTHER };

enum scalar_class scalar_class_of(struct tcplan_scalar scalar);

/** The nearest factor that a type has. */
struct tcplan_scalar scalar_round(struct tcplan_scalar scalar, enum tcplan_dtype dtype);

/** Rounds a factor to a type; TCPLAN_INVALID, with its name in the message, where it is complex for
 * a real type, or beyond the type's largest number. */
enum tcplan_status scalar_set(struct tcplan_scalar *out, const char *name,
                              struct tcplan_scalar scalar, enum tcplan_dtype dtype,
                              struct tcplan_error *error);

/** Whether what is marked as a conjugate is another number: of complex types only. */
bool scalar_conjugates(bool conjugated, enum tcplan_dtype dtype);

#endif
