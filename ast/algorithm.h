/**
 * What follows from an algorithm alone: slices of its kernel and the places of its copies.
 */
#ifndef AST_ALGORITHM_H
#define AST_ALGORITHM_H

#include "tcplan/algorithm.h"

/**
 * TCPLAN_OK, or TCPLAN_INVALID where this is no algorithm of the contraction as it was written: `error` (may be NULL) says what was found and
 * expected. Whatever takes an algorithm from outside asks this before anything else.
 */
enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error);

/** The indices of `operand` that the kernel spans: at most two. */
uint64_t algorithm_span(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                        enum tcplan_operand operand);

/** Whether `operand` is a matrix in the kernel and neither dimension has unit stride, so that BLAS needs a copy of it. */
bool algorithm_needs_copy(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                          enum tcplan_operand operand);

/** The number of loops around the outermost place where a copy of `operand` is legal: one more than the last loop it depends on. */
int algorithm_copy_depth(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                         enum tcplan_operand operand);

/** The index whose elements are contiguous in a tensor; -1 where there is none (a scalar, or the contiguous dimension is part of a diagonal). */
int contraction_unit_index(const struct tcplan_contraction *contraction, enum tcplan_operand operand);

/** The kernel with these roles; false where no BLAS kernel has them (no role at all). */
bool algorithm_kernel_of_roles(bool m, bool n, bool k, enum tcplan_kernel *out);

#endif
