/**
 * How the routine of an algorithm's kernel sees its operands: which factor comes first, which
 * matrices are transposed, which factors can be conjugated. Sizes are not needed; lowering
 * (gen/lower/) turns this information into a call.
 */
#ifndef AST_ALGORITHM_ORIENTATION_H
#define AST_ALGORITHM_ORIENTATION_H

#include "tcplan/algorithm.h"

/** Returns the free role along which the result is contiguous: the routine's rows. A vector that
 * is not contiguous is a row. */
enum tcplan_role algorithm_rows(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction);

/** Returns the factor that the routine takes first. */
enum tcplan_operand algorithm_first_factor(const struct tcplan_algorithm *algorithm,
                                           const struct tcplan_contraction *contraction);

/** Returns whether the routine takes a factor transposed, if the factor is a matrix or is
 * treated as one. */
bool algorithm_transposes(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, enum tcplan_operand factor);

/** Returns whether the kernel can conjugate a factor that is read in place. */
bool algorithm_conjugates(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, enum tcplan_operand factor);

#endif
