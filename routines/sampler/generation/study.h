/**
 * Studies configurations of models: measures every point of a grid once, then fits a model for
 * each configuration to the samples (Peise 2017, section 3.3). The fits use rounds.h with a
 * measuring function that is never called, because every point that a refinement requests is a
 * point of the grid.
 */
#ifndef SAMPLER_GENERATION_STUDY_H
#define SAMPLER_GENERATION_STUDY_H

#include "routines/sampler/generation/points.h"

/** Input and result of a study. Zero-initialise, then set the members up to `result`. */
struct study {
    const struct generation_case *of; /**< the cases; `cases` is their number */
    const int64_t *leading;           /**< leading dimension of each case */
    int cases;
    const struct tcplan_model_config *config; /**< the configurations; `configs` is their number */
    size_t configs;
    int64_t step; /**< sizes of points are multiples of this number, as are the ends of domains */
    struct samples *samples; /**< holds the existing samples, and receives the new ones */
    uint64_t seed;
    double time_limit_seconds;   /**< time limit of the measurement; 0: none */
    struct tcplan_study *result; /**< receives the results, with counts of points */
    struct drift drift;          /**< receives the speed of the core */
    struct points_task *task; /**< points of each case; this member and all that follow are private
                               */
    struct point *point;
    struct points points;
    double *minimum_ns; /**< the smallest time of each point at the core's best speed */
    double *elasticity; /**< elasticity of each case */
};

/**
 * Measures and fits.
 *
 * @return a status of rounds_run(); TCPLAN_INVALID if the grids are too large
 */
enum tcplan_status study_run(struct study *study, const struct points_means *means,
                             struct tcplan_error *error);

/** Marks the accurate and the chosen rows among `count` rows of one case. */
void study_prune(struct tcplan_studied row[], size_t count);

/** Returns a configuration with deviations. */
struct tcplan_model_config study_deviate(struct tcplan_model_config config,
                                         const struct tcplan_generation_config *deviations);

#endif
