/**
 * From the numbers of an explanation to the reasons: one table of rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/**
 * Divides the predicted time of a side into parts. What was measured by itself and takes longer
 * than the stretch that it is a part of counts as all of the stretch. A pure function of the side.
 *
 * @param scale  the predicted time over the time of the samples that were taken when the parts were
 *               measured
 * @return whether the parts fit, by a tenth of the stretch
 */
bool explain_divide(struct tcplan_explained *side, double scale);

/** Fills in the reasons of an explanation whose sides are complete. A pure function of these. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
