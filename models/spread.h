/**
 * Estimates the precision of a point from its repetitions, and whether it explains the errors of a
 * piece.
 *
 * The repetitions of a point are split into halves, in the order in which they were taken. With x1
 * and x2 the reference statistic of the halves,
 *
 *   spread = |x1 - x2| / (x1 + x2)
 *
 * is half of their difference, divided by their mean. It estimates the relative error of the
 * statistic of all n repetitions. The mean of n values of standard deviation s has an error of s /
 * sqrt(n), and the difference of two means of n / 2 has 2 s / sqrt(n). The minimum of n values
 * with an exponential tail of mean t exceeds the lower end by t / n on average, and two minima of
 * n / 2 differ by 2 t / n.
 */
#ifndef MODELS_SPREAD_H
#define MODELS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/models.h"

/**
 * Computes the spread of a point.
 *
 * @param ns  times in the order in which they were taken; each half is sorted
 * @param reference  minimum or median
 * @return the spread; 0 for a single repetition, which shows none
 */
double spread_of(double ns[], int count, enum tcplan_model_statistic reference);

/**
 * Computes the weights of points in a fit and in its error: 1 / sqrt(1 + (spread / scale)^2),
 * where scale is the larger of the bound and twice the median spread. On a machine with steady
 * times, all points have similar weights. A point known much less precisely than the others has
 * little weight.
 * @param out  receives one weight for each of `count` spreads
 */
void spread_weights(double out[], const double spread[], size_t count, double bound);

/**
 * Returns whether the weighted mean of the errors is at most that of the spreads; false if all
 * spreads are 0. Pure noise at 72 points, fitted with 20 coefficients, leaves errors of 0.6
 * (exponential noise) to 0.85 (normal noise) of the spreads. So the error of an explained piece,
 * without the noise, is at most half to three quarters of the spreads.
 */
bool spread_explains(const double error[], const double spread[], const double weight[],
                     size_t count);

#endif
