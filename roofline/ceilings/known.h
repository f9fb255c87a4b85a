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

/** Whether a ceiling need not be measured: not requested, or already known. Rates and extents do
 * not matter. */
bool known_is_done(const struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Whether the time is over. */
bool known_is_over(const struct measuring *measuring);

/** Whether a ceiling is not to be measured: it need not, or the time is over. That is counted. */
bool known_is_settled(struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Returns the known ceiling for the same kernel and setting, or NULL. */
struct tcplan_ceiling *known_find(const struct tcplan_roofline *roofline,
                                  const struct tcplan_ceiling *like);

/**
 * Takes the ceilings that met slow cores out, but for those that were known, to be measured once
 * more. Where memory runs out they stay.
 *
 * @param out  receives them, to be given to known_put_back()
 */
void known_take_slow(struct measuring *measuring, struct tcplan_roofline *out);

/** Puts those that were taken out back if none is there now, or one that met slower cores, and
 * frees the list. */
enum tcplan_status known_put_back(struct measuring *measuring, struct tcplan_roofline *slow,
                                  struct tcplan_error *error);

/** Puts all ceilings in the order in which they are measured at once: later additions are sorted
 * in. */
void known_sort(struct tcplan_roofline *roofline);

#endif
