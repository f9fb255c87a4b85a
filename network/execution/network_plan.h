/** Internals of the plan of a network. */
#ifndef NETWORK_EXECUTION_NETWORK_PLAN_H
#define NETWORK_EXECUTION_NETWORK_PLAN_H

#include "network/execution/schedule.h"
#include "network/search/fused.h"
#include "tcplan/network_plan.h"
#include "tcplan/plan.h"

/** Where an operand or the result of a step is stored. */
struct place {
    enum { PLACE_TENSOR, PLACE_ONE, PLACE_WORKSPACE, PLACE_RESULT } kind;
    int tensor;           /* with PLACE_TENSOR: number of the distinct tensor */
    int64_t offset_bytes; /* with PLACE_WORKSPACE: offset in the workspace */
};

/** A step that adds up terms in one pass. */
struct ready_sum {
    struct fused fused;
    struct place place[TERMS_SHAPE_MOST]; /* for each term, the place of its tensor */
    int threads;
};

/** A step of a network, ready to be executed. */
struct ready_step {
    struct tcplan_plan *plan; /* plan of the product; NULL: the step adds up terms */
    struct ready_sum *sum;
    struct tcplan_plan *later; /* a plan of the same step that adds to existing values; NULL: no
                                  element is written twice */
    struct place place[3];     /* places of the left operand, the right operand and the result */
    bool has_temporaries;
};

struct tcplan_network_plan {
    struct schedule schedule;
    struct ready_step *step; /* steps in the order of the schedule */
    int sliced_count;
    int64_t extent[TCPLAN_TREE_SLICED];
    double one[2]; /* the number 1, in any element type */
    char *workspace;
    enum tcplan_dtype dtype;
};

/** Makes a plan like tcplan_network_plan_new(). `with_scratch`: the workspace has room for the
 * temporaries of the steps. */
enum tcplan_status network_plan_make(struct tcplan_network_plan **out,
                                     const struct tcplan_tree *tree, struct tcplan_planner *planner,
                                     bool with_scratch, struct tcplan_error *error);

/**
 * Executes a plan like tcplan_network_execute(), in the plan's own workspace.
 *
 * @param step_seconds  array to which the seconds of each step of the tree are added; NULL: steps
 *                      are not timed
 */
enum tcplan_status network_execute_timed(struct tcplan_network_plan *plan,
                                         const void *const tensor[], void *result,
                                         double step_seconds[], struct tcplan_error *error);

#endif
