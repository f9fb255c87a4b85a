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
    double expected_seconds;     /**< that all looks were to take, */
    double taken_seconds;        /**< and took, of CPU time */
    struct surrogate *surrogate; /**< that chose the last of them */
    bool answered;               /**< something is predicted, or at least estimated */
    bool is_cut;                 /**< there was no time for some look */
};

/* look.c */

/** Whether candidates are left out by what is known of them: not where all are to be predicted, or
 * the predictor measures nothing that could tell. */
bool ranker_prunes(const struct ranker *ranker);

/** Seconds that a look at an entry takes, about: by its kernel and what looks so far took over
 * that.
 */
double search_look_seconds(const struct search *search, const struct tcplan_entry *entry);

/** Whether a look is left out, as there is an answer and no time: that is noted. */
bool search_cuts(struct search *search, const struct tcplan_entry *entry);

/** Whether a stage that began at `start_ns` of CPU time has taken what the fastest is worth. */
bool search_is_over(const struct search *search, struct effort_share share, uint64_t start_ns);

/** Whether there is time for a compiler to make an algorithm's kernel, and others that take
 * `kept_seconds`: by the effort, and until looks are to end. */
bool search_may_compile(const struct search *search, const struct tcplan_algorithm *algorithm,
                        double kept_seconds);

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

/** The entry of an algorithm, which gets one where it has none and can run; NULL: it cannot. */
enum tcplan_status search_entry_of(struct tcplan_entry **out, struct ranker *ranker,
                                   const struct tcplan_algorithm *algorithm,
                                   struct tcplan_error *error);

/** Looks at an algorithm, whether it was a candidate or not, unless somebody did, it cannot run, or
 * its kernels take too long. */
enum tcplan_status search_look_at(struct search *search, const struct tcplan_algorithm *algorithm,
                                  struct tcplan_error *error);

/* first.c */

/** The first candidate of all; nobody has looked at it yet. */
enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error);

/**
 * The first look prunes from then on, and is the answer where there is no time for others: the
 * baseline, or the paper's algorithm that promises clearly more, where there is one. Then the
 * baseline comes last, when more is known of what it is held against: it may be long.
 */
enum tcplan_status search_look_at_first(struct search *search, struct tcplan_error *error);

/** The time of a baseline that is hopeless is an estimate. */
enum tcplan_status search_settle_baseline(struct search *search, struct tcplan_error *error);

/* promising.c */

/** The least estimate first; of equals the one that was generated first. */
void search_sort_by_estimate(struct tcplan_ranking *ranking);

/** Looks at candidates, at any time at the one that promises most by what is known then, until none
 * promises what planning is to (effort_price()). */
enum tcplan_status search_look_at_promising(struct search *search, struct tcplan_error *error);

/** Looks at every candidate that no bound excludes. */
enum tcplan_status search_look_at_all(struct search *search, struct tcplan_error *error);

/* vary.c */

/**
 * What a kernel does to operands beyond the caches, and what caches keep of a result, shows only in
 * place: the fastest are tried with all providers, and the fastest of all with its copies made
 * otherwise, and by one thread.
 */
enum tcplan_status search_vary(struct search *search, struct tcplan_error *error);

/* settle.c */

/**
 * What nobody looked at is excluded where its bound exceeds the best prediction that there is in
 * the end. Of many candidates that is no reason to time kernels again: what is not known for
 * certain is left open.
 */
enum tcplan_status search_settle_rest(const struct search *search, struct tcplan_error *error);
