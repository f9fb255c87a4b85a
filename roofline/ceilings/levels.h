/**
 * Finds the levels of the memory from the rates over working sets of growing size, without the
 * reported cache sizes. Pure functions.
 *
 * A level is a plateau of the curve, on logarithmic scales: sets of a factor of two or more whose
 * rates are about the same. It contains the sets loaded faster than the geometric mean of its rate
 * and that of the next level outwards: there half of the way from one to the other is gone, on the
 * scale of a roofline. Ramps between plateaus (victim or shared caches) are thus split between both
 * sides.
 */
#ifndef ROOFLINE_CEILINGS_LEVELS_H
#define ROOFLINE_CEILINGS_LEVELS_H

#include "tcplan/ceilings.h"

/** The rate with a working set. */
struct size_rate {
    int64_t bytes;
    double rate; /**< not above 0: not known */
};

enum { LEVELS_MOST = 8 };

/** One plateau. */
struct plateau {
    int64_t first_bytes, last_bytes; /**< smallest and largest set on it */
    int64_t holds_bytes; /**< the largest set that it serves; 0 of the last one, whose end was not
                            met */
    double rate;         /**< median */
};

/**
 * Finds the plateaus of a curve. Rates should fall as sets grow; single ones, and short runs, that
 * are too high or too low do not count. Plateaus whose rates differ by less than a fourth are one.
 *
 * @param curve  by size, the smallest first
 * @return how many there are, the innermost first; at most the LEVELS_MOST innermost
 */
int levels_find(struct plateau out[LEVELS_MOST], const struct size_rate curve[], int count);

/**
 * Gives plateaus the caches that the system reports, in order: the last plateau is memory, and the
 * others are matched so that sizes differ least, on a logarithmic scale, but none holds more than
 * one and a half times the reported size of its cache.
 *
 * @param cache    receives for each plateau a place in machine->cache, or machine->cache_count for
 *                 memory; -1: the system reports no such cache
 * @param threads  that share the caches: on cores of their own
 */
void levels_match(int cache[LEVELS_MOST], const struct plateau plateau[], int count,
                  const struct tcplan_machine *machine, int threads);

/** The next larger set of a sweep: by this factor, a multiple of `unit`. */
int64_t levels_next_size(int64_t bytes, double growth, int64_t unit);

#endif
