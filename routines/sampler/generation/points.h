/**
 * Measures points. The repetitions of all points are shuffled together, so that changes of the
 * machine (its levels of speed, S2 F4) affect all alike; with a time limit that may be too short
 * they are grouped by task.
 *
 * A disturbed repetition is repeated later and not stored. Existing samples are reused; the rest
 * follows in the order of an uninterrupted run. The measuring code and the clock are parameters.
 */
#ifndef SAMPLER_GENERATION_POINTS_H
#define SAMPLER_GENERATION_POINTS_H

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/generation/samples.h"
#include "tcplan/generation.h"

enum {
    POINTS_BATCH = 16, /**< most executions measured at once */
    POINTS_TRIES = 10, /**< attempts for each repetition of a point, if disturbed */
    POINTS_LEAST_REPETITIONS =
        5 /**< samples of a point that are enough when time is over (S2: at least 5) */
};

/** An execution to be timed. */
struct points_job {
    int task; /**< index of its case */
    int64_t size[TCPLAN_MODEL_SIZES];
    double expected_seconds; /**< approximate seconds; 0: unknown */
};

/** The outcome of one execution. */
struct points_timing {
    struct timed_sample sample;
    bool disturbed;
};

/** Functions that time executions. */
struct points_means {
    void *context;

    /** Times up to POINTS_BATCH executions in order; any status other than TCPLAN_OK ends the
     * measurement. */
    enum tcplan_status (*measure)(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error);

    /** Returns the seconds of the clock used for time limits. */
    double (*now)(void *context);

    double beside_seconds; /**< approximate overhead of a short execution */

    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** A case, and the number of executions of each of its points. */
struct points_task {
    const struct generation_case *of;
    int repetitions;
};

/** A point: its task, and its number in the samples. */
struct point {
    int task;
    int64_t number;
    int extra; /**< executions in addition to the task's repetitions */
};

/** Zero-initialise, then set the first members. */
struct points {
    const struct points_task *task;
    struct samples *samples; /**< holds the existing samples, and receives the rest */
    const struct point *point;
    int64_t count;
    uint64_t seed;
    double started;            /**< when the time limit began, in seconds of the clock */
    double time_limit_seconds; /**< 0: no limit */
    bool by_task;              /**< groups jobs by task, the task with the least work first */
    double share; /**< share of all work that is done after these points, for progress: 0 to 1 */
    const char *activity; /**< what is being done, for progress */

    int64_t measured;  /**< number of new samples; points_measure() adds to it */
    int64_t disturbed; /**< number of repetitions that were measured again; points_measure() adds to
                          it */
    bool time_over;
};

/**
 * Measures points and stores the samples.
 *
 * @return TCPLAN_OK, also if time is over or a point was disturbed too often: see
 * points_is_whole(); TCPLAN_ENVIRONMENT if samples cannot be written; TCPLAN_NO_MEMORY; the status
 * of `measure`
 */
enum tcplan_status points_measure(struct points *points, const struct points_means *means,
                                  struct tcplan_error *error);

/** Returns how many samples of a point count: later ones belong to another configuration. */
int points_taken(const struct points *points, const struct point *point);

/** Returns whether a point has enough samples: all repetitions, or POINTS_LEAST_REPETITIONS if time
 * is over. */
bool points_is_whole(const struct points *points, const struct point *point);

/** Converts the samples of a point to the form of good_state.h. */
struct timed_point points_timed(const struct points *points, const struct point *point);

/** Reports that a point was disturbed each time; returns TCPLAN_ENVIRONMENT. */
enum tcplan_status points_refuse(const struct points *points, const struct point *point,
                                 struct tcplan_error *error);

#endif
