/**
 * Summaries of samples. Pure functions.
 */
#ifndef MICROBENCH_STATISTICS_H
#define MICROBENCH_STATISTICS_H

#include "tcplan/predict.h"

/** The median of `count` > 0 values; the mean of the middle two where count is even. */
double statistics_median(const double *value, int count);

/** The smallest of `count` values; INFINITY where there are none. */
double statistics_smallest(const double *value, int count);

/** The two-sided 95 % quantile of Student's t distribution with `freedom` >= 1 degrees of freedom. */
double statistics_student_t95(int freedom);

/**
 * An estimate from windows at random places: their mean, since times add up, with its 95 % Student interval. Samples above 2.5 times
 * the median are taken for disturbed and left out. One sample alone has an interval from half to twice its value.
 *
 * @param sample_ns  `count` > 0 nanoseconds, at most TCPLAN_MAX_SAMPLES are kept
 */
struct tcplan_estimate statistics_mean_estimate(const double *sample_ns, int count);

/** An estimate from repeated runs of the same thing: their median, with the range that holds it in 95 % of cases (order statistics). */
struct tcplan_estimate statistics_median_estimate(const double *sample_ns, int count);

#endif
