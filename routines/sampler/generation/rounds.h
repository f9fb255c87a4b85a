/**
 * Generates models in rounds: the refinements of all cases request points, and these are measured,
 * interleaved (points.h).
 *
 * Points that were rarely measured at the core's best speed are executed more often: each at most
 * ROUNDS_MOST_TIMES times as often, and only as long as the additional executions of a case take
 * no longer than its regular ones. After a round, its samples are converted to the best speed
 * (good_state.h) and passed to the refinements. The same samples give the same model, whether or
 * not the generation was interrupted.
 */
#ifndef SAMPLER_GENERATION_ROUNDS_H
#define SAMPLER_GENERATION_ROUNDS_H

#include "models/refinement.h"
#include "routines/sampler/generation/points.h"

/** Maximum number of executions of a point, as a multiple of the configured number. */
enum { ROUNDS_MOST_TIMES = 4 };

/** A model to be generated. Zero-initialise, then set the members up to `leading`. */
struct rounds_task {
    const struct generation_case *of;
    struct tcplan_model_config config;
    int64_t leading;

    struct tcplan_model *model; /**< receives the model, owned by the caller; NULL: there is none.
                                   Its setup and date are not set. */
    int rounds;                 /**< rounds completed */
    int64_t points;             /**< number of points with samples */
    double seconds;             /**< seconds that the samples of these points took in total */
    double again_seconds;       /**< seconds of the samples beyond the configured repetitions */
    struct model_refinement *refinement; /**< valid until rounds_free() */
    int case_number;                     /**< private */
};

/** State of a generation. Zero-initialise, then set the members up to `usual_only`. */
struct rounds {
    struct rounds_task *task; /**< `count` tasks */
    int count;
    struct samples *samples; /**< holds the existing samples, and receives the new ones */
    uint64_t seed;
    double time_limit_seconds; /**< time limit of this call; 0: none */
    bool usual_only;           /**< whether no point is executed more often than configured */

    int64_t known_count;  /**< number of samples that existed before this generation began */
    struct points points; /**< points of the last round; counts are totals over all rounds */
    struct drift drift;   /**< speed of the core, from all samples of the requested points */
    struct point *point;  /**< requested points; this member and all that follow are private */
    int64_t point_count;
    int64_t point_capacity;
    struct points_task *points_task;
};

/**
 * Generates the models. At the time limit, tasks get models of the samples so far, with `complete`
 * false. With any status other than TCPLAN_OK there are only samples, no models.
 *
 * @return TCPLAN_OK, also after the time limit; TCPLAN_INVALID if a domain or configuration is
 *         invalid; TCPLAN_ENVIRONMENT if a point was disturbed at every repetition, samples cannot
 *         be written, or a fit failed; TCPLAN_NO_MEMORY; the status of `measure`
 */
enum tcplan_status rounds_run(struct rounds *rounds, const struct points_means *means,
                              struct tcplan_error *error);

/** Frees everything except the models. */
void rounds_free(struct rounds *rounds);

#endif
