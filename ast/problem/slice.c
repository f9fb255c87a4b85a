#include "ast/problem/slice.h"

#include <assert.h>

#include "ast/algorithm/algorithm.h"
#include "ast/contraction/contraction.h"
#include "ast/scalar.h"
#include "base/indexset.h"

/** Returns the dimensions of a temporary, the contiguous one first. */
static const uint8_t *temporary_dims(const struct tcplan_refinement *refinement,
                                     enum tcplan_operand operand, int *rank) {
    *rank = refinement->temporary_rank[operand];
    return refinement->temporary_dims[operand];
}

uint64_t slice_indices(const struct tcplan_refinement *refinement, struct tcplan_slice slice) {
    if (!slice.temporary) return refinement->indices[slice.operand];
    int rank;
    const uint8_t *dims = temporary_dims(refinement, slice.operand, &rank);
    uint64_t indices = 0;
    for (int d = 0; d < rank; d++) indices |= indexset_of(dims[d]);
    return indices;
}

uint64_t slice_moving_indices(const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice) {
    const uint64_t still = slice.temporary ? 0 : refinement->still[slice.operand];
    return slice_indices(refinement, slice) & ~still;
}

int slice_dims(const struct tcplan_refinement *refinement, struct tcplan_slice slice,
               uint8_t dims[TCPLAN_MAX_RANK]) {
    const struct tcplan_tensor *tensor = &refinement->source->tensor[slice.operand];
    int rank = tensor->rank;
    const uint8_t *own =
        slice.temporary ? temporary_dims(refinement, slice.operand, &rank) : tensor->dims;
    const bool reversed = slice.temporary && refinement->source->order == TCPLAN_ROW_MAJOR;
    for (int d = 0; d < rank; d++) dims[reversed ? rank - 1 - d : d] = own[d];
    return rank;
}

int slice_unit_index(const struct tcplan_refinement *refinement, struct tcplan_slice slice) {
    if (!slice.temporary) return contraction_unit_index(refinement->source, slice.operand);
    int rank;
    const uint8_t *dims = temporary_dims(refinement, slice.operand, &rank);
    return rank > 0 ? dims[0] : -1;
}

int64_t slice_stride(const struct refined_problem *problem, struct tcplan_slice slice, int index) {
    assert(index >= 0 && index < problem->refinement->index_count);
    return slice.temporary ? problem->temporary_stride[slice.operand][index]
                           : problem->stride_elems[slice.operand][index];
}

int64_t slice_elems(const struct refined_problem *problem, struct tcplan_slice slice) {
    int64_t elems = 1;
    const uint64_t still = slice.temporary ? 0 : problem->refinement->still[slice.operand];
    for (uint64_t rest = slice.span & ~still; rest; rest &= rest - 1)
        elems *= problem->extent[indexset_first(rest)];
    return elems;
}

bool problem_keeps_result(const struct tcplan_problem *problem) {
    const bool conjugates =
        scalar_conjugates(problem->contraction->tensor[TCPLAN_C].conjugated, problem->dtype);
    const bool is_own = tcplan_contraction_has_addend(problem->contraction);
    return problem->elems[TCPLAN_C] == 0 || (scalar_is(problem->beta, 1) && !conjugates && !is_own);
}
