/**
 * Measuring points: the repetitions of all of them shuffled together, so that what changes
 * meanwhile (a machine's levels of speed, S2 F4) meets all alike; or task by task where time may
 * not suffice for all.
 *
 * A repetition that was disturbed comes again later and is not kept. Existing samples are reused,
 * not measured again; the rest is in the order of an uninterrupted run. The measuring code and the
 * clock are parameters.
 */
#ifndef SAMPLER_GENERATION_POINTS_H
#define SAMPLER_GENERATION_POINTS_H

#include "routines/sampler/generation/cases.h"
#include "routines/sampler/generation/samples.h"
#include "tcplan/generation.h"

enum {
    POINTS_BATCH = 16, /**< executions that are measured in one go, at most */
    POINTS_TRIES = 10, /**< for each repetition of a point, if disturbed */
    POINTS_LEAST_REPETITIONS =
        5 /**< with so many a point counts where time is over (S2: at least 5) */
};

/** One execution that is to be timed. */
struct points_job {
    int task; /**< which case */
    int64_t size[TCPLAN_MODEL_SIZES];
    double expected_seconds; /**< that it takes, roughly; 0: nobody knows */
};

/** Outcome of a point. */
struct points_timing {
    struct timed_sample sample;
    bool disturbed;
};

/** How executions are timed. */
struct points_means {
    void *context;

    /** Times up to POINTS_BATCH executions in their order; another status than TCPLAN_OK ends all
     * with it. */
    enum tcplan_status (*measure)(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error);

    /** Returns the seconds of the clock used for time limits. */
    double (*now)(void *context);

    double beside_seconds; /**< approximate overhead of a short execution */

    tcplan_progress_fn *progress; /**< NULL: none */
    void *progress_context;
};

/** Cases, and how often each of their points is executed. */
struct points_task {
    const struct generation_case *of;
    int repetitions;
};

/** A point: of which task, and its number in the samples. */
struct point {
    int task;
    int64_t number;
    int extra; /**< how often it is executed beyond the task's repetitions */
};

/** Zero-initialise, then set the first members. */
struct points {
    const struct points_task *task;
    struct samples *samples; /**< holds the existing samples, and receives the rest */
    const struct point *point;
    int64_t count;
    uint64_t seed;
    double started;            /**< by the clock */
    double time_limit_seconds; /**< since then; 0: none */
    bool by_task; /**< those of one task behind the other, the least work first, each task's
                     shuffled */
    double share; /**< of all the work that is over with these points, for progress: 0 to 1 */
    const char *activity; /**< the present activity */

    int64_t measured;  /**< samples that were taken now; these are added to */
    int64_t disturbed; /**< that were taken again */
    bool time_over;
};

/**
 * Measures points, and keeps the samples.
 *
 * @return TCPLAN_OK, also if time is over or a point was disturbed too often: points_is_whole()
 *         tells; TCPLAN_ENVIRONMENT if samples cannot be written; TCPLAN_NO_MEMORY; what `measure`
 *         says
 */
enum tcplan_status points_measure(struct points *points, const struct points_means *means,
                                  struct tcplan_error *error);

/** How many samples of a point count: later ones belong to another configuration. */
int points_taken(const struct points *points, const struct point *point);

/** Whether a point has as many samples as count: all repetitions, or where time is over
 * POINTS_LEAST_REPETITIONS. */
bool points_is_whole(const struct points *points, const struct point *point);

/** Converts the samples of a point to the form of good_state.h. */
struct timed_point points_timed(const struct points *points, const struct point *point);

/** Reports that a point was disturbed each time; TCPLAN_ENVIRONMENT. */
enum tcplan_status points_refuse(const struct points *points, const struct point *point,
                                 struct tcplan_error *error);

#endif
