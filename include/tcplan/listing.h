/**
 * Listings: the algorithms of a product as a planner ranks them, the fastest first.
 *
 *   struct tcplan_listed line = {.size = sizeof line};
 *   tcplan_listing_new(&listing, planner, product, &error);
 *   for (size_t i = 0; tcplan_listing_line(listing, i, &line) == TCPLAN_OK; i++) printf("%s %g
 *   s\n", line.algorithm, line.seconds);
 *
 * A listing holds copies of all that it was made from, and is read-only: several threads may read
 * it at once.
 */
#ifndef TCPLAN_LISTING_H
#define TCPLAN_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/planner.h"
#include "tcplan/product.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_listing;

/** What became of an algorithm. */
enum tcplan_entry_status {
    TCPLAN_ENTRY_PREDICTED,
    TCPLAN_ENTRY_PRUNED,   /**< its lower bound exceeds the best prediction: it was not predicted */
    TCPLAN_ENTRY_MEASURED, /**< run for real, with or without a prediction beside it; of listings
                              none is */
    TCPLAN_ENTRY_NOT_APPLICABLE, /**< cannot run at these sizes: a stride or matrix exceeds what its
                                    kernel takes */
    TCPLAN_ENTRY_OPEN            /**< not looked at: the search ended before */
};

/** What a prediction stands on; the later, the narrower its interval. */
enum tcplan_basis {
    TCPLAN_BASIS_SCOUT, /**< windows of some tens of microseconds: enough to see that it is not the
                           fastest */
    TCPLAN_BASIS_WINDOWS, /**< windows of a millisecond */
    TCPLAN_BASIS_LONG,  /**< windows of two milliseconds after the whole history, in turns with the
                           other contenders */
    TCPLAN_BASIS_RUNS,  /**< whole executions, which is cheaper than windows below about a
                           millisecond */
    TCPLAN_BASIS_OTHER, /**< another predictor than `window`; of listings none is */
    TCPLAN_BASIS_ESTIMATE /**< nobody looked at it: its kernel timed by itself, unless nothing was
                             to be timed, all else by models; its interval is what these may be off
                             by (enum tcplan_time_source), not one of executions */
};

/** A line of a listing. Members that later versions add are behind these. */
struct tcplan_listed {
    size_t size;           /**< given: sizeof(struct tcplan_listed) */
    const char *algorithm; /**< its name, as tcplan_plan_named() takes it; as long as the listing
                              lives */
    enum tcplan_entry_status status; /**< what became of it */
    enum tcplan_basis basis;         /**< where it was predicted */
    double seconds;                  /**< of one execution; 0: it was not predicted */
    double low; /**< with `high`: the interval that holds 95 of 100 executions; of an estimate, what
                   it may be off by */
    double high;          /**< see `low` */
    double bound_seconds; /**< no execution takes less; 0: not known */
    bool tied; /**< as fast as the fastest in the same rounds; of estimates: the intervals overlap
                */
    bool compared;    /**< sampled in the same rounds as the pick */
    bool missed;      /**< it may be as fast as the pick and was not compared with it */
    bool is_baseline; /**< one plain call of the kernel that takes all free and contracted indices,
                         on operands as they are or copied whole */
    int threads;      /**< that execute it: an algorithm with other threads is another line */
    bool chosen; /**< the pick: what tcplan_plan_new() executes; line 0, or a line that is preferred
                    to it (enum tcplan_preference) */
};

/** What a listing is of. Members that later versions add are behind these. */
struct tcplan_listing_summary {
    size_t size;        /**< given: sizeof(struct tcplan_listing_summary) */
    size_t lines;       /**< those of the listing */
    double algorithms;  /**< all that there are, listed or not, as far as they were counted */
    double pruned;      /**< of these, how many a bound excludes, listed or not */
    double open;        /**< how many were not looked at, listed or not */
    double gemm_gflops; /**< what a large product of square matrices reaches with this type and as
                           many threads; 0: not known */
    double planning_seconds; /**< what the ranking took, wall clock */
    bool compared;    /**< the pick was compared with all that may be as fast, or there are none */
    bool out_of_time; /**< the time limit ended the search */
};

/**
 * Ranks the algorithms of a product as tcplan_plan_new() does to choose one, without stored plans,
 * and lists them. Where the effort times anything the speed of a large gemm is measured besides.
 *
 * @param out      receives the listing, to be freed with tcplan_listing_free(); untouched on
 *                 failure
 * @param planner  NULL: the defaults of tcplan_planner_new()
 * @return as tcplan_plan_new()
 */
TCPLAN_API enum tcplan_status tcplan_listing_new(struct tcplan_listing **out,
                                                 struct tcplan_planner *planner,
                                                 const struct tcplan_product *product,
                                                 struct tcplan_error *error);

/** Fills in `out`, of which `size` is set. TCPLAN_INVALID, and nothing is changed: a pointer is
 * NULL, or the size is none of this or an earlier version. */
TCPLAN_API enum tcplan_status tcplan_listing_summarize(const struct tcplan_listing *listing,
                                                       struct tcplan_listing_summary *out);

/**
 * Fills in `out`, of which `size` is set, with a line, the fastest being line 0. TCPLAN_INVALID,
 * and nothing is changed: as before, or there is no such line.
 */
TCPLAN_API enum tcplan_status tcplan_listing_line(const struct tcplan_listing *listing, size_t line,
                                                  struct tcplan_listed *out);

/** Frees a listing; NULL is fine. */
TCPLAN_API void tcplan_listing_free(struct tcplan_listing *listing);

#ifdef __cplusplus
}
#endif

#endif
