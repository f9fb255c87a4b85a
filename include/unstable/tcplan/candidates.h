/**
 * Lists the candidates of the `full` space without timing anything.
 *
 * A structure determines fused indices, kernel provider, copies and tiles. A model of caches and
 * copies estimates the best arrangements of loops and copies of each structure. A candidate is
 * pruned if its calls, copies and cache misses alone, without the arithmetic of its kernels, take
 * more than TCPLAN_CANDIDATE_FACTOR times as long as the whole best candidate. Its kernels are
 * assumed to run at TCPLAN_CANDIDATE_GFLOPS.
 */
#ifndef TCPLAN_CANDIDATES_H
#define TCPLAN_CANDIDATES_H

#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Assumed speed of kernels, because listing times nothing. */
#define TCPLAN_CANDIDATE_GFLOPS 16.0
#define TCPLAN_CANDIDATE_CALL_SECONDS 100e-9
#define TCPLAN_CANDIDATE_FACTOR 3.0

struct tcplan_candidate {
    struct tcplan_algorithm algorithm; /**< the algorithm; its copy choices are unset if it is also
                                          in the `blas` space */
    double seconds; /**< estimated seconds of the calls, copies and cache misses of one execution,
                       without the kernels' arithmetic */
    int64_t calls;  /**< number of kernel calls */
};

struct tcplan_candidate_list {
    size_t count;
    struct tcplan_candidate *candidate; /**< candidates by increasing `seconds` */
    double generated; /**< number of algorithms generated, including those removed or rejected */
    double removed; /**< number removed because their estimate exceeds TCPLAN_CANDIDATE_FACTOR times
                       that of the best */
    double oversized; /**< number rejected because of max_workspace_bytes */
    bool out_of_time; /**< whether the time limit ended the listing early */
};

/**
 * Lists candidates.
 *
 * @param out      receives the list, to be freed with tcplan_candidate_list_free(); untouched on
 *                 failure
 * @param options  only `machine`, `threads`, `max_workspace_bytes` and `time_limit_seconds`
 *     are used; NULL: the defaults
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if this machine's caches cannot be
 *     determined
 */
TCPLAN_API enum tcplan_status tcplan_candidates_list(struct tcplan_candidate_list **out,
                                                     const struct tcplan_problem *problem,
                                                     const struct tcplan_rank_options *options,
                                                     struct tcplan_error *error);

/** Frees a list; does nothing if it is NULL. */
TCPLAN_API void tcplan_candidate_list_free(struct tcplan_candidate_list *list);

#ifdef __cplusplus
}
#endif

#endif
