/**
 * The state that the stages of a ranking share.
 */
#ifndef PLAN_RANK_H
#define PLAN_RANK_H

#include "microbench/predict/thesis.h"
#include "microbench/predict/window.h"
#include "microbench/providers/maker.h"
#include "microbench/timing/reference.h"
#include "plan/candidate_index.h"
#include "plan/effort.h"
#include "plan/times/model_times.h"
#include "tcplan/costs.h"

/** The current stage of a ranking, and clock readings when it began. */
struct stage_clock {
    enum tcplan_planning_stage stage;
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t backing_ns; /**< CPU time for backing and touching pages, in ns */
    int64_t backed_pages;
    struct kernel_maker made; /**< time of compilers so far */
};

struct ranker {
    struct tcplan_ranking *ranking;
    size_t entry_capacity;        /**< number of entries that fit in the array */
    struct candidate_index index; /**< finds entries by algorithm */
    uint64_t found;               /**< candidates generated */
    struct arranger *arranger;    /**< arranges structures; exists during the search */
    size_t front_count; /**< number of leading entries that the stage predicts or compares */
    struct tcplan_rank_options options;
    int threads; /**< number of threads of the candidates being generated (plan/thread_counts.h) */
    struct effort effort;
    struct tcplan_kernel_times *kernel_times; /**< table of kernel times: the caller's, or this
                                                 ranking's */
    struct model_times models;                /**< the caller's performance models */
    struct call_errors call_errors; /**< errors of the ceilings' predictions, from timed calls */
    struct deadline deadline;       /**< end of the time limit of the ranking */
    struct kernel_maker maker;      /**< compiles and loads kernels */
    int unrested; /**< consecutive waits in which other threads did not sleep (plan/trial.h) */
    struct tcplan_costs costs; /**< measured costs of cache lines and pages */
    struct tcplan_machine machine;
    double least_seconds; /**< lower bound of all times by the machine's ceilings, plan/ceiling.h */
    struct window_settings settings[WINDOW_GRADES];
    struct thesis thesis;        /**< private state of the predictor */
    struct reference *reference; /**< times the core's speed; NULL if out of memory: unknown */
    struct stage_clock clock;
};

/** Begins a stage: CPU time from now on counts for this stage, except for backing pages and
 * compiling. Returns the previous stage. */
enum tcplan_planning_stage ranker_enter(struct ranker *ranker, enum tcplan_planning_stage stage);

/** Counts a step of the current stage. */
void ranker_step(struct ranker *ranker);

/** Records that an entry's algorithm cannot run, with the reason in `error`. */
void ranking_exclude(struct tcplan_ranking *ranking, struct tcplan_entry *entry,
                     const struct tcplan_error *error);

/** Reports an event to the caller's callback, if there is one. */
void ranker_notify(const struct ranker *ranker, enum tcplan_planning_event event,
                   const struct tcplan_algorithm *algorithm, double seconds);

/** Returns the speed of the core since the ranking began. */
struct drift ranker_drift(const struct ranker *ranker);

/** Returns the prior elasticity of an algorithm that takes `seconds` (microbench/timing/drift.h).
 */
double ranker_expected_elasticity(const struct ranker *ranker, double seconds);

/** Returns the error of a run of so many seconds in addition to the spread of samples: drift within
 * this process, and differences between processes (plan/learn/between.h). */
struct drift_range ranker_error(const struct ranker *ranker, double seconds);

/** Records the speed of the core in the ranking's load. */
void ranker_note_speed(const struct ranker *ranker);

/**
 * Predicts one entry by at least `least_windows` full windows. TCPLAN_NOT_APPLICABLE is recorded in
 * the entry as well.
 */
enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry,
                                  int least_windows, struct tcplan_error *error);

/**
 * Returns whether a status only means that predicting an algorithm of the `full` space needs too
 * much memory; the search then continues without it.
 */
bool ranker_forgives(struct ranker *ranker, const struct tcplan_entry *entry,
                     enum tcplan_status status);

/** Returns whether the `full` space is searched. */
bool ranker_searches_full(const struct ranker *ranker);

/** Generates candidates, evaluates promising ones (or all, if requested) and compares the fastest.
 * If nothing is timed, ranks by estimates. */
enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error);

/** Generates candidates, or uses the only entry, and ranks by estimates; times nothing. */
enum tcplan_status ranker_estimate(struct ranker *ranker, struct tcplan_error *error);

/**
 * Returns whether the comparison samples whole runs instead of windows. They must be short enough,
 * and caches must be warm as in repeated runs.
 *
 * @param fastest  fastest evaluated entry
 */
bool ranker_compares_runs(const struct ranker *ranker, const struct tcplan_entry *fastest);

/** Compares the candidates that may be the fastest, and chooses one (plan/decision/select.h). */
enum tcplan_status ranker_compare(struct ranker *ranker, struct tcplan_error *error);

/** Returns the ranking's tensors, which the first call reserves with the memory limit and alignment
 * of the options. */
enum tcplan_status ranking_buffers(struct buffers **out, struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options,
                                   struct tcplan_error *error);

/**
 * Backs all pages of the tensors, if these are small and not backed yet, within a share of the
 * remaining time.
 */
void ranker_back_small(struct ranker *ranker);

/** Returns whether the time limit has passed. */
bool ranker_is_late(const struct ranker *ranker);

/** Calls the caller's progress function. */
void ranker_report(const struct ranker *ranker, const char *activity, double done, double total);

/** Sorts the entries, marks ties, and counts candidates that were not compared. */
void ranker_sort(struct tcplan_ranking *ranking);

#endif
