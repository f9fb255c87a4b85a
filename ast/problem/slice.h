/**
 * Geometry of slices: which index is contiguous, strides, volumes.
 */
#ifndef AST_PROBLEM_SLICE_H
#define AST_PROBLEM_SLICE_H

#include "ast/nest/refine.h"

/** The indices that the whole of a slice's tensor or temporary has. */
uint64_t slice_indices(const struct tcplan_refinement *refinement, struct tcplan_slice slice);

/** Those of them along which it moves: strides of 0 lead nowhere. */
uint64_t slice_moving_indices(const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice);

/**
 * The dimensions of a slice as they are written, from left to right, in `dims`: those of its
 * tensor, or of its temporary; returns their number. A diagonal is there more than once in a
 * tensor.
 */
int slice_dims(const struct tcplan_refinement *refinement, struct tcplan_slice slice,
               uint8_t dims[TCPLAN_MAX_RANK]);

/** The contiguous index of a slice; -1 where there is none. */
int slice_unit_index(const struct tcplan_refinement *refinement, struct tcplan_slice slice);

/** The stride, in elements, of `index` in a slice: the tensor's own, or the dense one of the
 * temporary; 0 where it lacks the index. */
int64_t slice_stride(const struct refined_problem *problem, struct tcplan_slice slice, int index);

/** Whether scaling leaves the result of a problem as it is: there is none, or beta is 1, nothing is
 * conjugated, and there is no addend. */
bool problem_keeps_result(const struct tcplan_problem *problem);

/** Elements of a slice; those in the same place by a stride of 0 count once. */
int64_t slice_elems(const struct refined_problem *problem, struct tcplan_slice slice);

#endif
