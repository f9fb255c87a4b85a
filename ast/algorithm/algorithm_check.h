/** Decides which algorithms of a contraction are valid. */
#ifndef AST_ALGORITHM_ALGORITHM_CHECK_H
#define AST_ALGORITHM_ALGORITHM_CHECK_H

#include "tcplan/algorithm.h"

/** Checks whether a nest can be built for an algorithm: TCPLAN_OK, or TCPLAN_INVALID with the
 * reason in `error` (may be NULL). */
enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm,
                                   const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error);

/** Returns whether only the last index of each group runs within steps. Otherwise partial tiles
 * at the border would break the fused dimensions. */
bool algorithm_splits_end_groups(const struct tcplan_algorithm *algorithm,
                                 const struct tcplan_contraction *contraction);

/**
 * Returns whether a kernel can read an operand in place. The operand must have nothing to sum over
 * and no conjugate that the kernel cannot apply; its groups must be consecutive dimensions, and one
 * of them contiguous unless the provider takes any strides.
 */
bool algorithm_fits_in_place(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction,
                             enum tcplan_operand operand);

#endif
