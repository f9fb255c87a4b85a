/**
 * The generation of models: rounds in which the refinements of all cases say which points they
 * want, and these are measured, interleaved (points.h).
 *
 * Points that met the core's good state too rarely are executed more often: each
 * ROUNDS_MOST_TIMES as often at most, and as long as all such executions of a case together take no
 * longer than its others. When a round is over its samples are brought to the good state
 * (good_state.h) and given to the refinements. With the same samples comes the same model, whether
 * they were measured in one go or are those of a generation that was interrupted.
 */
#ifndef SAMPLER_GENERATION_ROUNDS_H
#define SAMPLER_GENERATION_ROUNDS_H

#include "models/refinement.h"
#include "routines/sampler/generation/points.h"

/** The maximum executions of a point, as a multiple of the configured number. */
enum { ROUNDS_MOST_TIMES = 4 };

/** One model that is to be made. Zero-initialise, then set the first members. */
struct rounds_task {
    const struct generation_case *of;
    struct tcplan_model_config config;
    int64_t leading;

    struct tcplan_model *model; /**< receives the model, the caller's; NULL: there is none. Setup
                                   and date are not set. */
    int rounds;                 /**< that are over */
    int64_t points;             /**< that have samples */
    double seconds;             /**< that these took */
    double again_seconds; /**< of them those of executions beyond the configuration's repetitions */
    struct model_refinement *refinement; /**< until rounds_free() */
    int case_number;                     /**< private */
};

/** A generation. Zero-initialise, then set the first members. */
struct rounds {
    struct rounds_task *task; /**< `count` */
    int count;
    struct samples *samples; /**< holds the existing samples, and receives the rest */
    uint64_t seed;
    double time_limit_seconds; /**< of this call; 0: none */

    int64_t known_count;  /**< samples that were there already */
    struct points points; /**< of the last round; its counts are those of all */
    struct drift drift;   /**< by all samples of the points that were asked for */
    struct point *point;  /**< private from here on */
    int64_t point_count;
    int64_t point_capacity;
    struct points_task *points_task;
};

/**
 * Generates the models. At the time limit, tasks have the models of the samples so far: `complete`
 * is false of these. With any other status there is no model, only samples.
 *
 * @return TCPLAN_OK, also if time is over; TCPLAN_INVALID if a domain or configuration is refused;
 *         TCPLAN_ENVIRONMENT if a point was disturbed each time, samples cannot be written, or a
 *         fit failed; TCPLAN_NO_MEMORY; what `measure` says
 */
enum tcplan_status rounds_run(struct rounds *rounds, const struct points_means *means,
                              struct tcplan_error *error);

/** Frees what rounds_run() left but the models. */
void rounds_free(struct rounds *rounds);

#endif
