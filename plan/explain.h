/**
 * Explanations: splits predicted times into parts, and derives reasons from them by a table of
 * rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/**
 * Divides the predicted time of a side into parts. A part that alone took longer than its stretch
 * of the execution counts as the whole stretch. Pure.
 *
 * @param scale  predicted time over the time of the samples that the parts were timed with
 * @return whether the parts add up to within a tenth of the stretch
 */
bool explain_divide(struct tcplan_explained *side, double scale);

/** Fills in the reasons of an explanation with two complete sides. Pure. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
