/**
 * Candidates: entries of the ranking that nobody has looked at yet, each with the time of its
 * kernels by themselves and a coarse estimate of the whole.
 */
#ifndef PLAN_CANDIDATES_H
#define PLAN_CANDIDATES_H

#include "plan/rank.h"

/** What is known at first of an algorithm that so many threads execute. */
struct tcplan_entry candidate_of(const struct tcplan_algorithm *algorithm, int threads,
                                 uint64_t ordinal);

/** The entry of an algorithm that so many threads execute, or NULL. */
struct tcplan_entry *candidate_find(const struct tcplan_ranking *ranking,
                                    const struct tcplan_algorithm *algorithm, int threads);

/** Puts a copy of an entry behind all others, and counts it; NULL when memory is out. Pointers to
 * entries are no longer valid. */
struct tcplan_entry *candidate_add(struct ranker *ranker, const struct tcplan_entry *entry);

/**
 * Fills in calls, bound and estimate of an entry.
 *
 * @return as blas_call_of(); TCPLAN_NOT_APPLICABLE, which is noted in the entry, also where nobody
 *         makes the kernel's call, or temporaries are too large
 */
enum tcplan_status candidate_rate(struct ranker *ranker, struct tcplan_entry *entry,
                                  struct tcplan_error *error);

/** The same, by what is known already or guessed of its kernel: nothing is timed, nothing noted. */
enum tcplan_status candidate_expect(struct ranker *ranker, struct tcplan_entry *entry,
                                    struct tcplan_error *error);

/** A bound on what generating takes: it ends by then, and is_cut says whether it was because of the
 * time limit. */
struct generating {
    double best_seconds; /**< what may be faster is generated; receives the best estimate where that
                            is less */
    double spent_seconds; /**< CPU time of what was generated before; what is generated adds to it
                           */
    bool is_cut; /**< the time limit ended it: candidates are worth nothing without time to look at
                    them */
};

/**
 * Makes candidates of the `blas` space, in entries behind those that there are; where every
 * algorithm has an entry already these are rated.
 */
enum tcplan_status candidates_make_orders(struct ranker *ranker, struct generating *generating,
                                          struct tcplan_error *error);

/** Makes those of the `full` space; takes as long as the effort has it for what the best takes. */
enum tcplan_status candidates_make_arrangements(struct ranker *ranker,
                                                struct generating *generating,
                                                struct tcplan_error *error);

/** What was looked at in less time than its kernels by themselves were thought to take shows that
 * these are faster. */
void candidate_learn(struct ranker *ranker, struct tcplan_entry *entry);

/**
 * Has the kernel of a candidate timed that is estimated by a model, where the effort times at all:
 * what a model says excludes nobody, neither the candidate nor those that it would lead, and nobody
 * is looked at because of it alone.
 *
 * @return whether that was so; others keep what they have
 */
bool candidate_confirm(struct ranker *ranker, struct tcplan_entry *entry);

/** Has its kernel timed again where it is estimated to take more than `seconds` by a single time:
 * that may have been disturbed. */
void candidate_doubt(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** Whether the kernels of a candidate take more than `seconds` by themselves; they are timed again
 * before that is said. */
bool candidate_exceeds(struct ranker *ranker, struct tcplan_entry *entry, double seconds);

/** The same as far as that is known: nothing is timed. */
bool candidate_is_known_to_exceed(const struct ranker *ranker, const struct tcplan_entry *entry,
                                  double seconds);

#endif
