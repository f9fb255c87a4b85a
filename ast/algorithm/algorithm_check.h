/**
 * Which algorithms there are of a contraction.
 */
#ifndef AST_ALGORITHM_ALGORITHM_CHECK_H
#define AST_ALGORITHM_ALGORITHM_CHECK_H

#include "tcplan/algorithm.h"

/** TCPLAN_OK, or TCPLAN_INVALID where no nest can be built of an algorithm; `error` (may be NULL)
 * says why. */
enum tcplan_status algorithm_check(const struct tcplan_algorithm *algorithm,
                                   const struct tcplan_contraction *contraction,
                                   struct tcplan_error *error);

/** Whether what runs within steps ends its group: the partial tile at the border would break what
 * follows. */
bool algorithm_splits_end_groups(const struct tcplan_algorithm *algorithm,
                                 const struct tcplan_contraction *contraction);

/**
 * Whether a kernel can take an operand in place: it has nothing to sum over, nothing to conjugate
 * that it cannot, its groups lie together in the tensor and, unless strides may be general, one of
 * them is contiguous.
 */
bool algorithm_fits_in_place(const struct tcplan_algorithm *algorithm,
                             const struct tcplan_contraction *contraction,
                             enum tcplan_operand operand);

#endif
