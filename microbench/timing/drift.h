/**
 * Times relative to a reference that is timed next to them, so that drift of the clock cancels.
 *
 * A short piece of work, always the same, is timed right before and after each sample
 * (microbench/timing/reference.h). Times follow it by a power, their elasticity:
 *
 *     log seconds = constant + elasticity * log reference
 *
 * The elasticity is 1 for work that the core alone decides, less for work that waits for memory.
 * Samples are compared as if all had met the same reference. The interval of a single run is as
 * wide as three independent errors make it: what samples spread by beside their references, what a
 * run of that length meets of the drift within this process (drift_within()), and what times change
 * by between processes, which the caller knows (plan/learn/between.h). Pure functions.
 */
#ifndef MICROBENCH_DRIFT_H
#define MICROBENCH_DRIFT_H

#include <stdbool.h>

#include "microbench/timing/statistics.h"
#include "tcplan/predict.h"

/** The most recent looks at a reference that are summarised. */
enum { DRIFT_LOOKS = 2048 };

/** How long the reference took at a moment. */
struct drift_look {
    double at_seconds; /**< by any clock that runs evenly */
    double seconds;
};

/** How fast a core was over some looks. All zeros: nothing is known. */
struct drift {
    double good_seconds; /**< of the reference at the core's best speed */
    double mean_seconds; /**< of the reference on average */
};

/** A sample, and the mean time of the references around it, or in it. */
struct drift_sample {
    double seconds;
    double reference_seconds; /**< 0: not known */
    bool disturbed;           /**< another thread had the core meanwhile */
};

/* References. */

/** Returns the fifth percentile of references, which are sorted, as the core's best speed: a
 * smaller one may be a fault of the clock. 0 without any. */
double drift_good(double *reference_seconds, int count);

/** Summarises DRIFT_LOOKS looks at most; the mean is of those that nobody disturbed. */
struct drift drift_of(const struct drift_look look[], int count);

/** How far something is from its mean to either side in 95 of 100 cases, as logarithms. */
struct drift_range {
    double below;
    double above;
};

/**
 * Returns the range of the references that runs of `run_seconds` meet: quantiles of the means of
 * batches of looks that are as long (batch means; G. S. Fishman, Principles of Discrete Event
 * Simulation, 1978, section 5.2). A clock with two speeds is far from normal: its slow one is in
 * the range if one look in forty met it.
 *
 * @param look  in the order of their times; DRIFT_LOOKS at most
 */
struct drift_range drift_within(const struct drift_look look[], int count, double run_seconds);

/* Elasticity. */

/** Sums of a regression of the logarithms of times on those of their references, over series of
 * samples that each have a constant of their own. Empty when zeroed. */
struct drift_regression {
    double squares;
    double products;
    int count; /**< of the series */
    double mean_reference;
    double mean;
};

void drift_begin_series(struct drift_regression *regression);

/** Adds a sample to the series. An unknown time or reference, which is 0, is skipped. */
void drift_add(struct drift_regression *regression, double seconds, double reference_seconds);

/** Returns the slope, shrunk towards the one that is expected (ridge regression). */
double drift_elasticity(const struct drift_regression *regression, double expected);

/**
 * Returns the elasticity that is expected of something before its samples tell: the part of its
 * time that is the reference's kind of work follows, and half of the rest.
 *
 * @param references  the work in `seconds`, as so many references (reference_count())
 */
double drift_expected_elasticity(double references, double reference_seconds, double seconds);

/** Returns by what to multiply a time that was met next to one reference to get it for another; 1
 * if either is not known. */
double drift_factor(double elasticity, double reference_seconds, double other_seconds);

/* Times. */

/**
 * Estimates a single run next to a reference, from at least one sample: the geometric mean, and the
 * interval by the samples' spread. The variance is the mean of the expected one and the samples',
 * weighted by degrees of freedom (as in statistics_informed_estimate()). The estimate has no
 * samples.
 *
 * @param reference_seconds  of the reference that the run will meet; 0: not known
 * @param error              receives the standard error of the mean's logarithm
 */
struct tcplan_estimate drift_estimate(const struct drift_sample sample[], int count,
                                      double elasticity, double reference_seconds,
                                      struct expected_spread expected, double *error);

/** Widens the interval of an estimate by an independent error: half widths, as logarithms, add as
 * squares. */
void drift_widen(struct tcplan_estimate *estimate, struct drift_range error);

#endif
