/** A loop nest made from texts: contraction, sizes and name of the algorithm. */
#ifndef SUPPORT_NAMED_NEST_H
#define SUPPORT_NAMED_NEST_H

#include "ast/nest/refine.h"

struct named_nest {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct refined_problem refined; /**< the problem with the additional indices of the nest */
    struct tcplan_nest *nest;
};

/** Makes a nest. Fails the test if tcplan refuses one of the texts. */
void named_nest_init(struct named_nest *out, const char *text, enum tcplan_order order,
                     const char *sizes, enum tcplan_dtype dtype, const char *algorithm);

void named_nest_free(struct named_nest *named);

#endif
