/**
 * Lists the algorithms of a product, ranked by a planner, fastest first.
 *
 *   struct tcplan_listed line = {.size = sizeof line};
 *   tcplan_listing_new(&listing, planner, product, &error);
 *   for (size_t i = 0; tcplan_listing_line(listing, i, &line) == TCPLAN_OK; i++)
 *       printf("%s %g s\n", line.algorithm, line.seconds);
 *
 * A listing copies the data that it needs from planner and product, and is read-only: several
 * threads may read it at once.
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

/** Progress of the search with an algorithm when the search ended. */
enum tcplan_entry_status {
    TCPLAN_ENTRY_PREDICTED,
    TCPLAN_ENTRY_PRUNED, /**< not predicted, because its lower bound exceeds the best prediction */
    TCPLAN_ENTRY_MEASURED,       /**< executed as a whole, with or without a prediction; never in a
                                    listing */
    TCPLAN_ENTRY_NOT_APPLICABLE, /**< cannot run at these sizes: a stride or matrix exceeds the
                                    limits of its kernel */
    TCPLAN_ENTRY_OPEN            /**< not evaluated, because the search ended first */
};

/** How a prediction was obtained. From PROBE to LONG the intervals become narrower. */
enum tcplan_basis {
    TCPLAN_BASIS_PROBE,   /**< a short probe of some tens of microseconds, which rules out slow
                             algorithms */
    TCPLAN_BASIS_WINDOWS, /**< windows of a millisecond */
    TCPLAN_BASIS_LONG,    /**< windows of two milliseconds that follow the whole cache history,
                             interleaved with those of the other candidates */
    TCPLAN_BASIS_RUNS,  /**< whole executions; used if the fastest algorithm takes less than a limit
                           of 10 milliseconds (TCPLAN_EFFORT_QUICK) to one second, depending on the
                           effort */
    TCPLAN_BASIS_OTHER, /**< a predictor other than `window`; does not occur in listings */
    TCPLAN_BASIS_ESTIMATE /**< estimated without an evaluation: the kernel is timed alone, or
                             modelled if nothing may be timed; models give all times other than the
                             kernel's. The interval states the error of these sources (enum
                             tcplan_time_source), not the spread of executions */
};

/** deprecated: the name of TCPLAN_BASIS_PROBE in version 0.1.0 */
#define TCPLAN_BASIS_SCOUT TCPLAN_BASIS_PROBE

/** A line of a listing. Later versions add members at the end only. */
struct tcplan_listed {
    size_t size;           /**< given: sizeof(struct tcplan_listed) */
    const char *algorithm; /**< name of the algorithm, for tcplan_plan_named(); valid until the
                              listing is freed */
    enum tcplan_entry_status status; /**< progress of the search with this algorithm */
    enum tcplan_basis basis; /**< how the prediction was obtained; valid only if `seconds` is not 0
                              */
    double seconds;          /**< predicted seconds of one execution; 0: not predicted */
    double low;  /**< with `high`, in seconds: the interval that holds 95 of 100 executions; for an
                    estimate, the interval of its error */
    double high; /**< see `low` */
    double bound_seconds; /**< lower bound of the seconds of one execution; 0: unknown */
    bool tied;     /**< whether it is as fast as the fastest algorithm in the same rounds. If no
                      algorithms were compared: one of its samples is below the upper end of the
                      interval of the fastest. Estimates have no samples, so among them only the fastest
                      is tied */
    bool compared; /**< whether it was sampled in the same rounds as the chosen algorithm */
    bool missed;   /**< whether it may be as fast as the chosen algorithm, but was not compared with
                      it */
    bool is_baseline; /**< whether it is the baseline: one plain call of the kernel that takes all
                         free and contracted indices, with operands in place or copied whole */
    int threads; /**< number of threads; the same algorithm with another number of threads has its
                    own line */
    bool chosen; /**< whether a plan of tcplan_plan_new() executes this algorithm. It is line 0, or
                    an equally fast line that the planner's preference selects (enum
                    tcplan_preference) */
};

/** Summary of a listing. Later versions add members at the end only. */
struct tcplan_listing_summary {
    size_t size;       /**< given: sizeof(struct tcplan_listing_summary) */
    size_t lines;      /**< number of lines */
    double algorithms; /**< number of algorithms counted, whether listed or not */
    double pruned; /**< number of algorithms that a lower bound excludes, whether listed or not */
    double open;   /**< number of algorithms that were not evaluated, whether listed or not */
    double gemm_gflops; /**< Gflop/s of a large product of square matrices of this type with the
                           planner's threads; 0: unknown */
    double planning_seconds; /**< seconds of wall-clock time that the ranking took */
    bool compared; /**< whether the chosen algorithm was compared with every algorithm that may be
                      as fast; true if there is none */
    bool out_of_time; /**< whether the time limit ended the search */
};

/**
 * Ranks the algorithms of a product as tcplan_plan_new() does, but without stored plans, and lists
 * them. Unless the effort is TCPLAN_EFFORT_ESTIMATE, it also measures the speed of a large gemm.
 *
 * @param out      receives the listing, to be freed with tcplan_listing_free(); untouched on
 *                 failure
 * @param planner  NULL: the defaults of tcplan_planner_new()
 * @return TCPLAN_OK, also if the listing has no line; TCPLAN_INVALID if `out` or `product` is NULL,
 *         elements of the product cannot have the planner's alignment, or the planner has more
 *         threads than the machine; TCPLAN_CANCELLED; TCPLAN_OVERFLOW if there are too many
 *         algorithms to list; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_listing_new(struct tcplan_listing **out,
                                                 struct tcplan_planner *planner,
                                                 const struct tcplan_product *product,
                                                 struct tcplan_error *error);

/** Fills in `out`; the caller sets `out->size` first. Returns TCPLAN_INVALID and changes nothing if
 * a pointer is NULL or the size belongs to no version up to this one. */
TCPLAN_API enum tcplan_status tcplan_listing_summarize(const struct tcplan_listing *listing,
                                                       struct tcplan_listing_summary *out);

/**
 * Fills in `out` with line `line`, counted from 0, the fastest; the caller sets `out->size` first.
 * Returns TCPLAN_INVALID and changes nothing if there is no such line, or for the reasons of
 * tcplan_listing_summarize().
 */
TCPLAN_API enum tcplan_status tcplan_listing_line(const struct tcplan_listing *listing, size_t line,
                                                  struct tcplan_listed *out);

/** Frees a listing; does nothing if it is NULL. */
TCPLAN_API void tcplan_listing_free(struct tcplan_listing *listing);

#ifdef __cplusplus
}
#endif

#endif
