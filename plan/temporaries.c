#include "plan/temporaries.h"

#include <inttypes.h>

#include "ast/nest/refine.h"
#include "base/error.h"
#include "gen/lower/workspace.h"

enum tcplan_status temporaries_bytes(int64_t *bytes, const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm, int threads,
                                     struct tcplan_error *error) {
    struct tcplan_nest *nest;
    const enum tcplan_status status =
        tcplan_nest_build(&nest, problem->contraction, algorithm, error);
    if (status != TCPLAN_OK) return status;
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    *bytes = workspace_bytes(nest, &refined, threads);
    tcplan_nest_free(nest);
    return TCPLAN_OK;
}

enum tcplan_status temporaries_check(const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm,
                                     const struct tcplan_rank_options *options,
                                     struct tcplan_error *error) {
    int64_t bytes;
    if (!options || options->max_workspace_bytes == 0) return TCPLAN_OK;
    const enum tcplan_status status =
        temporaries_bytes(&bytes, problem, algorithm, options->threads, error);
    if (status != TCPLAN_OK || bytes <= options->max_workspace_bytes) return status;
    return error_set(error, TCPLAN_INVALID,
                     "the algorithm's temporaries take %" PRId64 " bytes, more than the %" PRId64
                     " allowed",
                     bytes, options->max_workspace_bytes);
}
