/**
 * What a nest's temporaries take, of a problem that was refined for it already.
 */
#ifndef GEN_LOWER_WORKSPACE_H
#define GEN_LOWER_WORKSPACE_H

#include "ast/nest/refine.h"

/** As tcplan_nest_workspace_bytes(). */
int64_t workspace_bytes(const struct tcplan_nest *nest, const struct refined_problem *refined,
                        int threads);

#endif
