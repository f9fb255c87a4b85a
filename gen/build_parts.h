/**
 * The two ways to build a nest.
 */
#ifndef GEN_BUILD_PARTS_H
#define GEN_BUILD_PARTS_H

#include "ast/nest.h"

/** The body of a nest whose algorithm has choices: copies where they say. NULL when memory is out. */
const struct tcplan_node *build_choices(struct nest_storage *storage);

/** The kernel call of a nest's algorithm but for its slices and beta: kernel, groups, provider. */
struct tcplan_kernel_call build_call(const struct tcplan_nest *nest);

#endif
