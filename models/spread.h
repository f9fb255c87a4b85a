/**
 * How well a point is known by its repetitions, and which errors of a piece that explains.
 *
 * The repetitions of a point, in the order in which they were taken, are two sessions, one half
 * each. With x1 and x2 the reference statistic of both,
 *
 *   spread = |x1 - x2| / (x1 + x2)
 *
 * is half of what they differ by, over their mean. That is what the statistic of all n repetitions
 * is off by: means of n have a standard deviation of s / sqrt(n), the difference of two means of n
 * / 2 has 2 s / sqrt(n); minima of n above an exponential tail of mean t lie t / n above its end on
 * average, and two minima of n / 2 differ by 2 t / n. Pure functions.
 */
#ifndef MODELS_SPREAD_H
#define MODELS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/models.h"

/**
 * The spread of a point.
 *
 * @param ns         times in the order in which they were taken; each half is sorted
 * @param reference  minimum or median
 * @return relative; 0 where there is one repetition only: nothing is known
 */
double spread_of(double ns[], int count, enum tcplan_model_statistic reference);

/**
 * What points count for in a fit and in its error: 1 / sqrt(1 + (spread / scale)^2), where the
 * scale is the bound, or twice the median spread where that is more. So all count alike on a
 * machine that keeps its times, and a point that is known much worse than the others hardly does.
 *
 * @param out  receives one for each of `count` spreads
 */
void spread_weights(double out[], const double spread[], size_t count, double bound);

/**
 * Whether the mean of errors is no more than that of the spreads, both weighted. False where all
 * spreads are 0. Noise alone has 0.6 (exponential) to 0.85 (normal) of the spreads left as errors
 * behind a fit of 20 coefficients to 72 points, so that what is explained has errors of its own of
 * half to three quarters of the spreads at most.
 */
bool spread_explains(const double error[], const double spread[], const double weight[],
                     size_t count);

#endif
