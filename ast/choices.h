/**
 * Which choices of an algorithm of the `full` space go together.
 */
#ifndef AST_CHOICES_H
#define AST_CHOICES_H

#include "tcplan/algorithm.h"

/** TCPLAN_OK, or TCPLAN_INVALID where no nest can be built of an algorithm's choices; `error` (may be NULL) says why. */
enum tcplan_status choices_check(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                                 struct tcplan_error *error);

/** Whether every split index ends its group: the partial tile at the border would break what follows. */
bool choices_splits_end_groups(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction);

/** Whether a kernel can take an operand in place: its groups lie together in the tensor and, unless strides may be general, one of them is contiguous. */
bool choices_fit_in_place(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction,
                          enum tcplan_operand operand);

/**
 * Gives an algorithm that choices_check() accepts the one form that its name parses to: splits numbered as their steps come from the outside
 * in, roles that name the first index of their group, nothing turned that has one role only, unused entries 0.
 */
void choices_canonical(struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction);

/** Whether the rules of the `blas` space make the same nest of an algorithm's kernel and loops as its choices, if it has any. */
bool choices_follow_rules(const struct tcplan_algorithm *algorithm, const struct tcplan_contraction *contraction);

#endif
