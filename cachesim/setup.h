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
 * Operands are in order of falling distance; ties by falling access distance, then in the kernel's
 * order. Each is followed by as much remote memory as its distance exceeds the sum of everything to
 * its right. An operand that is partly prefetched appears twice, at its access distance and, for
 * the prefetched part, at its prefetch distance; one that is entirely prefetched only at the
 * latter. The first operand farther away than `limit_elems` (or never touched) and all before it
 * are replaced by remote memory up to the limit.
 * @param prefetched_elems  for each prefetched operand: elements of the prefetched part
 * @param limit_elems       INT64_MAX: no limit; operands never touched are then dropped without a
 *   remote access
 * @return false if a sum of sizes does not fit an int64_t
 */
bool setup_fill(struct tcplan_call_class *call_class,
                const int64_t prefetched_elems[TCPLAN_OPERANDS], int64_t limit_elems);

#endif
