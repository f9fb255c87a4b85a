/**
 * Running blocked algorithms (tcplan/blocked_run.h) as often and in such an order that the times
 * can be held against predictions.
 *
 * Runs of all algorithms and sizes are interleaved: each round has each of them once, in an order
 * drawn anew (dissertation, section 2.1: what a machine does meanwhile meets all alike). Matrices
 * are filled anew before each run; a short run follows one of the same that does not count. Each
 * stands between two references, as samples of models do, so that its time becomes one in the state
 * of the core that models are of; times as they were measured stand beside.
 */
#ifndef TCPLAN_BLOCKED_MEASURE_H
#define TCPLAN_BLOCKED_MEASURE_H

#include "tcplan/blocked_predict.h"
#include "tcplan/generation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_BLOCKED_REPETITIONS = 10, /**< usual ones (dissertation, section 4.2) */
    TCPLAN_BLOCKED_MOST_REPETITIONS = 100,
    TCPLAN_BLOCKED_LEAST_REPETITIONS = 5 /**< with so many a result counts where time is over */
};

/** What is run. Zero-initialise, then set the first two. */
struct tcplan_blocked_measured {
    const struct tcplan_blocked *blocked; /**< borrowed */
    struct tcplan_blocked_sizes sizes;

    int count;                               /**< of runs that count; 0: there are too few */
    double seconds[TCPLAN_MODEL_STATISTICS]; /**< receives them, in the state that models are of, by
                                                enum tcplan_model_statistic */
    double raw_seconds[TCPLAN_MODEL_STATISTICS]; /**< as they were measured */
    double spread; /**< by how much the medians of every other run and of the rest differ, relative
                    */
    double raw_spread; /**< the same as measured */
    int disturbed;     /**< of them: other work had the core meanwhile */
};

/** Zero-initialise, then set what is wanted; threads at least. */
struct tcplan_blocked_measure_options {
    enum tcplan_provider provider;
    int threads;
    int repetitions;              /**< 0: TCPLAN_BLOCKED_REPETITIONS */
    int64_t max_memory_bytes;     /**< of matrices; 0: four fifths of what can be had */
    double time_limit_seconds;    /**< no run is begun after that; 0: none */
    uint64_t seed;                /**< of the order, and of what matrices hold */
    double good_seconds;          /**< of the reference in the state that models are of, see
                                     tcplan_models_good_reference_seconds(); 0: not known */
    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** What was met. */
struct tcplan_blocked_measuring {
    bool time_over;     /**< some were run less often, or too rarely to count */
    bool same_state;    /**< the state that models are of is known */
    double seconds;     /**< that it took */
    double run_seconds; /**< of it, within runs that count */
    struct tcplan_core_speed core;
};

/**
 * Measures.
 *
 * @param of   `count` algorithms with sizes, each of which receives its times
 * @return TCPLAN_OK, also if time is over; TCPLAN_INVALID if sizes are refused, matrices need more
 *         memory, or a provider lacks a routine; TCPLAN_ENVIRONMENT if a run ends before its end;
 *         TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_measure(
    struct tcplan_blocked_measuring *out, struct tcplan_blocked_measured of[], size_t count,
    const struct tcplan_blocked_measure_options *options, struct tcplan_error *error);

/* What a prediction is worth. */

/** Errors of a prediction, (predicted - measured) / measured, by enum tcplan_model_statistic
 * (dissertation, section 4.2). 0 if nothing was measured. */
TCPLAN_API void tcplan_blocked_errors(double out[TCPLAN_MODEL_STATISTICS],
                                      const double predicted[TCPLAN_MODEL_STATISTICS],
                                      const double measured[TCPLAN_MODEL_STATISTICS]);

/** What choosing by predictions comes to among alternatives: block sizes, or algorithms. */
struct tcplan_blocked_pick {
    int picked;   /**< number of the one that is predicted to be fastest; -1: there is none */
    int fastest;  /**< number of the one that was measured to be */
    double yield; /**< measured time of the fastest over that of the one picked (4.7): 1 at best */
};

/**
 * Picks. Of equal ones the first is taken; those that were not measured (0) are left out.
 *
 * @param predicted  `count` times
 * @param measured   likewise
 */
TCPLAN_API struct tcplan_blocked_pick tcplan_blocked_pick(const double predicted[],
                                                          const double measured[], int count);

#ifdef __cplusplus
}
#endif

#endif
