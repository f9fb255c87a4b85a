/**
 * From the numbers of an explanation to the reasons: one table of rules.
 */
#ifndef PLAN_EXPLAIN_H
#define PLAN_EXPLAIN_H

#include "tcplan/explain.h"

/** Fills in the reasons of an explanation whose sides are complete. A pure function of these. */
void explain_reasons(struct tcplan_explanation *explanation);

#endif
