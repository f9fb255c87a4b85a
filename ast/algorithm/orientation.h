/**
 * How the routine of an algorithm's kernel sees its operands: which factor comes first, which
 * matrices it takes transposed, which it can conjugate. Known without sizes; lowering makes the
 * call of it.
 */
#ifndef AST_ALGORITHM_ORIENTATION_H
#define AST_ALGORITHM_ORIENTATION_H

#include "tcplan/algorithm.h"

/** The free role along which the result is contiguous, the rows as the routine counts them; a
 * vector that is not contiguous is a row. */
enum tcplan_role algorithm_rows(const struct tcplan_algorithm *algorithm,
                                const struct tcplan_contraction *contraction);

/** The factor that the routine takes first. */
enum tcplan_operand algorithm_first_factor(const struct tcplan_algorithm *algorithm,
                                           const struct tcplan_contraction *contraction);

/** Whether the routine takes a factor that is a matrix, or stands for one, transposed. */
bool algorithm_transposes(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, enum tcplan_operand factor);

/** Whether the kernel can take the conjugate of a factor as it stands. */
bool algorithm_conjugates(const struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, enum tcplan_operand factor);

#endif
