/**
 * Measures blocked algorithms (tcplan/blocked_run.h) repeatedly, in an order that makes the times
 * comparable with predictions.
 *
 * Runs of all algorithms and sizes are interleaved: each round runs each of them once, in a new
 * random order, so that disturbances affect all alike (dissertation, section 2.1). Matrices are
 * filled again before each run. A short run follows a warm-up run that does not count. Two
 * references surround each run, as for samples of models; they convert its time to the clock regime
 * of the models. Raw times are recorded as well.
 */
#ifndef TCPLAN_BLOCKED_MEASURE_H
#define TCPLAN_BLOCKED_MEASURE_H

#include "tcplan/blocked_predict.h"
#include "tcplan/generation.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TCPLAN_BLOCKED_REPETITIONS = 10, /**< default number of runs (dissertation, section 4.2) */
    TCPLAN_BLOCKED_MOST_REPETITIONS = 100,
    /** minimum number of runs: with fewer runs before the time limit, there is no result */
    TCPLAN_BLOCKED_LEAST_REPETITIONS = 5
};

/** A measurement. Zero-initialise, then set the first two members. */
struct tcplan_blocked_measured {
    const struct tcplan_blocked *blocked; /**< borrowed */
    struct tcplan_blocked_sizes sizes;

    int count; /**< number of runs that count; 0: the time limit allowed fewer than
                  TCPLAN_BLOCKED_LEAST_REPETITIONS */
    double seconds[TCPLAN_MODEL_STATISTICS]; /**< receives the seconds in the clock regime of the
                                                models, by enum tcplan_model_statistic */
    double raw_seconds[TCPLAN_MODEL_STATISTICS]; /**< the seconds as they were measured */
    double spread; /**< noise of the machine: relative difference between the medians of even and of
                      odd runs */
    double raw_spread; /**< relative difference between the medians of even and of odd runs, for raw
                          times */
    int disturbed;     /**< runs during which other load used the core */
};

/** Options of a measurement. Zero-initialise, then set the members you need; `threads` is
 * required. */
struct tcplan_blocked_measure_options {
    enum tcplan_provider provider;
    int threads;
    struct tcplan_binding binding; /**< cores of threads and NUMA nodes of memory; empty: threads
                                      and memory are not bound */
    int repetitions;               /**< number of runs; 0: TCPLAN_BLOCKED_REPETITIONS */
    int64_t max_memory_bytes;  /**< memory limit for the matrices in bytes; 0: four fifths of the
                                  available memory */
    double time_limit_seconds; /**< time limit in seconds, after which no run starts; 0: no limit */
    uint64_t seed;       /**< seed of the order of the runs and of the contents of the matrices */
    double good_seconds; /**< seconds of the reference in the clock regime of the models, see
                            tcplan_models_good_reference_seconds(); 0: unknown */
    tcplan_progress_fn *progress; /**< progress callback; NULL: no callback */
    void *progress_context;
};

/** Conditions of a measurement. */
struct tcplan_blocked_measuring {
    bool time_over;     /**< whether the time limit was reached: some algorithms ran less often than
                           requested, or too rarely to count */
    bool same_state;    /**< whether the clock regime of the models is known */
    double seconds;     /**< duration of the measurement in seconds */
    double run_seconds; /**< part of `seconds` that was spent in runs that count */
    struct tcplan_core_speed core;
};

/**
 * Measures algorithms.
 *
 * @param of   `count` algorithms with sizes, each of which receives its times
 * @return TCPLAN_OK, also after the time limit; TCPLAN_INVALID if sizes are refused, matrices need
 *         more memory, or a provider lacks a routine; TCPLAN_ENVIRONMENT if a run ends early;
 *         TCPLAN_OVERFLOW, TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_blocked_measure(
    struct tcplan_blocked_measuring *out, struct tcplan_blocked_measured of[], size_t count,
    const struct tcplan_blocked_measure_options *options, struct tcplan_error *error);

/**
 * Runs the algorithms that a ranking cannot separate from its first one: those that are tied with
 * it, or within the errors of the models. Slow ones drop out after few runs. Ranks the algorithms
 * that ran longest first, by their measured median times; algorithms that make the same calls run
 * once, and algorithms that did not run keep their order.
 *
 * @param rank     ranking of the map at `point`, see tcplan_blocked_rank(); receives the new one
 * @param tie      share within which two times are tied
 * @param options  options of the runs; the number of repetitions is chosen by the times
 * @return as tcplan_blocked_measure()
 */
TCPLAN_API enum tcplan_status tcplan_blocked_confirm(
    struct tcplan_blocked_rank rank[], const struct tcplan_blocked_map *map, int point, double tie,
    const struct tcplan_blocked_measure_options *options, struct tcplan_error *error);

/* Quality of predictions. */

/** Computes the errors of a prediction, (predicted - measured) / measured, by enum
 * tcplan_model_statistic (dissertation, section 4.2); 0 if nothing was measured. */
TCPLAN_API void tcplan_blocked_errors(double out[TCPLAN_MODEL_STATISTICS],
                                      const double predicted[TCPLAN_MODEL_STATISTICS],
                                      const double measured[TCPLAN_MODEL_STATISTICS]);

/** Result of choosing among alternatives (block sizes or algorithms) by predictions. */
struct tcplan_blocked_pick {
    int picked;  /**< number of the alternative with the shortest predicted time; -1: no alternative
                  */
    int fastest; /**< number of the alternative with the shortest measured time */
    double yield; /**< measured time of `fastest` divided by that of `picked` (Peise 2017,
                     equation 4.7); 1 is best */
};

/**
 * Finds the alternatives that are predicted and measured to be fastest: the first of equals,
 * without those that were not measured (0).
 *
 * @param predicted  `count` times
 * @param measured   `count` times
 */
TCPLAN_API struct tcplan_blocked_pick tcplan_blocked_pick(const double predicted[],
                                                          const double measured[], int count);

#ifdef __cplusplus
}
#endif

#endif
