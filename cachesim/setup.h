/**
 * Cache setups: the accesses that recreate, before a benchmark's kernel call, what the nest touched
 * before its own (dissertation, section 6.2.3).
 */
#ifndef CACHESIM_SETUP_H
#define CACHESIM_SETUP_H

#include "tcplan/analysis.h"

/**
 * Fills in a class's setup from its accesses.
 *
 * Operands stand by falling distance; ties by falling access distance, then in the kernel's order.
 * Each is followed by as much remote memory as its distance lacks over the sum of what stands to
 * its right. An operand that is prefetched in part stands twice, at its access distance and, the
 * prefetched part, at its prefetch distance; one that is prefetched entirely only there. The first
 * operand farther away than `limit_elems` (or never touched) and all before it are dropped; remote
 * memory fills up to the limit in their place.
 *
 * @param prefetched_elems  for each operand that is prefetched: elements of the prefetched part
 * @param limit_elems       INT64_MAX: no limit; operands never touched are then dropped without a
 *                          remote access in their place
 * @return false where a sum of sizes does not fit an int64_t
 */
bool setup_fill(struct tcplan_call_class *call_class,
                const int64_t prefetched_elems[TCPLAN_OPERANDS], int64_t limit_elems);

#endif
