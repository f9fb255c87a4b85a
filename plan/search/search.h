/**
 * The search: which candidates are evaluated, in which order, and when it stops. Each stage is one
 * file; shared code is in evaluate.c.
 *
 * An evaluation predicts one candidate by executing its kernels. The effort's budgets
 * (plan/effort.h) and the time limit bound all evaluations together.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "plan/effort.h"
#include "plan/rank.h"

/* A lower bound excludes a candidate if it exceeds the best prediction by this factor: both are
 * measured, so both have errors. Kernels timed alone, under other load or on other pages, took up
 * to 1.13 times as long as the whole algorithms later did. */
#define BOUND_MARGIN 1.2

struct surrogate;

/** The state of a search. */
struct search {
    struct ranker *ranker;
    struct deadline first;       /**< deadline of the first evaluation */
    struct deadline evaluating;  /**< deadline of all evaluations */
    double best_seconds;         /**< the fastest evaluation so far */
    int evaluations;             /**< evaluations chosen by expected improvement */
    double expected_seconds[2];  /**< predicted cost of all evaluations by windows, and by runs,
                                    that compiled nothing */
    double taken_seconds[2];     /**< their actual CPU time */
    struct surrogate *surrogate; /**< chooses the next evaluation */
    double *compile_seconds;     /**< for each of the first `compile_count` entries, the seconds to
                                    compile its kernel; below 0: unknown */
    size_t compile_count;
    int compiled;  /**< number of compiled kernels when `compile_seconds` was valid: algorithms
                        share kernels */
    bool answered; /**< the best candidate has a prediction or at least an estimate */
    bool is_out_of_time; /**< the time limit prevented an evaluation */
};

/* evaluate.c */

/** Returns whether candidates may be excluded without an evaluation: not if all are to be
 * predicted, or if the predictor measures nothing. */
bool ranker_prunes(const struct ranker *ranker);

/** Estimates the seconds that evaluating an entry takes, including a compiler if its kernel has to
 * be compiled first. The estimate is scaled by the cost of earlier evaluations by the same
 * instrument. */
double search_evaluation_seconds(const struct search *search, struct tcplan_entry *entry);

/** Returns the compiler's part of search_evaluation_seconds(). */
double search_compile_seconds(const struct search *search, const struct tcplan_entry *entry);

/** Caches compile times for all present entries, which must keep their places. Without memory they
 * are computed on each call. */
void search_remember_compiling(struct search *search);

/** Returns whether there is an answer but no time to evaluate an entry, and records that. */
bool search_cuts(struct search *search, struct tcplan_entry *entry);

/** Returns whether the kernels of an entry alone take too long. */
bool search_excludes(const struct search *search, struct tcplan_entry *entry);

/**
 * Evaluates an entry. Without time for it the entry stays open; if there is no answer yet, its
 * estimate becomes the answer. An algorithm that does not apply, or exceeds the memory bound, is
 * not an error.
 */
enum tcplan_status search_evaluate(struct search *search, struct tcplan_entry *entry,
                                   struct tcplan_error *error);

/** Returns whether an algorithm's provider is available and has the routine of its kernel. */
bool search_can_run(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm);

/** Finds the entry of an algorithm with so many threads, or adds one. Sets *out to NULL if the
 * algorithm cannot run. Times nothing. */
enum tcplan_status search_entry_of(struct tcplan_entry **out, struct ranker *ranker,
                                   const struct tcplan_algorithm *algorithm, int threads,
                                   struct tcplan_error *error);

/* first.c */

/** Adds the baseline, not yet evaluated, with ranker->threads threads, or one if it shares nothing;
 * marks it if it has an entry. */
enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error);

/** Adds the whole contraction as one call of each open TAPP library that supports it. */
enum tcplan_status search_add_whole(struct ranker *ranker, struct tcplan_error *error);

/** Evaluates the candidate with the lowest estimate. Its time prunes others, and it is the answer
 * if there is no time for more. Then evaluates TAPP libraries, which the user asked for. */
enum tcplan_status search_evaluate_first(struct search *search, struct tcplan_error *error);

/** Evaluates the baselines last, because that may take long. A baseline whose estimate exceeds the
 * longest affordable time (effort.h) keeps its estimate. */
enum tcplan_status search_settle_baselines(struct search *search, struct tcplan_error *error);

/* acquisition.c */

/** Sorts entries by estimate, lowest first; equal ones stay in order of generation. */
void search_sort_by_estimate(struct tcplan_ranking *ranking);

/** Repeatedly evaluates the candidate with the highest expected improvement per second, until none
 * exceeds effort_price(). Adds neighbours of candidates that look good. */
enum tcplan_status search_acquire(struct search *search, struct tcplan_error *error);

/** Evaluates every candidate that no lower bound excludes. */
enum tcplan_status search_evaluate_all(struct search *search, struct tcplan_error *error);

/* neighbours.c */

/** Adds candidates that differ from an entry in one choice. Entries may move. */
enum tcplan_status search_propose_neighbours(const struct search *search,
                                             const struct tcplan_entry *entry,
                                             struct tcplan_error *error);

/** Adds candidates that compute the whole product by one kernel, which takes all operands with
 * their strides; the generator has none of them. */
enum tcplan_status search_propose_whole(const struct search *search, struct tcplan_error *error);

/* settle.c */

/**
 * Excludes candidates that were not evaluated if their lower bounds exceed the best prediction.
 * With many candidates no kernel is timed again for that: an uncertain one stays open.
 */
enum tcplan_status search_settle_rest(const struct search *search, struct tcplan_error *error);
