/**
 * Summaries of samples. Pure functions.
 */
#ifndef MICROBENCH_STATISTICS_H
#define MICROBENCH_STATISTICS_H

#include <stdint.h>

#include "tcplan/predict.h"

/** Mean and variance of a series that is not kept (B. P. Welford, Note on a method for calculating
 * corrected sums of squares, 1962). Empty when zeroed. */
struct running_mean {
    int64_t count;
    double mean;
    double squares; /**< sum of the squared distances from the mean */
};

void running_mean_add(struct running_mean *running, double value);

/** Of the series, estimated with count - 1; 0 where there are fewer than two values. */
double running_mean_variance(const struct running_mean *running);

/** The median of `count` > 0 values; the mean of the middle two where count is even. */
double statistics_median(const double *value, int count);

/** The smallest of `count` values; INFINITY where there are none. */
double statistics_smallest(const double *value, int count);

/**
 * An estimate from windows at random places: their mean, since times add up, with its 95 % Student
 * interval. Samples above 2.5 times the median are taken for disturbed and left out. One sample
 * alone has an interval from half to twice its value.
 *
 * @param sample_ns  `count` > 0 nanoseconds, at most TCPLAN_MAX_SAMPLES are kept
 */
struct tcplan_estimate statistics_mean_estimate(const double *sample_ns, int count);

/** What is known about samples before they are taken. */
struct expected_spread {
    double share;            /**< their standard deviation, as a share of the mean */
    int freedom;             /**< how many degrees of freedom that counts as */
    double disturbed_factor; /**< samples above so many times the median are left out */
};

/**
 * The same where experience says how much samples spread: two or three of them alone give intervals
 * that say nothing. The variance is the mean of what is expected and what is seen, weighted by
 * degrees of freedom (the scaled inverse chi-squared prior of the normal distribution).
 */
struct tcplan_estimate statistics_informed_estimate(const double *sample_ns, int count,
                                                    struct expected_spread expected);

/** An estimate from repeated runs of the same thing: their median, with the range that holds it in
 * 95 % of cases (order statistics). */
struct tcplan_estimate statistics_median_estimate(const double *sample_ns, int count);

#endif
