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

/**
 * How many standard errors to either side of the mean of `count` normal samples hold the true mean
 * after every sample, from the first to the last, in the share `level` of all series: what a test
 * that is repeated after every sample calls for. A quantile of Student's distribution holds it
 * after one sample that was chosen beforehand.
 *
 * By Ville's inequality, from a mixture of likelihood ratios over true means that are normal around
 * the tested one, with SEQUENCE_EFFECT standard deviations of a sample (H. Robbins, Statistical
 * methods related to the law of the iterated logarithm, 1970; with an estimated deviation T. L.
 * Lai, On confidence sequences, 1976).
 *
 * @param freedom  degrees of freedom of the standard deviation, at least 1
 * @return INFINITY where so few samples exclude nothing
 */
double quantile_sequence(double level, int64_t count, int64_t freedom);

/**
 * The same for the median of samples of any distribution: how many of the smallest, and of the
 * largest, are beyond an interval that holds the true median after every sample. The mixture is
 * over shares of samples below it, of which that of a fair coin is tested (Jeffreys' prior).
 *
 * @return -1 where so few samples exclude nothing
 */
int quantile_median_sequence(double level, int count);

#endif
