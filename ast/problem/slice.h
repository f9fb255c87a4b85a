/** The geometry of slices: contiguous index, strides, volume. */
#ifndef AST_PROBLEM_SLICE_H
#define AST_PROBLEM_SLICE_H

#include "ast/nest/refine.h"

/** Returns all indices of a slice's tensor or temporary. */
uint64_t slice_indices(const struct tcplan_refinement *refinement, struct tcplan_slice slice);

/** Returns the indices of a slice's tensor or temporary with a stride other than 0. */
uint64_t slice_moving_indices(const struct tcplan_refinement *refinement,
                              struct tcplan_slice slice);

/**
 * Lists the dimensions of a slice's tensor or temporary in `dims`, as printed from left to right;
 * returns their number. An index that takes the diagonal of a tensor is listed once for each of
 * its dimensions.
 */
int slice_dims(const struct tcplan_refinement *refinement, struct tcplan_slice slice,
               uint8_t dims[TCPLAN_MAX_RANK]);

/** Returns the contiguous index of a slice; -1 if there is none. */
int slice_unit_index(const struct tcplan_refinement *refinement, struct tcplan_slice slice);

/** Returns the stride, in elements, of `index` in a slice: that in the tensor, or the dense
 * stride in the temporary; 0 if the tensor lacks the index. */
int64_t slice_stride(const struct refined_problem *problem, struct tcplan_slice slice, int index);

/** Returns whether scaling would leave the result unchanged: it is empty, or beta is 1 without a
 * conjugate or an addend. */
bool problem_keeps_result(const struct tcplan_problem *problem);

/** Returns the number of distinct elements of a slice: a stride of 0 adds none. */
int64_t slice_elems(const struct refined_problem *problem, struct tcplan_slice slice);

#endif
