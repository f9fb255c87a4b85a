/**
 * Quantiles of the normal and of Student's t distribution, for intervals around a mean. Pure
 * functions.
 */
#ifndef MICROBENCH_QUANTILE_H
#define MICROBENCH_QUANTILE_H

#include <stdint.h>

/** How many standard deviations to either side of the mean hold the share `level` of a normal
 * distribution; 0 < level < 1. */
double quantile_normal(double level);

/** The same of Student's t distribution with `freedom` >= 1 degrees of freedom: what the mean of
 * few samples calls for. */
double quantile_student(double level, int64_t freedom);

#endif
