#include "support/temporary.h"

#include "base/indexset.h"

void temporary_problem_init(struct temporary_problem *out, const struct tcplan_problem *problem,
                            enum tcplan_operand operand, uint64_t span) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[operand];
    out->refinement = refinement_none(problem->contraction);
    out->refinement.has_temporary[operand] = true;
    for (int step = 0; step < tensor->rank; step++) {
        const int index = tensor->dims[problem->contraction->order == TCPLAN_COLUMN_MAJOR
                                           ? step
                                           : tensor->rank - 1 - step];
        if (!indexset_has(span, index)) continue;
        span &= ~indexset_of(index);
        out->refinement.temporary_dims[operand][out->refinement.temporary_rank[operand]++] =
            (uint8_t)index;
    }
    out->problem = problem_refine(problem, &out->refinement);
}
