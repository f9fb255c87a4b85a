/**
 * Chooses the working set of a bandwidth measurement, so that it fits one level of memory but no
 * nearer level. Pure functions.
 */
#ifndef ROOFLINE_KERNELS_WORKING_SET_H
#define ROOFLINE_KERNELS_WORKING_SET_H

#include "tcplan/ceilings.h"

struct working_set {
    int64_t bytes; /**< bytes of all arrays of one thread together; 0: no set fits this level and
                      exceeds the nearer one */
    bool reduced;  /**< whether the set is in memory, and smaller than four times the caches */
};

/**
 * Returns the set for a level that a sweep found: half of its capacity, but within its plateau. In
 * memory, it is four times the capacity of the last cache, and at least twice the smallest set of
 * the plateau.
 *
 * @param level  the levels found with one number of threads, in order
 * @param limit_bytes  limit for all threads together
 */
struct working_set working_set_of_level(const struct tcplan_level level[], int count, int place,
                                        int64_t limit_bytes);

/**
 * Returns the set for a level without a sweep, from reported sizes. It is half of the first cache
 * or of a private cache, and a quarter of a thread's share of a shared cache. In a third cache it
 * is at most eight times the second cache: a virtual machine may report the size of the host's
 * cache, which it shares with others. In memory, the sets of all threads together are four times
 * the last cache.
 *
 * @param cache  place in machine->cache, or machine->cache_count for memory
 * @param threads  number of threads, on different cores
 * @param limit_bytes  limit for all threads together
 */
struct working_set working_set_for(const struct tcplan_machine *machine, int cache, int threads,
                                   int64_t limit_bytes);

/** Writes the name of a level: `L1`, `L2`, ... or `DRAM`. */
void working_set_level(char *out, int size, const struct tcplan_machine *machine, int cache);

#endif
