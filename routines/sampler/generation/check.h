/**
 * Computes the error of models at points not used to fit them, and the variation of the machine's
 * own times.
 *
 * Two sessions measure the same random points, one behind the other, each with its repetitions
 * shuffled. The difference between both sessions is due to the machine; the difference of the model
 * from their mean is its error. Times are converted to the core speed of each model, if known; raw
 * ones, as they were measured, are next to them. The arithmetic is pure.
 */
#ifndef SAMPLER_GENERATION_CHECK_H
#define SAMPLER_GENERATION_CHECK_H

#include "routines/sampler/generation/points.h"
#include "tcplan/generation.h"

/** One model that is to be checked. */
struct check_task {
    const struct generation_case *of; /**< with the model's domain */
    const struct tcplan_model *model;
    int64_t leading;
};

/** A check. Zero-initialise, then set the members. */
struct check {
    const struct check_task *task;
    int count;
    int points;      /**< of each */
    int repetitions; /**< in each session */
    uint64_t seed;
    double time_limit_seconds;
    const struct samples *fitted; /**< the points they were fitted to: points that have samples are
                                     not taken; NULL: not known */
};

/**
 * Checks models.
 *
 * @param out  receives a result for each, whose points are to be freed with base_free() whatever is
 *             returned. Where time is over some have no points
 * @param drift  receives how fast the core was
 * @return as points_measure(); TCPLAN_ENVIRONMENT if points were disturbed each time
 */
enum tcplan_status check_run(struct tcplan_model_checked out[], struct drift *drift,
                             const struct check *check, const struct points_means *means,
                             struct tcplan_error *error);

/** Draws up to `count` different points of a domain, multiples of `multiple`, none that has samples
 * of the case. Returns how many there are. */
int check_draw(int64_t out[][TCPLAN_MODEL_SIZES], int count, const struct check *check, int task);

/** The errors and spreads of points, and whether the target is met. */
void check_summarise(struct tcplan_model_checked *checked);

#endif
