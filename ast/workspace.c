#include "ast/refine.h"
#include "ast/slice.h"
#include "base/checked.h"
#include "base/indexset.h"

int64_t tcplan_nest_workspace_bytes(const struct tcplan_nest *nest, const struct tcplan_problem *problem) {
    struct tcplan_problem refined;
    int64_t total = 0;
    problem_refine(&refined, problem, nest->contraction);
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        int64_t bytes = (int64_t)problem->element_bytes;
        if (!nest->temporary_span[t]) continue;
        for (uint64_t rest = nest->temporary_span[t]; rest; rest &= rest - 1) {
            if (!checked_mul_i64(bytes, refined.extent[indexset_first(rest)], &bytes)) return INT64_MAX;
        }
        if (!checked_add_i64(total, bytes, &total)) return INT64_MAX;
    }
    return total;
}
