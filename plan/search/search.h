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

/* Factor on the best prediction that a lower bound must exceed to exclude a candidate: both are
 * measured, so both have errors. Kernels timed alone, under other load or on other pages, took up
 * to 1.13 times as long as the whole algorithms later did. */
#define BOUND_MARGIN 1.2

struct surrogate;

/** The state of a search. */
struct search {
    struct ranker *ranker;
    struct deadline first;       /**< time at which the first evaluation must end */
    struct deadline evaluating;  /**< time at which all evaluations must end */
    double best_seconds;         /**< time of the fastest evaluation so far */
    int evaluations;             /**< number of evaluations chosen by expected improvement */
    double expected_seconds[2];  /**< predicted seconds of all evaluations by windows, and by runs,
                                    without those that compiled */
    double taken_seconds[2];     /**< actual CPU seconds of these evaluations */
    struct surrogate *surrogate; /**< chooses the next evaluation */
    double *compile_seconds; /**< for each of the first `compile_count` entries, seconds to compile
                                its kernel; negative: unknown */
    size_t compile_count;
    bool answered; /**< whether the best candidate has a prediction, or at least an estimate */
    bool is_out_of_time; /**< whether the time limit prevented an evaluation */
};

/* evaluate.c */

/** Returns whether candidates may be excluded without an evaluation: not if all must be predicted,
 * or if the predictor measures nothing. */
bool ranker_prunes(const struct ranker *ranker);

/** Estimates the seconds that evaluating an entry takes, including compiling if its kernel has
 * to be compiled first. The estimate is scaled by the actual cost of earlier evaluations of the
 * same kind (runs or windows). */
double search_evaluation_seconds(const struct search *search, struct tcplan_entry *entry);

/** Returns the part of search_evaluation_seconds() that is compiling. */
double search_compile_seconds(const struct search *search, const struct tcplan_entry *entry);

/** Stores compile times for all present entries, which must keep their positions. If out of memory,
 * they are computed in each call. */
void search_remember_compiling(struct search *search);

/** Forgets the compile times of candidates that may share kernels with an entry, which were
 * compiled now. */
void search_forget_compiling(struct search *search, const struct tcplan_entry *compiled);

/** Returns whether the remaining time is too short to evaluate an entry, although there is an
 * answer already; records that the time limit prevented an evaluation. */
bool search_cuts(struct search *search, struct tcplan_entry *entry);

/** Returns whether the kernels of an entry alone take longer than the best candidate. */
bool search_excludes(const struct search *search, struct tcplan_entry *entry);

/**
 * Evaluates an entry. If there is no time, the entry stays open; if there is no answer yet, its
 * estimate becomes the answer. An algorithm that does not apply, or exceeds the memory bound, is
 * not an error.
 */
enum tcplan_status search_evaluate(struct search *search, struct tcplan_entry *entry,
                                   struct tcplan_error *error);

/** Returns whether an algorithm's provider is available and has the routine of its kernel. */
bool search_can_run(const struct tcplan_problem *problem, const struct tcplan_algorithm *algorithm);

/** Finds the entry of an algorithm with this number of threads, or adds it. *out is NULL if the
 * algorithm is not applicable. Times nothing. */
enum tcplan_status search_entry_of(struct tcplan_entry **out, struct ranker *ranker,
                                   const struct tcplan_algorithm *algorithm, int threads,
                                   struct tcplan_error *error);

/* first.c */

/** Adds the baseline, not yet evaluated, with ranker->threads threads, or one if it shares nothing;
 * marks it if it has an entry. */
enum tcplan_status search_add_baseline(struct ranker *ranker, struct tcplan_error *error);

/** Adds the whole contraction as one call of each open TAPP library that supports it. */
enum tcplan_status search_add_whole(struct ranker *ranker, struct tcplan_error *error);

/** Evaluates the candidate with the lowest estimate. Its time excludes others, and it is the
 * answer if the time limit ends the search. Then evaluates TAPP libraries, which the user asked
 * for. */
enum tcplan_status search_evaluate_first(struct search *search, struct tcplan_error *error);

/** Evaluates the baselines last, because that may take long. A baseline whose estimate exceeds the
 * longest affordable time (effort.h) keeps its estimate. */
enum tcplan_status search_settle_baselines(struct search *search, struct tcplan_error *error);

/* acquisition.c */

/** Sorts entries by estimate, lowest first; equal ones keep the order of generation. */
void search_sort_by_estimate(struct tcplan_ranking *ranking);

/** Repeatedly evaluates the candidate with the highest expected improvement per second, until none
 * exceeds effort_price(). Adds neighbours of promising candidates. */
enum tcplan_status search_acquire(struct search *search, struct tcplan_error *error);

/** Evaluates every candidate that no lower bound excludes. */
enum tcplan_status search_evaluate_all(struct search *search, struct tcplan_error *error);

/* neighbours.c */

/** Adds candidates that differ from an entry in one choice. Entries may move. */
enum tcplan_status search_propose_neighbours(const struct search *search,
                                             const struct tcplan_entry *entry,
                                             struct tcplan_error *error);

/** Adds candidates that compute the whole product by one kernel for any strides; generated
 * structures do not include them. */
enum tcplan_status search_propose_whole(const struct search *search, struct tcplan_error *error);

/* settle.c */

/**
 * Excludes candidates that were not evaluated, if their lower bounds exceed the best prediction. If
 * there are many, doubtful kernel times are not measured again, and the candidates concerned stay
 * open.
 */
enum tcplan_status search_settle_rest(const struct search *search, struct tcplan_error *error);
