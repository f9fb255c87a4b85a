/**
 * Which candidate to look at next.
 *
 * A model's estimates are wrong alike for algorithms that are alike. So each candidate's estimate is corrected by what candidates looked at before turned
 * out to take over their own estimates: the mean of these ratios, in logarithms, each weighted by how alike the two algorithms are. Where nothing
 * alike has been looked at the correction is uncertain, which counts in the candidate's favour: the candidate with the lowest confidence bound
 * is next (a surrogate model with kernel regression, and the acquisition of Bayesian optimisation).
 */
#ifndef PLAN_SURROGATE_H
#define PLAN_SURROGATE_H

#include "plan/candidates.h"

struct surrogate;

/** A surrogate of candidates, which are borrowed; NULL when memory is out. */
struct surrogate *surrogate_new(const struct candidates *candidates);

void surrogate_free(struct surrogate *surrogate);

/** The candidate to look at next; NULL: there is none left. */
const struct candidate *surrogate_next(const struct surrogate *surrogate);

/** Takes a candidate from what is left; `seconds`: what it takes, as far as that is known now; INFINITY: that is not known. */
void surrogate_learn(struct surrogate *surrogate, const struct candidate *candidate, double seconds);

/** How many of the candidates that are left have kernels that take longer than `seconds` by themselves. */
int surrogate_left_above(const struct surrogate *surrogate, double seconds);

#endif
