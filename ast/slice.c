#include "ast/slice.h"

#include "ast/algorithm.h"
#include "base/indexset.h"

/** The dimension `step` places away from the contiguous one. */
static int dimension_from_unit(const struct tcplan_contraction *contraction, const struct tcplan_tensor *tensor, int step) {
    return contraction->order == TCPLAN_COLUMN_MAJOR ? step : tensor->rank - 1 - step;
}

int slice_unit_index(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction_unit_index(contraction, slice.operand);
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    for (int step = 0; step < tensor->rank; step++) {
        int index = tensor->dims[dimension_from_unit(contraction, tensor, step)];
        if (indexset_has(slice.span, index)) return index;
    }
    return -1;
}

static int64_t temporary_stride(const struct tcplan_problem *problem, struct tcplan_slice slice, int index) {
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[slice.operand];
    int64_t stride = 1;
    uint64_t pending = slice.span;
    for (int step = 0; step < tensor->rank; step++) {
        int other = tensor->dims[dimension_from_unit(problem->contraction, tensor, step)];
        if (!indexset_has(pending, other)) continue;
        if (other == index) return stride;
        stride *= problem->extent[other];
        pending &= ~indexset_of(other);
    }
    return 0;
}

int64_t slice_stride(const struct tcplan_problem *problem, struct tcplan_slice slice, int index) {
    return slice.temporary ? temporary_stride(problem, slice, index) : problem->stride_elems[slice.operand][index];
}

int64_t slice_elems(const struct tcplan_problem *problem, struct tcplan_slice slice) {
    int64_t elems = 1;
    for (uint64_t rest = slice.span; rest; rest &= rest - 1) elems *= problem->extent[indexset_first(rest)];
    return elems;
}
