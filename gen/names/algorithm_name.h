/**
 * Names of algorithms: one grammar (tcplan/algorithm.h, docs/algorithms.md), printed in one file
 * and read in another.
 */
#ifndef GEN_NAMES_ALGORITHM_NAME_H
#define GEN_NAMES_ALGORITHM_NAME_H

#include "base/strbuf.h"
#include "tcplan/algorithm.h"

/** Appends the name of an algorithm with exactly its loops and copies. */
void name_print(struct strbuf *out, const struct tcplan_algorithm *algorithm,
                const struct tcplan_contraction *contraction, enum tcplan_dtype dtype);

/**
 * Reads the name of an algorithm.
 * @param why  receives the message if the name is invalid
 * @return TCPLAN_OK or TCPLAN_INVALID
 */
enum tcplan_status name_read(struct tcplan_algorithm *out,
                             const struct tcplan_contraction *contraction, enum tcplan_dtype dtype,
                             const char *name, struct tcplan_error *why);

/** Returns whether an index name begins like the list of copies after an apostrophe. */
bool name_is_like_copies(const char *index_name);

#endif
