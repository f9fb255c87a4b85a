/**
 * A ranking in the making: what its stages share.
 */
#ifndef PLAN_RANK_H
#define PLAN_RANK_H

#include "microbench/predict/thesis.h"
#include "microbench/predict/window.h"
#include "microbench/providers/maker.h"
#include "microbench/timing/reference.h"
#include "plan/effort.h"
#include "plan/times/model_times.h"
#include "tcplan/costs.h"

/** Since when which stage goes on. */
struct stage_clock {
    enum tcplan_planning_stage stage;
    uint64_t wall_ns;
    uint64_t cpu_ns;
    uint64_t backing_ns; /**< CPU time in which pages were backed or touched */
    int64_t backed_pages;
    struct kernel_maker made; /**< what compilers had done for the ranking */
};

struct ranker {
    struct tcplan_ranking *ranking;
    size_t entry_capacity;     /**< where not every algorithm is listed */
    uint64_t found;            /**< candidates, whatever became of them */
    struct arranger *arranger; /**< while it searches */
    size_t front_count;        /**< entries that the stage is about */
    struct tcplan_rank_options options;
    int threads; /**< that candidates are generated for (plan/thread_counts.h) */
    struct effort effort;
    struct tcplan_kernel_times *kernel_times; /**< the caller's, or of this stage */
    struct model_times models;                /**< the caller's */
    struct call_errors call_errors;           /**< of the ceilings, in the calls that were timed */
    struct deadline deadline;                 /**< the time limit's */
    struct kernel_maker maker;                /**< of the kernels that a compiler makes */
    int unrested; /**< how often in a row other threads of the process did not go to sleep
                     (plan/trial.h) */
    struct tcplan_costs costs; /* the machine's */
    struct tcplan_machine machine;
    double least_seconds; /**< that are believed, by the machine's ceilings (plan/ceiling.h) */
    struct window_settings settings[WINDOW_GRADES];
    struct thesis thesis;        /**< of the predictor of that name */
    struct reference *reference; /**< tells what states the core is in; NULL when memory is out:
                                    nothing is known of them */
    struct stage_clock clock;
};

/** Begins another stage, or goes on with one: the time since is its, but for that in which pages
 * were backed or a compiler ran. Returns the one before. */
enum tcplan_planning_stage ranker_enter(struct ranker *ranker, enum tcplan_planning_stage stage);

/** Counts a step of the stage that goes on. */
void ranker_step(struct ranker *ranker);

/** Notes that an entry's algorithm cannot run, and why, where `error` tells. */
void ranking_exclude(struct tcplan_ranking *ranking, struct tcplan_entry *entry,
                     const struct tcplan_error *error);

/** Tells who watches what became of an algorithm, where somebody does. */
void ranker_tell(const struct ranker *ranker, enum tcplan_planning_event event,
                 const struct tcplan_algorithm *algorithm, double seconds);

/** How fast the core was since the stage began. */
struct drift ranker_drift(const struct ranker *ranker);

/** The elasticity that is expected of an algorithm that takes so many seconds
 * (microbench/timing/drift.h). */
double ranker_expected_elasticity(const struct ranker *ranker, double seconds);

/** Returns the error of a run of so many seconds besides what samples spread by: the drift of the
 * core within this process, and what times differ by between processes (plan/learn/between.h). */
struct drift_range ranker_error(const struct ranker *ranker, double seconds);

/** Reports in the ranking's load how fast the core was. */
void ranker_note_speed(const struct ranker *ranker);

/**
 * Predicts one entry as well as the effort has it for one that can win, by so many windows at
 * least; TCPLAN_NOT_APPLICABLE is noted in the entry as well.
 */
enum tcplan_status ranker_predict(struct ranker *ranker, struct tcplan_entry *entry,
                                  int least_windows, struct tcplan_error *error);

/**
 * Whether a status means that an algorithm with choices needs more than the bound on memory to be
 * predicted, which others may not need: then it goes on without that one.
 */
bool ranker_forgives(struct ranker *ranker, const struct tcplan_entry *entry,
                     enum tcplan_status status);

/** Whether candidates of the `full` space are searched. */
bool ranker_searches_full(const struct ranker *ranker);

/** Finds candidates and predicts those that promise most, all where that is asked for, and compares
 * the fastest of them; where nothing is timed the best estimates stand. */
enum tcplan_status ranker_search(struct ranker *ranker, struct tcplan_error *error);

/** Makes candidates, or takes the only entry, and lets the best estimates be the answer: nothing is
 * timed. */
enum tcplan_status ranker_estimate(struct ranker *ranker, struct tcplan_error *error);

/**
 * Whether the comparison takes whole runs, which windows are only a part of: they are cheap enough,
 * and find their data where a repeated run leaves them.
 *
 * @param fastest  of what was looked at
 */
bool ranker_compares_runs(const struct ranker *ranker, const struct tcplan_entry *fastest);

/** Compares what may be the fastest and picks one (plan/decision/select.h). */
enum tcplan_status ranker_compare(struct ranker *ranker, struct tcplan_error *error);

/** The ranking's tensors, reserved at the first call, with the bound on memory and the alignment of
 * the options. */
enum tcplan_status ranking_buffers(struct buffers **out, struct tcplan_ranking *ranking,
                                   const struct tcplan_rank_options *options,
                                   struct tcplan_error *error);

/**
 * Backs the pages of tensors that are small enough to be backed as a whole, as far as the time
 * limit allows. Done already: does nothing.
 */
void ranker_back_small(struct ranker *ranker);

/** Whether the time limit is over. */
bool ranker_is_late(const struct ranker *ranker);

/** Tells the caller's progress function. */
void ranker_report(const struct ranker *ranker, const char *activity, double done, double total);

/** Sorts the entries, marks ties, and counts what was left out. */
void ranker_sort(struct tcplan_ranking *ranking);

#endif
