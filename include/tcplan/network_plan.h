/**
 * Plans networks: prepares the steps of a tree for execution in one workspace.
 *
 *   struct tcplan_network_plan *plan;
 *   tcplan_network_plan_new(&plan, tree, planner, &error);
 *   tcplan_network_execute(plan, tensor, result, NULL, 0, &error);
 *
 * Each step is a plan (tcplan/plan.h). Intermediates and the steps' temporaries share one
 * workspace, and reuse its memory when they are no longer needed. Executing a plan allocates
 * nothing else, unless its steps improve themselves.
 */
#ifndef TCPLAN_NETWORK_PLAN_H
#define TCPLAN_NETWORK_PLAN_H

#include <stdint.h>

#include "tcplan/network_order.h"
#include "tcplan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A plan of a network. One thread at a time may execute it, unless each thread passes its own
 * workspace. */
struct tcplan_network_plan;

/**
 * Prepares a tree. A step that names its algorithm uses it; other steps are planned.
 *
 * @param out      receives the plan, to be freed with tcplan_network_plan_free(); untouched on
 *                 failure. The caller may free the tree afterwards
 * @param planner  gives the number of threads, and plans the steps without an algorithm; NULL: the
 *                 defaults of tcplan_planner_new()
 * @return TCPLAN_OK; TCPLAN_INVALID if a sliced index has extent 0, or tensors cannot have the
 *         planner's alignment; TCPLAN_NOT_APPLICABLE if a step has no algorithm that can be
 *         executed; TCPLAN_CANCELLED; TCPLAN_OVERFLOW if the bytes of the workspace do not fit;
 *         TCPLAN_NO_MEMORY; TCPLAN_ENVIRONMENT if the machine is not recognised
 */
TCPLAN_API enum tcplan_status tcplan_network_plan_new(struct tcplan_network_plan **out,
                                                      const struct tcplan_tree *tree,
                                                      struct tcplan_planner *planner,
                                                      struct tcplan_error *error);

/** Returns the bytes of the workspace, which holds intermediates and the temporaries of steps, if
 * it begins at a multiple of 64 bytes. */
TCPLAN_API int64_t tcplan_network_plan_workspace(const struct tcplan_network_plan *plan);

/** Returns the number of steps. */
TCPLAN_API int tcplan_network_plan_step_count(const struct tcplan_network_plan *plan);

/** Returns the plan of a step, counted from 0 in the order of execution; valid until the network's
 * plan is freed. Returns NULL if there is no such step, or if the step has no algorithm because it
 * transposes, scales or adds up tensors in one pass over memory. */
TCPLAN_API const struct tcplan_plan *tcplan_network_plan_step(
    const struct tcplan_network_plan *plan, int step);

/**
 * Computes the network.
 *
 * @param tensor           one pointer for each distinct input, in the order in which the notation
 *                         first names them
 * @param result           must not overlap any input
 * @param workspace        memory of any alignment; NULL: the plan's own workspace, allocated at the
 *                         first use and reused
 * @param workspace_bytes  its size: at least tcplan_network_plan_workspace() + 63
 * @return TCPLAN_OK; TCPLAN_INVALID if the workspace is too small: nothing is computed;
 *         TCPLAN_NO_MEMORY if the plan's own workspace cannot be allocated: the result is
 *         untouched; another status of tcplan_plan_run() if a step fails: the result may then be
 *         incomplete
 */
TCPLAN_API enum tcplan_status tcplan_network_execute(struct tcplan_network_plan *plan,
                                                     const void *const tensor[], void *result,
                                                     void *workspace, int64_t workspace_bytes,
                                                     struct tcplan_error *error);

/** Frees a plan; does nothing if it is NULL. */
TCPLAN_API void tcplan_network_plan_free(struct tcplan_network_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
