/**
 * How the elements of a tensor lie, as far as it is known without sizes.
 */
#ifndef AST_CONTRACTION_TENSOR_H
#define AST_CONTRACTION_TENSOR_H

#include "tcplan/contraction.h"

/** The stride of an index of a strided tensor: those of a diagonal's dimensions add up. */
int64_t tensor_stride(const struct tcplan_tensor *tensor, int index);

/** Sorts the dimensions by how close their elements lie: by storage order, or by strides without
 * their sign. */
void tensor_sort(struct tcplan_tensor *tensor, enum tcplan_order order);

/** Whether an index is more than one dimension of a tensor. */
bool tensor_is_diagonal(const struct tcplan_tensor *tensor, int index);

#endif
