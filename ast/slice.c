#include "ast/slice.h"

#include "ast/algorithm.h"
#include "base/indexset.h"

/** The dimension `step` places away from the contiguous one. */
static int dimension_from_unit(const struct tcplan_contraction *contraction, const struct tcplan_tensor *tensor, int step) {
    return contraction->order == TCPLAN_COLUMN_MAJOR ? step : tensor->rank - 1 - step;
}

/** Whether a slice is of a temporary whose dimensions the contraction's refinement lists. */
static bool is_laid_out(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    return slice.temporary && contraction->refinement && contraction->refinement->temporary_rank[slice.operand] > 0;
}

uint64_t slice_indices(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction->tensor[slice.operand].indices;
    if (!is_laid_out(contraction, slice)) return slice.span;
    uint64_t indices = 0;
    for (int d = 0; d < contraction->refinement->temporary_rank[slice.operand]; d++) {
        indices |= indexset_of(contraction->refinement->temporary_dims[slice.operand][d]);
    }
    return indices;
}

static int laid_out_dims(const struct tcplan_contraction *contraction, enum tcplan_operand operand, uint8_t dims[TCPLAN_MAX_RANK]) {
    const int rank = contraction->refinement->temporary_rank[operand];
    for (int d = 0; d < rank; d++) {
        dims[contraction->order == TCPLAN_COLUMN_MAJOR ? d : rank - 1 - d] = contraction->refinement->temporary_dims[operand][d];
    }
    return rank;
}

int slice_dims(const struct tcplan_contraction *contraction, struct tcplan_slice slice, uint8_t dims[TCPLAN_MAX_RANK]) {
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    if (is_laid_out(contraction, slice)) return laid_out_dims(contraction, slice.operand, dims);
    uint64_t pending = slice.span;
    int rank = 0;
    for (int d = 0; d < tensor->rank; d++) {
        if (slice.temporary && !indexset_has(pending, tensor->dims[d])) continue;
        pending &= ~indexset_of(tensor->dims[d]);
        dims[rank++] = tensor->dims[d];
    }
    return rank;
}

int slice_unit_index(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction_unit_index(contraction, slice.operand);
    if (is_laid_out(contraction, slice)) return contraction->refinement->temporary_dims[slice.operand][0];
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    for (int step = 0; step < tensor->rank; step++) {
        int index = tensor->dims[dimension_from_unit(contraction, tensor, step)];
        if (indexset_has(slice.span, index)) return index;
    }
    return -1;
}

static int64_t laid_out_stride(const struct tcplan_problem *problem, struct tcplan_slice slice, int index) {
    const struct tcplan_refinement *refinement = problem->contraction->refinement;
    int64_t stride = 1;
    for (int d = 0; d < refinement->temporary_rank[slice.operand]; d++) {
        const int other = refinement->temporary_dims[slice.operand][d];
        if (other == index) return stride;
        stride *= problem->extent[other];
    }
    return 0;
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
    if (is_laid_out(problem->contraction, slice)) return laid_out_stride(problem, slice, index);
    return slice.temporary ? temporary_stride(problem, slice, index) : problem->stride_elems[slice.operand][index];
}

int64_t slice_elems(const struct tcplan_problem *problem, struct tcplan_slice slice) {
    int64_t elems = 1;
    for (uint64_t rest = slice.span; rest; rest &= rest - 1) elems *= problem->extent[indexset_first(rest)];
    return elems;
}
