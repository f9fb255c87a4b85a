/**
 * Candidates: entries of the ranking before their evaluation. Each has the time of its kernels
 * alone and a coarse estimate of the whole.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "plan/rank.h"

/** Returns an entry for an algorithm with so many threads, without any time. */
struct tcplan_entry candidate_of(const struct tcplan_algorithm *algorithm, int threads,
                                 uint64_t ordinal);

/** Returns the entry of an algorithm with so many threads, or NULL. */
struct tcplan_entry *candidate_find(const struct tcplan_ranking *ranking,
                                    const struct tcplan_algorithm *algorithm, int threads);

/** Appends and counts a copy of an entry; NULL without memory. Invalidates pointers to entries. */
struct tcplan_entry *candidate_add(struct ranker *ranker, const struct tcplan_entry *entry);

/**
 * Fills in the calls, lower bound and estimate of an entry.
 *
 * @return as blas_call_of(). TCPLAN_NOT_APPLICABLE, also recorded in the entry, if no provider has
 * the call or temporaries are too large
 */
enum tcplan_status candidate_rate(struct ranker *ranker, struct tcplan_entry *entry,
                                  struct tcplan_error *error);

/** Fills in the same as candidate_rate(), from known or guessed kernel times: times and records
 * nothing. */
enum tcplan_status candidate_expect(struct ranker *ranker, struct tcplan_entry *entry,
                                    struct tcplan_error *error);

/** The budget of generating, and how much of it was used. */
struct generating {
    double best_seconds;  /**< candidates that cannot be faster are not generated; lowered to the
                             best estimate */
    double spent_seconds; /**< CPU time spent so far; generating adds to it
                           */
    bool is_out_of_time;  /**< ended by the time limit, to leave time for evaluations */
};

/**
 * Appends the candidates of the `blas` space. If every algorithm has an entry already, rates those.
 */
enum tcplan_status candidates_make_orders(struct ranker *ranker, struct generating *generating,
                                          struct tcplan_error *error);

/** Appends the candidates of the `full` space, within the effort's budget for the best time so far.
 */
enum tcplan_status candidates_make_arrangements(struct ranker *ranker,
                                                struct generating *generating,
                                                struct tcplan_error *error);

/** Lowers the recorded time of an entry's kernel if a whole execution took less than that time
 * predicts for its kernels alone. */
void candidate_learn(struct ranker *ranker, struct tcplan_entry *entry);

/**
 * Replaces a modelled kernel time by a measured one, unless the effort times nothing or the kernel
 * would have to be compiled. A model alone neither excludes a candidate nor selects it for
 * evaluation.
 *
 * @return whether the time was replaced
 */
bool candidate_confirm(struct ranker *ranker, struct tcplan_entry *entry);

/** Times the kernel again if a single measurement puts the candidate above `seconds`: it may have
 * been disturbed. */
void candidate_doubt(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** Returns whether the kernels of a candidate alone take more than `seconds`; confirms that by a
 * second measurement. */
bool candidate_exceeds(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** Returns whether recorded times show that the kernels of a candidate alone take more than
 * `seconds`; times nothing. */
bool candidate_is_known_to_exceed(const struct ranker *ranker, const struct tcplan_entry *entry,
                                  double seconds);

#endif
