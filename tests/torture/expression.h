/**
 * Checks of several tensors (SUBJECT_NETWORK): a sum of products of up to ten factors in all, in an
 * order of its own, with layouts and slices, read from text or found by the search, executed or
 * emitted.
 */
#ifndef TORTURE_EXPRESSION_H
#define TORTURE_EXPRESSION_H

#include "torture/execute.h"

struct strbuf;

/** The same seed gives the same one. */
void expression_draw(struct subject *out, uint64_t seed);

/** Notation and sizes; NULL if out of memory. To be freed with free(). */
char *expression_notation(const struct subject *subject);
char *expression_sizes(const struct subject *subject);

/** Its part of a line, behind the extents, and the other way: `at` is where it begins. False where
 * it is none. */
void expression_write(struct strbuf *text, const struct subject *subject);
bool expression_read(struct subject *out, const char *at);

/** As subject_shrink(). */
int expression_shrink(struct subject *out, const struct subject *subject, int step);

/** Adds its C, as a function NAME, and `int call_NAME(const void *const tensor[], void *result)`,
 * which calls it with pointers from a list. */
enum execute_outcome expression_emit(struct strbuf *all, const struct subject *subject,
                                     const char *name, char *why, size_t size);

/** Checks the compiled functions: `symbol` is call_NAME. */
enum execute_outcome expression_run_emitted(const struct subject *subject, void *symbol, char *why,
                                            size_t size);

/** As execute(), of one that is not emitted. */
enum execute_outcome expression_execute(const struct subject *subject, char *why, size_t size);

#endif
