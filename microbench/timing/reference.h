/**
 * How fast the core is just now.
 *
 * A core whose other hardware thread belongs to somebody else, or whose clock follows what neighbours do, swings between speeds, for a fraction
 * of a millisecond to some hundreds; neither load nor lost time shows it. A short piece of work that is always the same, right before and right
 * after a sample, does: what the sample is compared with met the same state, or is divided by what the reference tells (plan/select.h).
 */
#ifndef MICROBENCH_REFERENCE_H
#define MICROBENCH_REFERENCE_H

#include "microbench/timing/states.h"

/** Work on operands of its own, and a log of how long it took when. */
struct reference;

/** NULL when memory is out: then references tell nothing. To be freed with reference_free(). */
struct reference *reference_new(void);

void reference_free(struct reference *reference);

/**
 * Seconds of a dgemm in the first cache, the smaller of two behind one that is not timed, as that one finds what others left in the caches. It takes
 * some tens of microseconds. 0 for NULL.
 */
double reference_seconds(struct reference *reference);

/** Looks again where nobody has for a millisecond or so: for places that are passed often. */
void reference_watch(struct reference *reference);

/** All looks so far; where there were more than STATES_LOOKS every other one, and so on. They stay the reference's. */
int reference_looks(const struct reference *reference, const struct states_look **out);

/** What the looks tell of the core (states_of()). */
struct states reference_states(const struct reference *reference, const struct states *known);

#endif
