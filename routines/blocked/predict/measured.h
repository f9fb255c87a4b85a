/** Summarises timed runs. Pure functions. */
#ifndef BLOCKED_MEASURED_H
#define BLOCKED_MEASURED_H

#include "routines/sampler/generation/good_state.h"
#include "tcplan/blocked_measure.h"

/** All runs of one algorithm at some sizes: what a case is to samples of models. */
struct measured_runs {
    int count;
    struct timed_sample sample[TCPLAN_BLOCKED_MOST_REPETITIONS];
};

/** The statistics of `count` > 0 times of 0 or more; the deviation is that of the population. */
void measured_statistics(double out[TCPLAN_MODEL_STATISTICS], const double seconds[], int count);

/** By how much the medians of every other value and of the rest differ, relative to their mean; 0
 * of fewer than two. */
double measured_spread(const double seconds[], int count);

/**
 * Reports runs, raw and at the speed that models are of.
 *
 * @param of            receives times, spreads and how many there are
 * @param good_seconds   of the reference at the core's best speed while they ran
 * @param elasticity     of all runs on their references
 * @param model_seconds  of the reference at the speed that models are of; 0: not known, and times
 *                       are at the best speed while they ran
 */
void measured_report(struct tcplan_blocked_measured *of, const struct measured_runs *runs,
                     double good_seconds, double elasticity, double model_seconds);

#endif
