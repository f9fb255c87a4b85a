/**
 * Plans of networks: a tree whose steps are ready to be executed, in one workspace.
 *
 *   struct tcplan_network_plan *plan;
 *   tcplan_network_plan_new(&plan, tree, planner, &error);
 *   tcplan_network_execute(plan, tensor, result, NULL, 0, &error);
 *
 * Each step is a plan of the library's first tier (tcplan/plan.h). Intermediates and the steps'
 * temporaries lie in one workspace, in which each has its place only as long as it is needed;
 * nothing else is allocated while a plan executes, unless its steps improve themselves.
 */
#ifndef TCPLAN_NETWORK_PLAN_H
#define TCPLAN_NETWORK_PLAN_H

#include <stdint.h>

#include "tcplan/network_order.h"
#include "tcplan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One thread of control at a time executes it, unless each has a workspace of its own. */
struct tcplan_network_plan;

/**
 * Makes a tree ready. A step that names its algorithm gets that one; others are planned.
 *
 * @param out      receives the plan, to be freed with tcplan_network_plan_free(); untouched on
 *                 failure. The tree may be freed afterwards
 * @param planner  of whom steps without an algorithm are planned, and the threads taken; NULL: the
 *                 defaults
 * @return TCPLAN_OK; as tcplan_plan_new(); TCPLAN_INVALID where a sliced index has extent 0;
 *         TCPLAN_OVERFLOW where the workspace cannot be counted; TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_network_plan_new(struct tcplan_network_plan **out,
                                                      const struct tcplan_tree *tree,
                                                      struct tcplan_planner *planner,
                                                      struct tcplan_error *error);

/** Bytes of the workspace. */
TCPLAN_API int64_t tcplan_network_plan_workspace(const struct tcplan_network_plan *plan);

/** How many steps it has. */
TCPLAN_API int tcplan_network_plan_step_count(const struct tcplan_network_plan *plan);

/** The plan of a step, in the order in which they are executed, from 0; NULL: there is none of that
 * number. It stays as long as the network's plan. */
TCPLAN_API const struct tcplan_plan *tcplan_network_plan_step(
    const struct tcplan_network_plan *plan, int step);

/**
 * Computes the network.
 *
 * @param tensor           one pointer for each distinct tensor that is read, in the order in which
 *                         the notation first names them (tcplan_network.tensor)
 * @param result           must not overlap any of them
 * @param workspace        of any alignment; NULL: the plan's own, which is allocated when it is
 *                         first needed, and kept
 * @param workspace_bytes  how large that is: tcplan_network_plan_workspace() and 63 more
 * @return TCPLAN_OK; TCPLAN_INVALID, and nothing is done, where the workspace is too small;
 *         TCPLAN_NO_MEMORY where the plan's own cannot be had: the result is then untouched; as
 *         tcplan_plan_run()
 */
TCPLAN_API enum tcplan_status tcplan_network_execute(struct tcplan_network_plan *plan,
                                                     const void *const tensor[], void *result,
                                                     void *workspace, int64_t workspace_bytes,
                                                     struct tcplan_error *error);

/** NULL is fine. */
TCPLAN_API void tcplan_network_plan_free(struct tcplan_network_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
