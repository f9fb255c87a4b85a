#include "cachesim/prefetch.h"

#include <stdlib.h>

#include "ast/contraction/tensor.h"
#include "ast/problem/slice.h"
#include "base/indexset.h"

/** Returns the index of the dimension `step` places after the one with the smallest stride, -1 if
 * there is none. */
static int dimension(const struct tcplan_contraction *contraction, enum tcplan_operand operand,
                     int step) {
    const struct tcplan_tensor *tensor = &contraction->tensor[operand];
    int d = 0;
    while (d < tensor->rank && indexset_has(tensor->still, tensor->nearest[d]))
        d++; /* skip dimensions with stride 0 */
    return d + step < tensor->rank ? tensor->nearest[d + step] : -1;
}

/** Returns the distance in elements between neighbours along the first dimension. */
static int64_t first_step(const struct refined_problem *problem, enum tcplan_operand operand,
                          int first) {
    return problem->written.contraction->tensor[operand].strided
               ? llabs(problem->stride_elems[operand][first])
               : 1;
}

int64_t prefetch_line_elems(const struct refined_problem *problem, int64_t line_bytes) {
    const int64_t elems = line_bytes / (int64_t)problem->written.element_bytes;
    return elems > 1 ? elems : 1;
}

/** Returns whether a slice contains the whole first dimension, or that dimension is so short that a
 * line holds all of it. */
static bool first_is_at_hand(const struct refined_problem *problem, struct tcplan_slice slice,
                             int first, int64_t line_bytes) {
    const bool whole =
        indexset_has(slice.span, first) &&
        !tensor_is_diagonal(&problem->written.contraction->tensor[slice.operand], first);
    const int64_t line_elems = prefetch_line_elems(problem, line_bytes);
    return whole ||
           problem->extent[first] <= line_elems / first_step(problem, slice.operand, first);
}

enum prefetch prefetch_of(const struct refined_problem *problem, struct tcplan_slice slice,
                          int index, int64_t line_bytes) {
    const struct tcplan_contraction *contraction = problem->written.contraction;
    const struct tcplan_tensor *tensor = &contraction->tensor[slice.operand];
    if (slice.temporary || !indexset_has(slice_moving_indices(problem->refinement, slice), index) ||
        tensor_is_diagonal(tensor, index))
        return PREFETCH_NONE;
    const int first = dimension(contraction, slice.operand, 0);
    if (index == first) {
        const bool shares =
            first_step(problem, slice.operand, first) < prefetch_line_elems(problem, line_bytes);
        return shares || !tensor->strided ? PREFETCH_SHARED_LINES : PREFETCH_NONE;
    }
    if (index != dimension(contraction, slice.operand, 1)) return PREFETCH_NONE;
    return first_is_at_hand(problem, slice, first, line_bytes) ? PREFETCH_NEXT : PREFETCH_NONE;
}

int64_t prefetch_elems(const struct refined_problem *problem, struct tcplan_slice slice,
                       int64_t line_bytes) {
    const int64_t elems = slice_elems(problem, slice);
    const int first = slice_unit_index(problem->refinement, slice);
    const int64_t line = prefetch_line_elems(problem, line_bytes);
    if (!indexset_has(slice.span, first) || problem->extent[first] <= line) return elems;
    return elems / problem->extent[first] * line;
}
