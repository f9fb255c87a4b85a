/** Summarises timed runs. Pure functions. */
#ifndef BLOCKED_MEASURED_H
#define BLOCKED_MEASURED_H

#include "routines/sampler/generation/good_state.h"
#include "tcplan/blocked_measure.h"

/** All runs of one algorithm at some sizes. */
struct measured_runs {
    int count;
    struct timed_sample sample[TCPLAN_BLOCKED_MOST_REPETITIONS];
};

/** Computes the statistics of `count` > 0 nonnegative times, with the standard deviation of the
 * population. */
void measured_statistics(double out[TCPLAN_MODEL_STATISTICS], const double seconds[], int count);

/** Returns the difference between the medians of values with even and odd positions, relative to
 * the mean of both medians; 0 for fewer than two values. */
double measured_spread(const double seconds[], int count);

/**
 * Reports the times of runs as measured, and converted to the speed of the core at which models
 * were measured.
 *
 * @param of             receives times, spreads and their number
 * @param good_seconds   seconds of the reference at the core's best speed during the runs
 * @param elasticity     elasticity of the times of all runs to their references
 * @param model_seconds  seconds of the reference when models were measured; 0: unknown, and times
 *                       are converted to the best speed during the runs
 */
void measured_report(struct tcplan_blocked_measured *of, const struct measured_runs *runs,
                     double good_seconds, double elasticity, double model_seconds);

#endif
