/**
 * Finds the levels of memory from the rates of growing working sets, without reported cache sizes.
 * Pure functions.
 *
 * A level is a plateau of the curve on logarithmic scales: sizes over a factor of about two or
 * more, with similar rates. It holds the working sets that are faster than the geometric mean of
 * its rate and that of the next level outwards. That is the midpoint on the scale of a roofline,
 * so a ramp between plateaus (victim or shared caches) is divided between them.
 */
#ifndef ROOFLINE_CEILINGS_LEVELS_H
#define ROOFLINE_CEILINGS_LEVELS_H

#include "tcplan/ceilings.h"

/** The rate of a working set. */
struct size_rate {
    int64_t bytes;
    double rate; /**< the rate; 0 or less: unknown */
};

enum { LEVELS_MOST = 8 };

/** A plateau of the curve. */
struct plateau {
    int64_t first_bytes, last_bytes; /**< smallest and largest working set */
    int64_t holds_bytes; /**< the largest working set that the level holds; 0 for the last plateau,
                            whose end is unknown */
    double rate;         /**< median rate */
};

/**
 * Finds the plateaus of a curve. Rates should fall as sets grow; single rates, and short runs of
 * them, that are too high or too low are ignored. Plateaus whose rates differ by less than a
 * fourth are merged.
 *
 * @param curve  sorted by size, ascending
 * @return the number of plateaus, innermost first; of more than LEVELS_MOST, the innermost
 */
int levels_find(struct plateau out[LEVELS_MOST], const struct size_rate curve[], int count);

/**
 * Assigns reported caches to plateaus, in order. The last plateau is memory. The others are
 * matched so that the logarithms of sizes differ least; a plateau may hold at most 1.5 times the
 * reported size of its cache.
 *
 * @param cache  receives for each plateau a place in machine->cache, or machine->cache_count for
 *     memory; -1: the system reports no such cache
 * @param threads  number of threads that share the caches, on different cores
 */
void levels_match(int cache[LEVELS_MOST], const struct plateau plateau[], int count,
                  const struct tcplan_machine *machine, int threads);

/** Returns the next size of a sweep: `growth` times `bytes`, rounded down to a multiple of `unit`,
 * but always larger than `bytes`. */
int64_t levels_next_size(int64_t bytes, double growth, int64_t unit);

#endif
