/**
 * The costs of a machine: what the model of loops and copies (docs/predictors.md) takes for a line,
 * a page, an element that is copied. They are measured once a machine (tcplan/calibration.h) and
 * kept (tcplan/store.h); if they were not, numbers from the machine's description replace them.
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
    double held_bytes;   /**< of data that are passed over again and again it holds so much */
    double line_seconds; /**< of a line that it does not hold, beyond what those cost that it holds,
                            where some lines follow each other */
};

/** Copies whose data stay in the nearest caches, by type: seconds for an element, or a row. */
struct tcplan_copy_costs {
    double run;        /**< an element of rows that lie side by side on both sides */
    double transposed; /**< rows of one side are columns of the other: an element of a block */
    double scattered;  /**< on neither side elements lie side by side */
    double summed;     /**< an element that is read, of a sum over rows */
    double scaled;     /**< an element of the result that is scaled */
    double row;        /**< to begin a row of a block that is transposed, on either side */
    double kept_row;   /**< to begin a row that keeps its order */
    double begin;      /**< a copy */
};

struct tcplan_costs {
    bool measured;  /**< here; else they are assumed */
    bool disturbed; /**< other load ran during the measurement, or the core was slow */
    int64_t made;   /**< seconds since 1970 */
    double seconds; /**< that measuring took */

    int cache_count; /**< as of the machine */
    struct tcplan_cache_costs cache[TCPLAN_MAX_CACHE_LEVELS];

    double written;  /**< a line that is written over: so many times one that is read */
    double streamed; /**< a line that is written past the caches: likewise */

    int64_t page_bytes;
    double pages;              /**< whose translations are at hand */
    double page_seconds;       /**< of a page whose translation is not, beyond its lines */
    double fresh_page_seconds; /**< of a page that is touched for the first time */

    struct tcplan_copy_costs copy[TCPLAN_DTYPES]; /**< by enum tcplan_dtype */
};

/** Returns assumptions about a machine that was not measured: by its caches, and for the rest
 * numbers of a server's core of 2023. */
TCPLAN_API struct tcplan_costs tcplan_costs_assumed(const struct tcplan_machine *machine);

/** The costs of a machine: its own if they are known (struct tcplan_machine), else those
 * assumed. */
TCPLAN_API struct tcplan_costs tcplan_costs_of(const struct tcplan_machine *machine);

/**
 * Whether costs can be those of a machine: as many caches, every number positive, finite and within
 * a factor of some hundred of the assumption.
 *
 * @param machine  NULL: only the numbers
 */
TCPLAN_API bool tcplan_costs_are_sound(const struct tcplan_costs *costs,
                                       const struct tcplan_machine *machine);

#ifdef __cplusplus
}
#endif

#endif
