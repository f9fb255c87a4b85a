/**
 * Measures networks: executes a tree repeatedly, and times it as a whole and step by step.
 *
 * Each execution starts with the caches as the previous one left them. The same executions give
 * the times of the whole and of its steps.
 */
#ifndef TCPLAN_NETWORK_MEASURE_H
#define TCPLAN_NETWORK_MEASURE_H

#include "tcplan/network_plan.h"
#include "tcplan/rank.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TCPLAN_NETWORK_LEAST_RUNS = 3, TCPLAN_NETWORK_MOST_RUNS = 100 };

/** Measured times of executions of the whole network; to be freed with
 * tcplan_network_measured_free(). */
struct tcplan_network_measured {
    int runs;
    double seconds;          /**< median time of an execution */
    double fastest, slowest; /**< shortest and longest time of an execution, in seconds */
    int step_count;
    double *step_seconds; /**< for each step of the tree, the median time of all its iterations
                             together; owned */
    int64_t tensor_bytes;
    int64_t workspace_bytes;
    struct tcplan_load load; /**< load during the executions; the numbers of windows are not set */
};

/**
 * Measures a tree on tensors of random elements between -1 and 1.
 *
 * @param planner             gives the number of threads, and plans the steps without an algorithm;
 *                            NULL: the defaults
 * @param time_limit_seconds  no execution starts after this time, except for a minimum number; 0:
 *                            half a second
 * @param seed                determines the elements
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if tensors and workspace exceed the free memory; otherwise a
 *         status of tcplan_network_plan_new() or tcplan_network_execute()
 */
TCPLAN_API enum tcplan_status tcplan_network_measure(struct tcplan_network_measured *out,
                                                     const struct tcplan_tree *tree,
                                                     struct tcplan_planner *planner,
                                                     double time_limit_seconds, uint64_t seed,
                                                     struct tcplan_error *error);

/** Frees the contents of a measurement. */
TCPLAN_API void tcplan_network_measured_free(struct tcplan_network_measured *measured);

#ifdef __cplusplus
}
#endif

#endif
