/** Verdicts of checks. Pure functions. */
#ifndef ROOFLINE_VALIDATION_VERDICT_H
#define ROOFLINE_VALIDATION_VERDICT_H

#include "tcplan/selftest.h"

/**
 * The verdict on a check from its ratio, the bounds and how many pairs and windows counted. A ratio
 * within the bounds holds, whatever was disturbed; one that is not, where at least half of the
 * windows were disturbed, reflects the other load more than the machine.
 */
enum tcplan_verdict verdict_of(const struct tcplan_check *check);

/** Of two checks together: one that fails decides, then one that could not be tested. */
enum tcplan_verdict verdict_both(enum tcplan_verdict a, enum tcplan_verdict b);

/** Whether it is time to give up a series of pairs: none of the first ones had an undisturbed
 * window. */
bool verdict_is_hopeless(int tried, int counted);

#endif
