/** Verdicts of checks. Pure functions. */
#ifndef ROOFLINE_VALIDATION_VERDICT_H
#define ROOFLINE_VALIDATION_VERDICT_H

#include "tcplan/selftest.h"

/**
 * Returns the verdict on a check, from its ratio, the bounds, and the numbers of counted pairs and
 * disturbed windows. A ratio within the bounds passes. A ratio outside counts as not tested if at
 * least half of the windows were disturbed, because other load may have caused it.
 */
enum tcplan_verdict verdict_of(const struct tcplan_check *check);

/** Returns the verdict on two checks together: failed if one failed; otherwise not tested if one
 * could not be tested. */
enum tcplan_verdict verdict_both(enum tcplan_verdict a, enum tcplan_verdict b);

/** Returns whether to end a series of pairs early, because the first pairs had no undisturbed
 * window. */
bool verdict_is_hopeless(int tried, int counted);

#endif
