/**
 * Computes the error of models at points not used to fit them, and the noise of the machine.
 *
 * Two consecutive sessions measure the same random points, each with its repetitions shuffled. The
 * difference between the sessions is due to the machine; the difference of the model from their
 * mean is its error. Times are converted to each model's core speed, if known; the raw times are
 * reported as well. The arithmetic is pure.
 */
#ifndef SAMPLER_GENERATION_CHECK_H
#define SAMPLER_GENERATION_CHECK_H

#include "routines/sampler/generation/points.h"
#include "tcplan/generation.h"

/** A model to check. */
struct check_task {
    const struct generation_case *of; /**< the model's case, with its domain */
    const struct tcplan_model *model;
    int64_t leading;
};

/** A check of models with new samples. Zero-initialise, then set the members. */
struct check {
    const struct check_task *task;
    int count;
    int points;      /**< number of points for each task */
    int repetitions; /**< number of repetitions in each session */
    uint64_t seed;
    double time_limit_seconds;
    const struct samples *fitted; /**< the samples to which models were fitted, whose points are not
                                     drawn; NULL: unknown */
};

/**
 * Checks models.
 *
 * @param out    receives a result for each model; free its points with base_free() whatever is
 *               returned. After the time limit, some results have no points
 * @param drift  receives the core's speed
 * @return a status of points_measure(); TCPLAN_ENVIRONMENT if a point was disturbed at every
 *         repetition
 */
enum tcplan_status check_run(struct tcplan_model_checked out[], struct drift *drift,
                             const struct check *check, const struct points_means *means,
                             struct tcplan_error *error);

/** Draws up to `count` different points of a domain whose sizes are multiples of `multiple` and
 * that have no samples of the case. Returns their number. */
int check_draw(int64_t out[][TCPLAN_MODEL_SIZES], int count, const struct check *check, int task);

/** Summarises the errors and spreads of points, and whether the target is met. */
void check_summarise(struct tcplan_model_checked *checked);

#endif
