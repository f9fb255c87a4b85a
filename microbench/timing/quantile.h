/**
 * Quantiles of the normal and of Student's t distribution, for intervals around a mean, and shares
 * of distributions. Pure functions.
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

/**
 * The other way round: the share of Student's distribution within `deviations` >= 0 to either side
 * of the mean; from 200 degrees of freedom on, of the normal one.
 */
double quantile_student_share(double deviations, int64_t freedom);

/** The share of a beta distribution with parameters a, b > 0 below x, from 0 to 1 (the regularized
 * incomplete beta function). */
double quantile_beta_share(double x, double a, double b);

#endif
