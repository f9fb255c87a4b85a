/** Verdicts of checks. Pure functions. */
#ifndef ROOFLINE_VALIDATION_VERDICT_H
#define ROOFLINE_VALIDATION_VERDICT_H

#include "tcplan/selftest.h"

/**
 * Returns the verdict on a check, from its ratio, the bounds, and the numbers of counted pairs and
 * disturbed windows. A ratio within the bounds holds. A ratio outside does not count as tested if
 * at least half of the windows were disturbed, because other load may have caused it.
 */
enum tcplan_verdict verdict_of(const struct tcplan_check *check);

/** Returns the verdict of two checks together: if one fails, they fail; else if one could not be
 * tested, they could not. */
enum tcplan_verdict verdict_both(enum tcplan_verdict a, enum tcplan_verdict b);

/** Returns whether to give up a series of pairs: the first ones had no undisturbed window. */
bool verdict_is_hopeless(int tried, int counted);

#endif
