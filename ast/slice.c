#include "ast/slice.h"

#include "ast/algorithm.h"
#include "base/indexset.h"

/** The dimensions of a temporary, the contiguous one first. */
static const uint8_t *temporary_dims(const struct tcplan_contraction *contraction, enum tcplan_operand operand, int *rank) {
    *rank = contraction->refinement->temporary_rank[operand];
    return contraction->refinement->temporary_dims[operand];
}

uint64_t slice_indices(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction->tensor[slice.operand].indices;
    int rank;
    const uint8_t *dims = temporary_dims(contraction, slice.operand, &rank);
    uint64_t indices = 0;
    for (int d = 0; d < rank; d++) indices |= indexset_of(dims[d]);
    return indices;
}

uint64_t slice_moving_indices(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    const uint64_t still = slice.temporary ? 0 : contraction->tensor[slice.operand].still;
    return slice_indices(contraction, slice) & ~still;
}

int slice_dims(const struct tcplan_contraction *contraction, struct tcplan_slice slice, uint8_t dims[TCPLAN_MAX_RANK]) {
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    int rank = tensor->rank;
    const uint8_t *own = slice.temporary ? temporary_dims(contraction, slice.operand, &rank) : tensor->dims;
    const bool reversed = slice.temporary && contraction->order == TCPLAN_ROW_MAJOR;
    for (int d = 0; d < rank; d++) dims[reversed ? rank - 1 - d : d] = own[d];
    return rank;
}

int slice_unit_index(const struct tcplan_contraction *contraction, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction_unit_index(contraction, slice.operand);
    int rank;
    const uint8_t *dims = temporary_dims(contraction, slice.operand, &rank);
    return rank > 0 ? dims[0] : -1;
}

int64_t slice_stride(const struct tcplan_problem *problem, struct tcplan_slice slice, int index) {
    if (!slice.temporary) return problem->stride_elems[slice.operand][index];
    int rank;
    const uint8_t *dims = temporary_dims(problem->contraction, slice.operand, &rank);
    int64_t stride = 1;
    for (int d = 0; d < rank; d++) {
        if (dims[d] == index) return stride;
        stride *= problem->extent[dims[d]];
    }
    return 0;
}

int64_t slice_elems(const struct tcplan_problem *problem, struct tcplan_slice slice) {
    int64_t elems = 1;
    const uint64_t still = slice.temporary ? 0 : problem->contraction->tensor[slice.operand].still;
    for (uint64_t rest = slice.span & ~still; rest; rest &= rest - 1) elems *= problem->extent[indexset_first(rest)];
    return elems;
}
