/**
 * Checks of expressions of several tensors (SUBJECT_NETWORK): a sum of products of up to ten
 * factors together, in a drawn or searched order, with layouts and slices, executed or emitted.
 */
#ifndef TORTURE_EXPRESSION_H
#define TORTURE_EXPRESSION_H

#include "torture/execute.h"

struct strbuf;

/** Draws an expression; equal seeds give equal expressions. */
void expression_draw(struct subject *out, uint64_t seed);

/** Returns notation and sizes, to be freed with free(); NULL if memory runs out. */
char *expression_notation(const struct subject *subject);
char *expression_sizes(const struct subject *subject);

/** Write and read the part of a check's line that describes the expression, after the extents.
 * expression_read() advances `at`, and returns false if the part is invalid. */
void expression_write(struct strbuf *text, const struct subject *subject);
bool expression_read(struct subject *out, const char *at);

/** Reduces an expression, as subject_shrink() does. */
int expression_shrink(struct subject *out, const struct subject *subject, int step);

/** Appends the emitted C of an expression, a function NAME, and `int call_NAME(const void *const
 * tensor[], void *result)`, which calls NAME with the pointers of a list. */
enum execute_outcome expression_emit(struct strbuf *all, const struct subject *subject,
                                     const char *name, char *why, size_t size);

/** Checks a compiled function; `symbol` is the address of call_NAME. */
enum execute_outcome expression_run_emitted(const struct subject *subject, void *symbol, char *why,
                                            size_t size);

/** Executes an expression in this process and checks the result, as execute() does. */
enum execute_outcome expression_execute(const struct subject *subject, char *why, size_t size);

#endif
