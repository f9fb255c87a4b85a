/**
 * Candidates: entries of the ranking before their evaluation. Each has the time of its kernels
 * alone and a coarse estimate of the whole.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "plan/rank.h"

/** Returns an entry for an algorithm with this number of threads, without any time. */
struct tcplan_entry candidate_of(const struct tcplan_algorithm *algorithm, int threads,
                                 uint64_t ordinal);

/** Returns the entry of an algorithm with this number of threads, or NULL. */
struct tcplan_entry *candidate_find(const struct tcplan_ranking *ranking,
                                    const struct tcplan_algorithm *algorithm, int threads);

/** Appends a copy of an entry, and counts it; NULL if out of memory. Pointers to entries become
 * invalid. */
struct tcplan_entry *candidate_add(struct ranker *ranker, const struct tcplan_entry *entry);

/**
 * Fills in the calls, lower bound and estimate of an entry.
 *
 * @return a status of blas_call_of(). TCPLAN_NOT_APPLICABLE, also recorded in the entry, if no
 *         provider has the call or temporaries are too large
 */
enum tcplan_status candidate_rate(struct ranker *ranker, struct tcplan_entry *entry,
                                  struct tcplan_error *error);

/** Sets the same members of an entry as candidate_rate(), from known or guessed kernel times. Times
 * and records nothing. */
enum tcplan_status candidate_expect(struct ranker *ranker, struct tcplan_entry *entry,
                                    struct tcplan_error *error);

/** The time for generating candidates, and how much of that time was used. */
struct generating {
    double best_seconds;  /**< candidates that cannot be faster than this are not generated; lowered
                             to the lowest estimate while candidates are generated */
    double spent_seconds; /**< CPU time used so far, in seconds */
    bool is_out_of_time;  /**< whether the time limit ended generating */
};

/**
 * Appends the candidates of the `blas` space; if every algorithm already has an entry, estimates
 * these.
 */
enum tcplan_status candidates_make_orders(struct ranker *ranker, struct generating *generating,
                                          struct tcplan_error *error);

/** Appends the candidates of the `full` space, within the effort's budget for the best time so far.
 */
enum tcplan_status candidates_make_arrangements(struct ranker *ranker,
                                                struct generating *generating,
                                                struct tcplan_error *error);

/** Lowers the recorded time of an entry's kernel if a whole execution took less time than all
 * its kernel calls would take by that record. */
void candidate_learn(struct ranker *ranker, struct tcplan_entry *entry);

/**
 * Replaces a modelled kernel time by a measured one, unless the effort times nothing, or the kernel
 * would have to be compiled. So no candidate is excluded, or selected for evaluation, by a model
 * alone.
 *
 * @return whether the time was replaced
 */
bool candidate_confirm(struct ranker *ranker, struct tcplan_entry *entry);

/** Times the kernel again if only one, possibly disturbed, measurement says that the candidate
 * takes more than `seconds`. */
void candidate_doubt(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** Returns whether the kernels of a candidate alone take more than `seconds`; confirms that by a
 * second measurement. */
bool candidate_exceeds(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** Returns whether recorded times show that the kernels of a candidate alone take more than
 * `seconds`; times nothing. */
bool candidate_is_known_to_exceed(const struct ranker *ranker, const struct tcplan_entry *entry,
                                  double seconds);

#endif
