/**
 * Order of preference among equally fast algorithms: fewer threads, fewer libraries, less
 * workspace, fewer lines of C. If speed is preferred, lines do not count.
 */
#ifndef PLAN_DECISION_SIMPLICITY_H
#define PLAN_DECISION_SIMPLICITY_H

#include "tcplan/rank.h"

/** Compares two entries by simplicity, then by a total order of algorithms, so that all processes
 * choose the same one. */
int simplicity_prefer(const struct tcplan_problem *problem, const struct tcplan_entry *a,
                      const struct tcplan_entry *b, enum tcplan_preference prefer);

/** Returns the relative difference within which times count as equal; 0 if the options prefer
 * speed. */
double simplicity_margin(enum tcplan_preference prefer);

#endif
