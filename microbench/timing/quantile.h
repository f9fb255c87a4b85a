/**
 * Quantiles of the normal and of Student's t distribution, for intervals around a mean. Pure
 * functions.
 */
#ifndef MICROBENCH_QUANTILE_H
#define MICROBENCH_QUANTILE_H

#include <stdint.h>

/** Returns the number of standard deviations on either side of the mean that contain the share
 * `level` of a normal distribution; 0 < level < 1. */
double quantile_normal(double level);

/** Returns the number of standard errors on either side of the mean that contain the share `level`
 * of Student's t distribution with `freedom` >= 1 degrees of freedom, as needed for the mean of
 * few samples. */
double quantile_student(double level, int64_t freedom);

#endif
