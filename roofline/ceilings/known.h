/**
 * Ceilings that are not measured: known ones, those not requested, and those for which no time is
 * left.
 */
#ifndef ROOFLINE_CEILINGS_KNOWN_H
#define ROOFLINE_CEILINGS_KNOWN_H

#include "roofline/ceilings/measuring.h"

/** Copies the ceilings in options.known; rough ones only if this measurement is rough too. Returns
 * TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status known_take(struct measuring *measuring, struct tcplan_error *error);

/** Returns whether a ceiling need not be measured: it is not requested, or one of the same kernel
 * and setting is known. */
bool known_is_done(const struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Returns whether the deadline has passed. */
bool known_is_over(const struct measuring *measuring);

/** Returns whether to skip a ceiling, because it need not be measured or the deadline has passed.
 * Ceilings skipped because of the deadline are counted in `unmeasured`. */
bool known_is_settled(struct measuring *measuring, const struct tcplan_ceiling *ceiling);

/** Returns the roofline's ceiling of the same kernel and setting; NULL if there is none. */
struct tcplan_ceiling *known_find(const struct tcplan_roofline *roofline,
                                  const struct tcplan_ceiling *like);

/**
 * Removes the ceilings that were measured on slow cores, so that they are measured again. Ceilings
 * from options.known are not removed; none is removed if memory runs out.
 *
 * @param out  receives the removed ceilings, for known_put_back()
 */
void known_take_slow(struct measuring *measuring, struct tcplan_roofline *out);

/** Puts back each removed ceiling that was not replaced, or whose replacement was measured on
 * slower cores; frees the list. Returns TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status known_put_back(struct measuring *measuring, struct tcplan_roofline *slow,
                                  struct tcplan_error *error);

/** Sorts the ceilings into the order that a single complete measurement would produce. */
void known_sort(struct tcplan_roofline *roofline);

#endif
