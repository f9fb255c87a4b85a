/** The memory of a nest's temporaries for a refined problem. */
#ifndef GEN_LOWER_WORKSPACE_H
#define GEN_LOWER_WORKSPACE_H

#include "ast/nest/refine.h"

/** Returns the bytes of all temporaries, like tcplan_nest_workspace_bytes(). */
int64_t workspace_bytes(const struct tcplan_nest *nest, const struct refined_problem *refined,
                        int threads);

#endif
