/**
 * Costs of a machine: what the model of loops and copies (docs/predictors.md) assumes for cache
 * lines, pages and copied elements. They are measured once per machine (tcplan/calibration.h) and
 * stored (tcplan/store.h). Until then, they are estimated from the machine's description.
 */
#ifndef TCPLAN_COSTS_H
#define TCPLAN_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tcplan/machine.h"
#include "tcplan/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A cache, for one thread. */
struct tcplan_cache_costs {
    double held_bytes;   /**< effective capacity for data that are accessed repeatedly */
    double line_seconds; /**< extra time for a line that this cache lacks, if some lines are
                            consecutive */
};

/** Costs of copies within the nearest caches, for one type: seconds per element or per row. */
struct tcplan_copy_costs {
    double run;        /**< per element of rows that are contiguous in source and destination */
    double transposed; /**< per element of a block whose rows are contiguous on one side and whose
                          columns are on the other */
    double scattered;  /**< per element that is contiguous on neither side */
    double summed;     /**< per element read in a sum over rows */
    double scaled;     /**< per scaled element of the result */
    double row;        /**< per row of a transposed block, on either side */
    double kept_row;   /**< per row that keeps its order */
    double begin;      /**< per copy */
};

struct tcplan_costs {
    bool measured;  /**< measured on this machine; false: assumed */
    bool disturbed; /**< other load ran during the measurement, or the core was slow */
    int64_t made;   /**< seconds since 1970 */
    double seconds; /**< duration of the measurement */

    int cache_count; /**< as in struct tcplan_machine */
    struct tcplan_cache_costs cache[TCPLAN_MAX_CACHE_LEVELS];

    double written;  /**< cost of overwriting a line relative to reading it */
    double streamed; /**< cost of a non-temporal store of a line relative to reading it */

    int64_t page_bytes;
    double pages;              /**< number of pages whose translations are cached */
    double page_seconds;       /**< extra time for a page whose translation is not cached */
    double fresh_page_seconds; /**< time of the first access to a page */

    struct tcplan_copy_costs copy[TCPLAN_DTYPES]; /**< by enum tcplan_dtype */
};

/** Returns the assumed costs of a machine: derived from its caches, with constants of a server core
 * of 2023 for the rest. */
TCPLAN_API struct tcplan_costs tcplan_costs_assumed(const struct tcplan_machine *machine);

/** Returns the costs of a machine: measured ones if known (struct tcplan_machine), else assumed
 * ones. */
TCPLAN_API struct tcplan_costs tcplan_costs_of(const struct tcplan_machine *machine);

/**
 * Returns whether costs are plausible for a machine: the same number of caches, and all numbers
 * positive, finite and within a factor of some hundred of the assumed ones.
 *
 * @param machine  NULL: checks only the numbers
 */
TCPLAN_API bool tcplan_costs_are_sound(const struct tcplan_costs *costs,
                                       const struct tcplan_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
