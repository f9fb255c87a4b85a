/**
 * From the numbers of an explanation to its reasons, by a table of rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/**
 * Divides the predicted time of a side into parts. A part that took longer alone than its stretch
 * counts as the whole stretch. A pure function of the side.
 *
 * @param scale  predicted time over the time of the samples taken with the parts
 * @return whether the parts add up to within a tenth of the stretch
 */
bool explain_divide(struct tcplan_explained *side, double scale);

/** Fills in the reasons of an explanation whose sides are complete. A pure function of them. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
