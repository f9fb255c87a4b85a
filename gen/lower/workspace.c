#include "gen/lower/workspace.h"

#include "ast/nest/nest.h"
#include "ast/nest/refine.h"
#include "ast/problem/slice.h"
#include "base/checked.h"
#include "base/indexset.h"
#include "gen/lower/copy_shape.h"
#include "gen/lower/sharing.h"

int64_t workspace_bytes(const struct tcplan_nest *nest, const struct refined_problem *refined,
                        int threads) {
    const struct tcplan_problem *problem = &refined->written;
    int64_t total = 0;
    if (tcplan_problem_only_scales(problem)) return 0;
    const struct sharing sharing = sharing_of(nest, refined, threads);
    const int64_t ends = copy_shape_ends(nest, refined);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (refined->temporary_elems[t] == INT64_MAX) return INT64_MAX;
        int64_t bytes = refined->temporary_elems[t] * (int64_t)problem->element_bytes;
        if (bytes > INT64_MAX - SHARING_PAGE_BYTES) return INT64_MAX;
        const bool is_private = sharing.threads > 1 && sharing.is_private[t];
        if (is_private &&
            !checked_mul_i64((int64_t)sharing_stride_bytes((size_t)bytes), sharing.threads, &bytes))
            return INT64_MAX;
        if (!checked_add_i64(total, bytes, &total)) return INT64_MAX;
    }
    const int64_t end_bytes =
        ends * COPY_END_BYTES * (sharing.is_private[TCPLAN_C] ? sharing.threads : 1);
    return checked_add_i64(total, end_bytes, &total) ? total : INT64_MAX;
}

int64_t tcplan_nest_workspace_bytes(const struct tcplan_nest *nest,
                                    const struct tcplan_problem *problem, int threads) {
    const struct refined_problem refined = problem_refine(problem, nest->refinement);
    return workspace_bytes(nest, &refined, threads);
}
