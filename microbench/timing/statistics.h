/**
 * Summaries of samples. Pure functions.
 */
#ifndef MICROBENCH_STATISTICS_H
#define MICROBENCH_STATISTICS_H

#include <stdint.h>

#include "tcplan/predict.h"

/** Mean and variance of a series whose values are not stored (B. P. Welford, Note on a method
 * for calculating corrected sums of squares, 1962). Zeroed: empty. */
struct running_mean {
    int64_t count;
    double mean;
    double squares; /**< sum of squared deviations from the mean */
};

void running_mean_add(struct running_mean *running, double value);

/** Returns the variance, estimated with count - 1; 0 for fewer than two values. */
double running_mean_variance(const struct running_mean *running);

/** Returns the median of `count` > 0 values; the mean of the middle two if `count` is even. */
double statistics_median(const double *value, int count);

/** Returns the smallest of `count` values; INFINITY if there are none. */
double statistics_smallest(const double *value, int count);

/**
 * Estimates from windows at random places: the mean, since times add up, with its 95 % Student
 * interval. Samples above 2.5 times the median count as disturbed and are excluded. A single sample
 * has an interval from half to twice its value.
 * @param sample_ns  `count` > 0 nanoseconds, of which TCPLAN_MAX_SAMPLES are used
 */
struct tcplan_estimate statistics_mean_estimate(const double *sample_ns, int count);

/** Prior knowledge about the spread of samples. */
struct expected_spread {
    double share;            /**< standard deviation as a share of the mean */
    int freedom;             /**< degrees of freedom of the prior */
    double disturbed_factor; /**< samples above this many times the median are excluded */
};

/**
 * Estimates like statistics_mean_estimate(), with a prior on the spread, since two or three
 * samples alone give useless intervals. The variance is the mean of the prior and the observed
 * one, weighted by degrees of freedom (the scaled inverse chi-squared prior of the normal
 * distribution).
 */
struct tcplan_estimate statistics_informed_estimate(const double *sample_ns, int count,
                                                    struct expected_spread expected);

/** Estimates from repeated runs of the same program: the median, with the range that contains it
 * in 95 % of cases (order statistics). */
struct tcplan_estimate statistics_median_estimate(const double *sample_ns, int count);

#endif
