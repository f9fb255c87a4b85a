/**
 * Explanations of rankings: divides predicted times into parts, and derives reasons from these by
 * a table of rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/**
 * Divides the predicted time of winner or loser into parts. A part that takes longer alone than
 * within the execution counts as all of it. Pure. @param scale predicted time divided by the time
 * of the samples @return whether the parts add up to the sampled time, within a tenth
 */
bool explain_divide(struct tcplan_explained *side, double scale);

/** Derives the reasons of an explanation whose winner and loser are complete. Pure. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
