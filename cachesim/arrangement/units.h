/** The units that hold recently touched memory: the caches of a machine, and its TLB. */
#ifndef CACHESIM_ARRANGEMENT_UNITS_H
#define CACHESIM_ARRANGEMENT_UNITS_H

#include <stdbool.h>

#include "tcplan/algorithm.h"
#include "tcplan/costs.h"

enum { ARRANGEMENT_UNITS = TCPLAN_MAX_CACHE_LEVELS + 1 };

/** The blocks in which memory is touched: lines and pages. */
enum arrangement_block { ARRANGEMENT_LINE, ARRANGEMENT_PAGE, ARRANGEMENT_BLOCKS };

/** A unit: a cache, or the TLB, which holds translations of pages. */
struct arrangement_unit {
    double capacity_bytes;
    enum arrangement_block block;
    double block_bytes;
    double seconds; /**< seconds to fetch a block that the unit does not hold, in a short run of
                       consecutive blocks */
    double sequential_seconds; /**< the same in a long run, which the processor prefetches */
};

/** Lists the units of a machine: the caches, from the innermost outwards, then the TLB. Returns
 * their number. */
int arrangement_units(struct arrangement_unit out[ARRANGEMENT_UNITS],
                      const struct tcplan_costs *costs, double line_bytes);

/** Returns the seconds to fetch a block of a run of consecutive memory. Prefetching begins after
 * TCPLAN_SHORT_RUN_LINES blocks. */
double arrangement_block_seconds(const struct arrangement_unit *unit, double run_bytes);

/** Returns the number of transfers that a line of an operand causes: 1 for a line that is read; a
 * line of a result that is not streamed is loaded and written back. */
double arrangement_transfers(const struct tcplan_costs *costs, enum tcplan_operand operand,
                             bool streamed);

#endif
