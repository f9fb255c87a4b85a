/**
 * The candidates of the `full` space, listed without timing anything.
 *
 * Of every structure (which indices are fused, whose kernel, which copies, which tiles) the best
 * arrangements of loops and copies are rated by a model of caches and copies. A candidate is pruned
 * if its calls, copies and misses, without the arithmetic of kernels, take TCPLAN_CANDIDATE_FACTOR
 * times as long as the best candidate as a whole, its kernels taken to run at
 * TCPLAN_CANDIDATE_GFLOPS.
 */
#ifndef TCPLAN_CANDIDATES_H
#define TCPLAN_CANDIDATES_H

#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Nominal: listing measures nothing. */
#define TCPLAN_CANDIDATE_GFLOPS 16.0
#define TCPLAN_CANDIDATE_CALL_SECONDS 100e-9
#define TCPLAN_CANDIDATE_FACTOR 3.0

struct tcplan_candidate {
    struct tcplan_algorithm algorithm; /**< without choices where it is of the `blas` space as well
                                        */
    double seconds; /**< by the model: calls, copies and what caches miss in one execution, without
                       the kernels' arithmetic */
    int64_t calls;  /**< of the kernel */
};

struct tcplan_candidate_list {
    size_t count;
    struct tcplan_candidate *candidate; /**< by seconds */
    double generated;                   /**< all that were rated, those removed included */
    double removed;                     /**< by the bound */
    double oversized;                   /**< because of max_workspace_bytes */
    bool out_of_time;                   /**< the time limit ended it before all were found */
};

/**
 * Lists candidates.
 *
 * @param out      receives the list, to be freed with tcplan_candidate_list_free(); untouched on
 *                 failure
 * @param options  `machine`, `threads`, `max_workspace_bytes` and `time_limit_seconds` count; NULL:
 *                 the defaults
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if this machine's caches cannot be found
 *         out
 */
TCPLAN_API enum tcplan_status tcplan_candidates_list(struct tcplan_candidate_list **out,
                                                     const struct tcplan_problem *problem,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/** Frees a list; NULL is fine. */
TCPLAN_API void tcplan_candidate_list_free(struct tcplan_candidate_list *list);

#ifdef __cplusplus
}
#endif

#endif
