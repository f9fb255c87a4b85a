/** Makes rankings from texts, and checks what must hold for every ranking, whatever the times are.
 */
#ifndef SUPPORT_RANKED_H
#define SUPPORT_RANKED_H

#include "support/random_contraction.h"
#include "tcplan/rank.h"

/** Returns the default options with the `blas` space and a machine with small caches, which gives
 * short histories. */
struct tcplan_rank_options ranked_options(void);

/** Returns ranked_options() of an effort. They give the speed of gemm, so that it is not measured.
 */
struct tcplan_rank_options ranked_search_options(enum tcplan_effort effort);

/** A problem and its ranking. */
struct ranked {
    struct random_contraction given;
    struct tcplan_ranking *ranking;
    bool threads; /**< whether several threads may run, which wait if processors are busy */
};

/** Ranks a contraction in column-major order. Fails the test if tcplan refuses it; `options` NULL:
 * tcplan's defaults. */
void ranked_init(struct ranked *out, const char *contraction, const char *sizes,
                 enum tcplan_dtype dtype, const struct tcplan_rank_options *options);

void ranked_free(struct ranked *ranked);

/** Fails the test if two algorithms differ. */
void ranked_same_algorithm(const struct tcplan_algorithm *a, const struct tcplan_algorithm *b);

/** Fails the test if an entry's numbers contradict its status. */
void ranked_check_entry(const struct tcplan_entry *entry);

/** Fails the test if the marks of tied entries, or their number, are wrong. */
void ranked_check_ties(const struct tcplan_ranking *ranking);

/**
 * Fails the test if a ranking is inconsistent. Algorithms must be listed once, in order, with
 * consistent numbers and statuses; pruned ones cannot win; every algorithm of the space is
 * counted.
 */
void ranked_check(const struct ranked *ranked);

/** Returns how many entries have a status. */
size_t ranked_count(const struct tcplan_ranking *ranking, enum tcplan_entry_status status);

/** Returns how many entries have a prediction. */
size_t ranked_predicted_count(const struct tcplan_ranking *ranking);

/** Returns how many entries have a prediction with this basis. */
size_t ranked_basis_count(const struct tcplan_ranking *ranking, enum tcplan_basis basis);

#endif
