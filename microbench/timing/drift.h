/**
 * Times relative to a reference that is timed next to them, so that drift of the clock cancels.
 *
 * A short, fixed piece of work is timed right before and after each sample
 * (microbench/timing/reference.h). Sample times are a power of the reference time; the exponent is
 * their elasticity:
 *
 *     log seconds = constant + elasticity * log reference
 *
 * The elasticity is 1 for work that depends on the core alone, less for work that waits for memory.
 * Samples are compared as if all had the same reference. The interval of a single run combines
 * three independent errors: the spread of samples relative to their references, the drift within
 * this process over a run of that length (drift_within()), and the change of times between
 * processes, which the caller supplies (plan/learn/between.h). Pure functions.
 */
#ifndef MICROBENCH_DRIFT_H
#define MICROBENCH_DRIFT_H

#include <stdbool.h>

#include "microbench/timing/statistics.h"
#include "tcplan/predict.h"

/** The maximum number of reference timings in a summary; the most recent ones count. */
enum { DRIFT_TIMINGS = 2048 };

/** One timing of the reference. */
struct drift_timing {
    double at_seconds; /**< time of the reference by any steady clock */
    double seconds;
};

/** The speed of a core over some reference timings. Zeroed: unknown. */
struct drift {
    double good_seconds; /**< seconds of the reference at the core's best speed */
    double mean_seconds; /**< mean seconds of the reference */
};

/** A sample, with the mean time of the references around or within it. */
struct drift_sample {
    double seconds;
    double reference_seconds; /**< mean seconds of the references; 0: unknown */
    bool disturbed;           /**< whether another thread had the core at some time */
};

/* References. */

/** Returns the fifth percentile of the sorted references as the core's best speed, because the
 * smallest may be a clock error; 0 without any. */
double drift_good(double *reference_seconds, int count);

/** Summarises up to DRIFT_TIMINGS timings; the mean excludes disturbed ones. */
struct drift drift_of(const struct drift_timing timing[], int count);

/** The 95 % range of the logarithm of a time: how far it extends below and above the mean. */
struct drift_range {
    double below;
    double above;
};

/**
 * Returns the range of references during runs of `run_seconds`: quantiles of the means of equally
 * long batches (batch means; G. S. Fishman, Principles of Discrete Event Simulation, 1978, section
 * 5.2). A clock with two speeds is far from normal: its slow speed is in the range if one timing in
 * forty was slow.
 * @param timing  timings in the order of their times; at most DRIFT_TIMINGS
 */
struct drift_range drift_within(const struct drift_timing timing[], int count, double run_seconds);

/* Elasticity. */

/** Sums for a regression of log time on log reference over several series of samples, each with
 * its own constant. Zeroed: empty. */
struct drift_regression {
    double squares;
    double products;
    int count; /**< number of samples of the present series */
    double mean_reference;
    double mean;
};

void drift_begin_series(struct drift_regression *regression);

/** Adds a sample to the series; skips it if its time or reference is unknown (0). */
void drift_add(struct drift_regression *regression, double seconds, double reference_seconds);

/** Returns the slope, shrunk towards the expected one (ridge regression). */
double drift_elasticity(const struct drift_regression *regression, double expected);

/**
 * Returns the expected elasticity before there are samples: 1 for the part of the time that is work
 * like the reference's, one half for the rest.
 * @param references  the work in `seconds`, in units of references (reference_count())
 */
double drift_expected_elasticity(double references, double reference_seconds, double seconds);

/** Returns the factor that converts a time, measured next to one reference time, to another
 * reference time; 1 if either reference time is unknown. */
double drift_factor(double elasticity, double reference_seconds, double other_seconds);

/* Times. */

/**
 * Estimates a single run next to a reference, from at least one sample: the geometric mean, and its
 * 95 % interval from the samples' spread. The variance is the mean of the prior variance and the
 * samples' variance, weighted by degrees of freedom (as in statistics_informed_estimate()). The
 * estimate contains no samples.
 * @param reference_seconds time of the reference next to the run; 0: not known
 * @param error receives the standard error of the mean's logarithm
 */
struct tcplan_estimate drift_estimate(const struct drift_sample sample[], int count,
                                      double elasticity, double reference_seconds,
                                      struct expected_spread expected, double *error);

/** Widens the 95 % interval of an estimate by an independent error: squares of half widths, as
 * logarithms, add. */
void drift_widen(struct tcplan_estimate *estimate, struct drift_range error);

#endif
