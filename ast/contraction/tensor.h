/** The memory layout of a tensor, as far as it is known without sizes. */
#ifndef AST_CONTRACTION_TENSOR_H
#define AST_CONTRACTION_TENSOR_H

#include "tcplan/contraction.h"

/** Returns the stride of an index of a strided tensor; a diagonal's strides are added. */
int64_t tensor_stride(const struct tcplan_tensor *tensor, int index);

/** Sorts the dimensions from the contiguous one on: by storage order, or by the magnitude of
 * strides. */
void tensor_sort(struct tcplan_tensor *tensor, enum tcplan_order order);

/** Returns whether an index is more than one dimension of a tensor. */
bool tensor_is_diagonal(const struct tcplan_tensor *tensor, int index);

#endif
