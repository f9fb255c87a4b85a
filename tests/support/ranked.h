/**
 * Rankings given by texts, and what holds for every ranking whatever was timed.
 */
#ifndef SUPPORT_RANKED_H
#define SUPPORT_RANKED_H

#include "support/random_contraction.h"
#include "tcplan/rank.h"

/** The defaults on a machine with small caches, so that histories are short; of the `blas` space.
 */
struct tcplan_rank_options ranked_options(void);

/** A problem and its ranking. */
struct ranked {
    struct random_contraction given;
    struct tcplan_ranking *ranking;
    bool threads; /**< several may have run, which wait where processors are taken */
};

/** Ranks a contraction in column-major order. Fails the test where tcplan refuses; `options` NULL:
 * tcplan's own. */
void ranked_init(struct ranked *out, const char *contraction, const char *sizes,
                 enum tcplan_dtype dtype, const struct tcplan_rank_options *options);

void ranked_free(struct ranked *ranked);

/** Fails the test where the two differ. */
void ranked_same_algorithm(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b);

/** Fails the test where an entry's figures contradict its status. */
void ranked_check_entry(const struct tcplan_entry *entry);

/** Fails the test where ties or their number are wrong. */
void ranked_check_ties(const struct tcplan_ranking *ranking);

/**
 * Fails the test where a ranking is none: algorithms listed once, in order, figures and statuses
 * that agree, pruned ones that could not win, and every algorithm of the space counted as
 * something.
 */
void ranked_check(const struct ranked *ranked);

/** How many entries have a status. */
size_t ranked_count(const struct tcplan_ranking *ranking, enum tcplan_entry_status status);

#endif
