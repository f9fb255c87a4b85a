/**
 * Chooses the size of the data of a bandwidth measurement, so that it fits one level of the memory
 * but no nearer one. Pure functions.
 */
#ifndef ROOFLINE_KERNELS_WORKING_SET_H
#define ROOFLINE_KERNELS_WORKING_SET_H

#include "tcplan/ceilings.h"

struct working_set {
    int64_t bytes; /**< of one thread, all arrays together; 0: this level holds nothing that the
                      nearer one does not hold as well */
    bool reduced;  /**< memory: less than four times what fits the caches */
};

/**
 * The set for a level that was found by a sweep: half of its capacity, within its plateau; in
 * memory four times the last cache's capacity, and at least twice the smallest set of its plateau.
 *
 * @param level        of the roofline that so many threads have, in order
 * @param limit_bytes  for all threads together
 */
struct working_set working_set_of_level(const struct tcplan_level level[], int count, int place,
                                        int64_t limit_bytes);

/**
 * Returns the set for a level without a sweep, from reported sizes. The first cache and private
 * ones are half filled. Of a shared one every thread takes a quarter of its share. Of a third cache
 * it is no more than eight times the second: that of a virtual machine is shared with others, and
 * its size is that of the host. In memory all threads together take four times the last cache.
 *
 * @param cache        place in machine->cache, or machine->cache_count for memory
 * @param threads      on cores of their own
 * @param limit_bytes  for all threads together
 */
struct working_set working_set_for(const struct tcplan_machine *machine, int cache, int threads,
                                   int64_t limit_bytes);

/** `L1`, `L2`, ... or `DRAM`. */
void working_set_level(char *out, int size, const struct tcplan_machine *machine, int cache);

#endif
