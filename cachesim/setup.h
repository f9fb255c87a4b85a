/**
 * Cache setups: the accesses, before a benchmark's kernel call, that bring the caches into the
 * state that the nest's own calls find (dissertation, section 6.2.3).
 */
#ifndef CACHESIM_SETUP_H
#define CACHESIM_SETUP_H

#include "tcplan/analysis.h"

/**
 * Fills in a class's setup from its accesses.
 *
 * Operands are accessed in decreasing order of distance; operands with equal distances in
 * decreasing order of access distance, then in the kernel's order. If an operand's distance
 * exceeds the sum of all accesses that follow it, remote memory of this difference is inserted
 * after it. An operand that is partly prefetched appears twice, at its access distance and, for
 * the prefetched part, at its prefetch distance; an operand that is entirely prefetched appears
 * only at its prefetch distance. Operands farther away than `limit_elems`, and those never
 * touched, are replaced by remote memory up to the limit.
 * @param prefetched_elems  for each prefetched operand: elements of the prefetched part
 * @param limit_elems       INT64_MAX: no limit; operands never touched are then dropped without a
 *   remote access
 * @return false if a sum of sizes does not fit an int64_t
 */
bool setup_fill(struct tcplan_call_class *call_class,
                const int64_t prefetched_elems[TCPLAN_OPERANDS], int64_t limit_elems);

#endif
