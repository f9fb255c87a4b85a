/**
 * Ceilings that need not be measured: known ones, those not requested, and those for which there is
 * no time.
 */
#ifndef ROOFLINE_CEILINGS_KNOWN_H
#define ROOFLINE_CEILINGS_KNOWN_H

#include "roofline/ceilings/measuring.h"

/** Copies the known ceilings of this machine that are good enough. TCPLAN_OK or
 * TCPLAN_NO_MEMORY. */
enum tcplan_status known_take(struct measuring *measuring, struct tcplan_error *error);

/** Whether a ceiling need not be measured: it is not requested, or it is known. Rates and extents
 * do not matter. */
bool known_is_done(const struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Whether the time is over. */
bool known_is_over(const struct measuring *measuring);

/** Whether a ceiling is skipped: it need not be measured, or the time is over, which is counted. */
bool known_is_settled(struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Returns the known ceiling for the same kernel and setting, or NULL. */
struct tcplan_ceiling *known_find(const struct tcplan_roofline *roofline,
                                  const struct tcplan_ceiling *like);

/**
 * Removes the ceilings that were measured on slow cores, to be measured again; known ones stay.
 * Without memory all stay.
 *
 * @param out  receives them; pass it to known_put_back()
 */
void known_take_slow(struct measuring *measuring, struct tcplan_roofline *out);

/** Puts back each removed ceiling that has no replacement, or one measured on slower cores; frees
 * the list. */
enum tcplan_status known_put_back(struct measuring *measuring, struct tcplan_roofline *slow,
                                  struct tcplan_error *error);

/** Sorts the ceilings in the order of a single measurement. */
void known_sort(struct tcplan_roofline *roofline);

#endif
