/** A distributed contraction, planned for a number of processes. */
#ifndef DISTRIBUTED_DISTRIBUTED_H
#define DISTRIBUTED_DISTRIBUTED_H

#include "distributed/algorithm.h"
#include "distributed/traffic.h"
#include "tcplan/distributed.h"

struct tcplan_distributed {
    struct tcplan_contraction *contraction; /* the contraction, owned */
    struct tcplan_problem problem;
    struct algorithm algorithm;
    struct dist_plan plan;
    struct tcplan_distributed_entry entry;
    int processes, ranks_per_node;
    double call_seconds[TRAFFIC_MOST_CALLS];
};

/**
 * Plans one algorithm whose operands and result have the layouts of `distribution`. The product
 * must have options->processes ranks, and options->planner must not be NULL.
 *
 * @return a status of tcplan_distributed_new()
 */
enum tcplan_status distributed_plan_one(struct tcplan_distributed **out,
                                        const struct tcplan_problem *problem,
                                        const struct algorithm *algorithm,
                                        const struct distribution *distribution,
                                        const struct tcplan_distributed_options *options,
                                        struct tcplan_error *error);

/** Makes the local product of a rank. `length` has the block length of each index; `start` states
 * what the product does with the previous result. */
enum tcplan_status distributed_product(struct tcplan_product **out,
                                       const struct tcplan_problem *problem, const int64_t length[],
                                       enum tcplan_distributed_start start,
                                       struct tcplan_error *error);

#endif
