/**
 * Posterior beliefs of the times of compared candidates, and expected improvements.
 *
 * The logarithm of a sample, corrected for drift by its reference, is modelled as the sum of the
 * candidate's own mean, a deviation common to its round, and an error. Errors have Student's t
 * distribution, so outliers get small weights. The prior of a candidate's mean is its evaluation,
 * plus a bias common to all evaluations, about which nothing is known. Everything is fitted
 * together after each sample by expectation maximisation (K. L. Lange, R. J. A. Little, J. M. G.
 * Taylor, Robust statistical modeling using the t distribution, 1989). Pure.
 */
#ifndef PLAN_DECISION_ARMS_H
#define PLAN_DECISION_ARMS_H

#include "plan/decision/select.h"

/** Updates `belief` and `count` of each arm, and `best`, from the samples so far. */
void arms_believe(struct select *select);

/** Returns the share of its time by which the pick is expected to become faster if an arm is
 * sampled once more (plan/belief.h); INFINITY without samples. */
double arms_improvement(const struct select *select, size_t arm);

#endif
