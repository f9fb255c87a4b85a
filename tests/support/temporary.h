/**
 * Problems with a temporary of any part of an operand, whether or not an algorithm makes it.
 */
#ifndef SUPPORT_TEMPORARY_H
#define SUPPORT_TEMPORARY_H

#include "ast/nest/refine.h"

/** A problem whose refinement has one temporary. It stays where it is initialised: it points into
 * itself. */
struct temporary_problem {
    struct refined_problem problem;
    struct tcplan_refinement refinement;
};

/** A temporary of the indices in `span`, in the order in which the tensor has them. */
void temporary_problem_init(struct temporary_problem *out, const struct tcplan_problem *problem,
                            enum tcplan_operand operand, uint64_t span);

#endif
