/** Predicts the seconds of distributed algorithms. */
#ifndef DISTRIBUTED_SECONDS_H
#define DISTRIBUTED_SECONDS_H

#include "distributed/distributed.h"

/** Predicts the seconds of each collective of a plan, for rank 0, and returns their sum. `seconds`
 * receives the predictions; may be NULL. */
double predict_communication(double seconds[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
                             const struct tcplan_communication *model, int ranks_per_node);

/** Returns a lower bound of predict_communication(), in a time that does not depend on the number
 * of panels: each piece of a broadcast operand needs a call. */
double predict_least(const struct dist_plan *plan, const struct tcplan_communication *model,
                     int ranks_per_node);

/** Returns the factor by which a local product is slower if all ranks of a node compute: the
 * measured ratio of a dgemm; 1 without measurements. */
double predict_slowdown(const struct tcplan_communication *model, const struct dist_plan *plan,
                        int ranks_per_node);

/** Predicts the seconds of `calls` local products. `length` has the block length of each index. */
enum tcplan_status predict_product(double *seconds, const struct tcplan_problem *problem,
                                   const int64_t length[], double calls,
                                   struct tcplan_planner *planner, struct tcplan_error *error);

/** Sets the lengths of the largest local product. Returns the number of its executions: one, or one
 * for each panel. */
double predict_shape(int64_t length[DIST_INDICES], const struct dist_plan *plan);

/** Estimates the operations per second of the whole product on one process. */
enum tcplan_status predict_rate(double *flops_per_second, const struct tcplan_problem *problem,
                                struct tcplan_planner *planner, struct tcplan_error *error);

/** Returns the seconds of a plan's largest local product at a given rate. */
double predict_coarse(const struct dist_plan *plan, const struct tcplan_problem *problem,
                      double flops_per_second);

/** Returns the bytes that rank 0 must receive. Another rank may have to receive slightly more, if
 * it already holds less of the block that its local product reads. */
double predict_moved(const struct dist_plan *plan);

/** Returns the sum of the bytes that each rank must receive. */
double predict_total(const struct dist_plan *plan);

#endif
