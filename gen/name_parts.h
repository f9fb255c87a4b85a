/**
 * Names of algorithms with choices: docs/algorithms.md has their grammar.
 */
#ifndef GEN_NAME_PARTS_H
#define GEN_NAME_PARTS_H

#include "base/strbuf.h"
#include "tcplan/algorithm.h"

/** Appends the name of an algorithm with choices. */
void name_print_choices(struct strbuf *out, const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                        enum tcplan_dtype dtype);

/** Whether a name has anything in it that only names of algorithms with choices have. */
bool name_has_choices(const struct tcplan_contraction *contraction, const char *name);

/**
 * Reads the name of an algorithm with choices, in any spelling: that the algorithm's own name is the same is for the caller to see.
 *
 * @param why  receives what is wrong with the name
 * @return TCPLAN_OK or TCPLAN_INVALID
 */
enum tcplan_status name_read_choices(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                                     const char *name, struct tcplan_error *why);

#endif
