/**
 * Measures points. The repetitions of all points are shuffled together, so that changes of the
 * machine's speed affect all points alike. With a time limit that may be too short, they are
 * grouped by task.
 *
 * A disturbed repetition is repeated later and not stored. Existing samples are reused; the
 * missing ones are taken in the order of an uninterrupted run. The measuring code and the clock
 * are parameters.
 */
#ifndef SAMPLER_GENERATION_POINTS_H
#define SAMPLER_GENERATION_POINTS_H

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/generation/samples.h"
#include "tcplan/generation.h"

enum {
    POINTS_BATCH = 16, /**< maximum number of executions measured at once */
    POINTS_TRIES =
        10, /**< a point fails after this many disturbed attempts for each requested repetition */
    POINTS_LEAST_REPETITIONS =
        5 /**< number of samples that suffice for a point when the time limit is reached */
};

/** An execution to be timed. */
struct points_job {
    int task; /**< number of the task, which is the number of its case */
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

    double beside_seconds; /**< approximate overhead of measuring one execution, in seconds */

    tcplan_progress_fn *progress; /**< progress callback; NULL: none */
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
    int extra; /**< number of executions in addition to the task's repetitions */
};

/** The points to be measured, and the results. Zero-initialise, then set the members up to
 * `activity`. */
struct points {
    const struct points_task *task;
    struct samples *samples; /**< holds the existing samples, and receives the new ones */
    const struct point *point;
    int64_t count;
    uint64_t seed;
    double started;            /**< time at which the time limit began, in seconds of the clock */
    double time_limit_seconds; /**< time limit; 0: none */
    bool by_task; /**< whether jobs are grouped by task, the task with the least work first */
    double share; /**< share of all work that is done once the current points are measured, 0 to 1,
                     for progress */
    const char *activity; /**< description of the current activity, for progress */

    int64_t measured;  /**< number of new samples; points_measure() adds to it */
    int64_t disturbed; /**< number of repetitions that were measured again; points_measure() adds to
                          it */
    bool time_over;
};

/**
 * Measures points and stores the samples.
 *
 * @return TCPLAN_OK, also after the time limit or if a point was disturbed too often: see
 *         points_is_whole(); TCPLAN_ENVIRONMENT if samples cannot be written; TCPLAN_NO_MEMORY; the
 *         status of `measure`
 */
enum tcplan_status points_measure(struct points *points, const struct points_means *means,
                                  struct tcplan_error *error);

/** Returns how many samples of a point count. Samples beyond the requested number belong to another
 * configuration. */
int points_taken(const struct points *points, const struct point *point);

/** Returns whether a point has enough samples: all repetitions, or POINTS_LEAST_REPETITIONS after
 * the time limit. */
bool points_is_whole(const struct points *points, const struct point *point);

/** Converts the samples of a point to the form of good_state.h. */
struct timed_point points_timed(const struct points *points, const struct point *point);

/** Reports that a point was disturbed at every repetition; returns TCPLAN_ENVIRONMENT. */
enum tcplan_status points_refuse(const struct points *points, const struct point *point,
                                 struct tcplan_error *error);

#endif
