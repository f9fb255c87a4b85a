/**
 * The errors of evaluations, by how they were made: how much a time of the comparison differs from
 * the evaluation before it, as a logarithm, after subtracting the error that all evaluations of a
 * comparison have in common. Each ranking records its errors in the experience; later ones start
 * from their variance.
 */
#ifndef PLAN_LEARN_ERRORS_H
#define PLAN_LEARN_ERRORS_H

#include "plan/decision/select.h"
#include "plan/rank.h"

/** Returns the standard deviation of the logarithm of a prediction of this basis. `experience` may
 * be NULL. */
double errors_spread(const struct tcplan_experience *experience, enum tcplan_basis basis);

/** Records the errors that a comparison found. Arm a is entry a, which still has the basis of its
 * evaluation. */
void errors_learn(const struct ranker *ranker, const struct select *select);

#endif
