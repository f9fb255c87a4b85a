/**
 * Explanations of rankings: divides predicted times into parts, and derives reasons from these by
 * a table of rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/**
 * Divides the predicted time of winner or loser into parts. If the separately timed parts add up to
 * more than the samples of the whole, they are scaled down to these. Predicted time that no part
 * explains counts as waiting. Pure.
 *
 * @param scale predicted time divided by the time of the samples
 * @return whether the parts add up to the sampled time, within a tenth
 */
bool explain_divide(struct tcplan_explained *side, double scale);

/** Derives the reasons of an explanation whose winner and loser are complete. Pure. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
