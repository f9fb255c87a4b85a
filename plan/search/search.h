/**
 * The search: which candidates are looked at, in which order, and when that ends. Each stage is a
 * file; what they share is in look.c.
 *
 * A look predicts one candidate by executing its kernels. All of it is within the budgets of the
 * effort (plan/effort.h) and the time limit.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "plan/effort.h"
#include "plan/rank.h"

/* A bound within this much of the best prediction does not exclude: both are measured. */
#define BOUND_MARGIN 1.05

struct surrogate;

/** A search: what it has found so far. */
struct search {
    struct ranker *ranker;
    struct deadline first;       /**< by which the first look has ended, or there is none */
    struct deadline looking;     /**< and all looks */
    double best_seconds;         /**< of what was looked at */
    int looks;                   /**< at what promised most */
    double expected_seconds;     /**< that looks were to take for which nothing was compiled, */
    double taken_seconds;        /**< and took, of CPU time */
    struct surrogate *surrogate; /**< that chooses them */
    double *compile_seconds;     /**< by entry, of some of the first; below 0: not known yet */
    size_t compile_count;
    int compiled;  /**< kernels, when these were found out: another may be of several */
    bool answered; /**< something is predicted, or at least estimated */
    bool is_cut;   /**< there was no time for some look */
};

/* look.c */

/** Whether candidates are left out by what is known of them: not where all are to be predicted, or
 * the predictor measures nothing that could tell. */
bool ranker_prunes(const struct ranker *ranker);

/** Seconds that a look at an entry takes, about: by its kernel and what looks so far took over
 * that, and a compiler where it has to make the kernel first. */
double search_look_seconds(const struct search *search, const struct tcplan_entry *entry);

/** Of these, the compiler's. */
double search_compile_seconds(const struct search *search, const struct tcplan_entry *entry);

/** Lets what a compiler takes be remembered for all entries that there are now, which keep their
 * places; without memory it is found out each time. */
void search_remember_compiling(struct search *search);

/** Whether a look is left out, as there is an answer and no time: that is noted. */
bool search_cuts(struct search *search, const struct tcplan_entry *entry);

/** Whether an entry's kernels alone take too long. */
bool search_excludes(const struct search *search, struct tcplan_entry *entry);

/**
 * Predicts an entry. Where there is no time for that it stays open, or its estimate is the answer
 * where there is none yet. That it does not apply, or takes more than the bound on memory, is no
 * failure.
 */
enum tcplan_status search_look(struct search *search, struct tcplan_entry *entry,
                               struct tcplan_error *error);

/** Whether an algorithm's provider is there and has its kernel's routine. */
bool search_can_run(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm);

/** The entry of an algorithm by so many threads, which gets one where it has none and can run;
 * NULL: it cannot. Nothing is timed for that. */
enum tcplan_status search_entry_of(struct tcplan_entry **out, struct ranker *ranker,
                                   const struct tcplan_algorithm *algorithm, int threads,
                                   struct tcplan_error *error);

/* first.c */

/** The first candidate with so many threads; nobody has looked at it yet. */
enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error);

/** Looks at the candidate with the least estimate: it prunes from then on, and is the answer where
 * there is no time for others. */
enum tcplan_status search_look_at_first(struct search *search, struct tcplan_error *error);

/** Baselines come last, as they may take long: the time of one that is hopeless is an estimate. */
enum tcplan_status search_settle_baselines(struct search *search, struct tcplan_error *error);

/* promising.c */

/** The least estimate first; of equals the one that was generated first. */
void search_sort_by_estimate(struct tcplan_ranking *ranking);

/** Looks at candidates, at any time at the one that promises most by what is known then, until none
 * promises what planning is to (effort_price()); of those that look good neighbours are proposed.
 */
enum tcplan_status search_look_at_promising(struct search *search, struct tcplan_error *error);

/** Looks at every candidate that no bound excludes. */
enum tcplan_status search_look_at_all(struct search *search, struct tcplan_error *error);

/* neighbours.c */

/** Makes candidates of what differs in one thing from an entry, which may move meanwhile. */
enum tcplan_status search_propose_neighbours(const struct search *search,
                                             const struct tcplan_entry *entry,
                                             struct tcplan_error *error);

/** Makes candidates of the product as a whole, by kernels that take all operands as they lie: no
 * structure leads to them. */
enum tcplan_status search_propose_whole(const struct search *search, struct tcplan_error *error);

/* settle.c */

/**
 * What nobody looked at is excluded where its bound exceeds the best prediction that there is in
 * the end. Of many candidates that is no reason to time kernels again: what is not known for
 * certain is left open.
 */
enum tcplan_status search_settle_rest(const struct search *search, struct tcplan_error *error);
