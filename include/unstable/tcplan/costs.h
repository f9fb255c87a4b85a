/**
 * Costs of a machine: times of cache lines, pages and copied elements for the model of loops and
 * copies (docs/predictors.md). They are measured once per machine (tcplan/calibration.h) and
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

/** Number of consecutive lines in a run that ends before prefetching sets in. */
enum { TCPLAN_SHORT_RUN_LINES = 8 };

/** Costs of a cache for one thread. */
struct tcplan_cache_costs {
    double held_bytes;   /**< effective capacity, in bytes, for data that are accessed repeatedly */
    double line_seconds; /**< additional seconds for a line that is not in this cache, in a run of
                            TCPLAN_SHORT_RUN_LINES consecutive lines */
};

/** Costs of copies within the nearest caches, for one type: seconds per element or per row. */
struct tcplan_copy_costs {
    double run;        /**< seconds per element, if rows are contiguous in source and destination */
    double transposed; /**< seconds per element, if the contiguous dimensions of source and
                          destination differ (a transposition) */
    double scattered;  /**< seconds per element that is contiguous on neither side */
    double summed;     /**< seconds per element read in a sum over rows */
    double scaled;     /**< seconds per scaled element of the result */
    double row; /**< seconds added for each row of a transposition, in source and in destination,
                   and for each row of scattered elements */
    union {
        double contiguous_row; /**< seconds added for each row that is contiguous in both source
                                  and destination */
        double kept_row;       /**< deprecated: the name of contiguous_row in version 0.2.0 */
    };
    double begin; /**< seconds added for each copy */
};

struct tcplan_costs {
    bool measured;  /**< whether the costs were measured on this machine; otherwise they are assumed
                     */
    bool disturbed; /**< whether other load ran during the measurement, or the core was slow */
    int64_t made;   /**< time of the measurement in seconds since 1970 */
    double seconds; /**< duration of the measurement in seconds */

    int cache_count; /**< number of caches, as in struct tcplan_machine */
    struct tcplan_cache_costs cache[TCPLAN_MAX_CACHE_LEVELS];

    double written;      /**< cost of overwriting a line relative to reading it */
    double streamed;     /**< cost of a non-temporal store of a line relative to reading it */
    double streamed_row; /**< seconds added for each row that a copy writes with non-temporal stores
                            and that begins and ends within lines which nothing completes */
    double sequential;   /**< cost of a line in a long run of consecutive lines, which the processor
                            prefetches, relative to one in a short run; at most 1 */

    int64_t page_bytes;
    double pages;              /**< number of pages whose translations are cached (in the TLB) */
    double page_seconds;       /**< additional seconds for a page whose translation is not cached */
    double fresh_page_seconds; /**< seconds of the first access to a page */

    struct tcplan_copy_costs copy[TCPLAN_DTYPES]; /**< costs of copies by element type, enum
                                                     tcplan_dtype */
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
