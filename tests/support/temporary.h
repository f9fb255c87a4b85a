/**
 * Problems with a temporary for any part of an operand, also for parts that no algorithm copies.
 */
#ifndef SUPPORT_TEMPORARY_H
#define SUPPORT_TEMPORARY_H

#include "ast/nest/refine.h"

/** A problem with one temporary. Do not copy it after initialisation: it contains pointers to
 * itself. */
struct temporary_problem {
    struct refined_problem problem;
    struct tcplan_refinement refinement;
};

/** Makes a temporary with the indices in `span`, in the order of the tensor. */
void temporary_problem_init(struct temporary_problem *out, const struct tcplan_problem *problem,
                            enum tcplan_operand operand, uint64_t span);

#endif
