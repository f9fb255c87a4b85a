/*
 * The predicted time is the sum of the largest local product, the collectives, and packing: two
 * passes over the bytes of each collective at the rate of copies in memory. Nothing overlaps, as
 * in executions. Rank 0 holds the largest blocks, so its time counts.
 */
#include "distributed/seconds.h"

#include <math.h>

#include "tcplan/plan.h"

static const double packing_bytes_per_second = 4e9; /* rate at which one core copies strided runs */

/** Returns whether the ranks along the axes of a group lie on several nodes, if consecutive ranks
 * share a node. An empty group means all ranks. */
static bool is_between(const struct dist_plan *plan, unsigned group, int ranks_per_node) {
    const struct dist_grid *grid = &plan->work[DIST_A].grid;
    if (ranks_per_node <= 0) return false;
    if (group == 0) return dist_grid_processes(grid) > ranks_per_node;
    int64_t span = 1; /* consecutive ranks from the first member of the group to the last */
    int outermost = 0;
    while (!(group >> outermost & 1U)) outermost++;
    for (int k = outermost; k < grid->axes; k++) span *= grid->size[k];
    return span > ranks_per_node || ranks_per_node % span != 0;
}

/** Returns the bytes of the larger buffer of a call. */
static double buffer_bytes(const struct traffic_call *call) {
    return (double)(call->sent > call->received ? call->sent : call->received);
}

double predict_communication(double seconds[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
                             const struct tcplan_communication *model, int ranks_per_node) {
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    const int count = traffic_of(call, plan, 0);
    double sum = 0;
    for (int c = 0; c < count; c++) {
        double bytes = buffer_bytes(&call[c]);
        if (call[c].collective == TCPLAN_BCAST) bytes = (double)(call[c].sent + call[c].received);
        const double calls = (double)call[c].calls;
        const double each = tcplan_communication_seconds(
            model, call[c].collective, is_between(plan, call[c].group, ranks_per_node),
            call[c].ranks, calls > 0 ? bytes / calls : 0);
        const double packing = call[c].tensor < 0 ? 0 : 2 * bytes / packing_bytes_per_second;
        const double time = calls * each + packing;
        if (seconds) seconds[c] = time;
        sum += time;
    }
    return sum;
}

double predict_shape(int64_t length[DIST_INDICES], const struct dist_plan *plan) {
    struct dist_box box = dist_local_box(plan, 0);
    double calls = 1;
    const int x = plan->panel_index;
    if (x >= 0 && box.length[x] > 0) {
        calls = 0;
        const int64_t end = box.first[x] + box.length[x];
        for (int64_t first = box.first[x]; first < end; first = dist_panel_end(plan, 0, first))
            calls++;
        box.length[x] = (int64_t)ceil((double)box.length[x] / calls);
    }
    for (int i = 0; i < plan->index_count; i++) length[i] = box.length[i];
    return calls;
}

enum tcplan_status predict_product(double *seconds, const struct tcplan_problem *problem,
                                   const int64_t length[], double calls,
                                   struct tcplan_planner *planner, struct tcplan_error *error) {
    struct tcplan_product *product = NULL;
    struct tcplan_plan *local = NULL;
    enum tcplan_status status =
        distributed_product(&product, problem, length,
                            calls > 1 ? TCPLAN_DISTRIBUTED_ADDS : TCPLAN_DISTRIBUTED_SETS, error);
    if (status == TCPLAN_OK) status = tcplan_plan_new(&local, planner, product, error);
    if (status == TCPLAN_OK) *seconds = calls * tcplan_plan_seconds(local, NULL, NULL);
    tcplan_plan_free(local);
    tcplan_product_free(product);
    return status;
}

double predict_moved(const struct dist_plan *plan) {
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    const int count = traffic_of(call, plan, 0);
    double bytes = 0;
    for (int c = 0; c < count; c++) bytes += (double)call[c].moved;
    return bytes;
}

double predict_total(const struct dist_plan *plan) {
    const int processes = dist_grid_processes(&plan->work[DIST_A].grid);
    double bytes = 0;
    for (int rank = 0; rank < processes; rank++) {
        struct traffic_call call[TRAFFIC_MOST_CALLS];
        const int count = traffic_of(call, plan, rank);
        for (int c = 0; c < count; c++) bytes += (double)call[c].moved;
    }
    return bytes;
}
