/*
 * The predicted time is the sum of the largest local product, the collectives, and the copies
 * before and after them. They are added, because executions do not overlap them. The time of rank 0
 * is predicted, because it holds the largest blocks. All ranks of a node compete for its memory:
 * copies and products take longer than on a single process, by the measured ratio.
 */
#include "distributed/seconds.h"

#include <math.h>
#include <string.h>

#include "distributed/pieces.h"
#include "distributed/scalapack.h"
#include "tcplan/plan.h"

/** Returns the number of ranks that are active on a node. */
static int active_ranks(const struct dist_plan *plan, int ranks_per_node) {
    const int processes = dist_grid_processes(&plan->work[DIST_A].grid);
    return ranks_per_node > 0 && ranks_per_node < processes ? ranks_per_node : processes;
}

double predict_slowdown(const struct tcplan_communication *model, const struct dist_plan *plan,
                        int ranks_per_node) {
    const int ranks = active_ranks(plan, ranks_per_node);
    const double alone = tcplan_communication_seconds(model, TCPLAN_DGEMM, false, 1, 0);
    const double together = tcplan_communication_seconds(model, TCPLAN_DGEMM, false, ranks, 0);
    return alone > 0 && together > alone ? together / alone : 1;
}

/** Returns whether the ranks along the axes of a group lie on several nodes, if consecutive ranks
 * share a node. An empty group means all ranks. */
static bool is_between(const struct dist_plan *plan, unsigned group, int ranks_per_node) {
    const struct dist_grid *grid = &plan->work[DIST_A].grid;
    if (ranks_per_node <= 0) return false;
    if (group == 0) return dist_grid_processes(grid) > ranks_per_node;
    int64_t span = 1; /* number of consecutive ranks that agree in all coordinates before the
                         group's outermost axis */
    int outermost = 0;
    while (!(group >> outermost & 1U)) outermost++;
    for (int k = outermost; k < grid->axes; k++) span *= grid->size[k];
    return span > ranks_per_node || ranks_per_node % span != 0;
}

/** Returns the size in bytes of the larger of a call's two buffers. */
static double buffer_bytes(const struct traffic_call *call) {
    return (double)(call->sent > call->received ? call->sent : call->received);
}

/** Returns the bytes that a rank copies to pack data before a call and to unpack them after it. */
static double copied_bytes(const struct traffic_call *call, const struct dist_plan *plan) {
    const double sent = (double)call->sent, received = (double)call->received;
    if (call->tensor < 0) return 0;
    switch (call->collective) {
    case TCPLAN_ALLTOALLV: return sent + received; /* packed before the call, unpacked after it */
    case TCPLAN_BCAST: return sent;                /* packed by the root of each broadcast */
    case TCPLAN_ALLGATHERV:                        /* unpacked after the call */
        return dist_is_sliced(plan, call->tensor, &plan->home[call->tensor], 0) ? 0 : received;
    case TCPLAN_REDUCE_SCATTER: /* packed before the call */
        return dist_is_sliced(plan, DIST_C, &plan->reduced, 0) ? 0 : sent;
    case TCPLAN_ALLREDUCE:
    case TCPLAN_SEND:
    case TCPLAN_COPY:
    case TCPLAN_DGEMM:
    case TCPLAN_PDGEMR2D: /* pdgemr2d packs its buffers itself */
    case TCPLAN_PDGEMM:
    case TCPLAN_COMMUNICATION_CALLS: break;
    }
    return 0;
}

/** Returns the bytes that a rank copies outside of calls: to add a result that is not computed in
 * place, and to make panels contiguous if their operand is not moved. */
static double copied_alone(const struct dist_plan *plan) {
    const bool is_added =
        plan->pdgemm.is_used ? plan->gathering[DIST_C] != DIST_STAYS : !dist_is_direct(plan);
    int64_t elements = is_added ? dist_held(plan, DIST_C, &plan->home[DIST_C], 0) : 0;
    for (int t = DIST_A; t <= DIST_B && plan->panel_index >= 0; t++) {
        if (plan->gathering[t] == DIST_STAYS) elements += dist_held(plan, t, &plan->work[t], 0);
    }
    return (double)elements * plan->element_bytes;
}

/** Returns the product of the extents of all contracted indices. */
static double contracted_elements(const struct dist_plan *plan) {
    double elements = 1;
    for (int i = 0; i < plan->index_count; i++) {
        if (!dist_has(&plan->tensor[DIST_C], i)) elements *= (double)plan->extent[i];
    }
    return elements;
}

/** Returns the number of panels that pdgemm multiplies one after the other. */
static double pdgemm_panels(const struct dist_plan *plan) {
    return ceil(contracted_elements(plan) / SCALAPACK_PANEL);
}

double predict_communication(double seconds[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
                             const struct tcplan_communication *model, int ranks_per_node) {
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    const int count = traffic_of(call, plan, 0), active = active_ranks(plan, ranks_per_node);
    const double alone = copied_alone(plan);
    double sum =
        alone > 0 ? tcplan_communication_seconds(model, TCPLAN_COPY, false, active, alone) : 0;
    for (int c = 0; c < count; c++) {
        double bytes = buffer_bytes(&call[c]);
        if (call[c].collective == TCPLAN_PDGEMM) bytes = (double)call[c].received;
        if (call[c].collective == TCPLAN_BCAST) bytes = (double)(call[c].sent + call[c].received);
        const double calls =
            call[c].collective == TCPLAN_PDGEMM ? pdgemm_panels(plan) : (double)call[c].calls;
        const double copied = copied_bytes(&call[c], plan);
        const double each = tcplan_communication_seconds(
            model, call[c].collective, is_between(plan, call[c].group, ranks_per_node),
            call[c].ranks, calls > 0 ? bytes / calls : 0);
        const double copying =
            copied > 0 ? tcplan_communication_seconds(model, TCPLAN_COPY, false, active, copied)
                       : 0;
        const double time = calls * each + copying;
        if (seconds) seconds[c] = time;
        sum += time;
    }
    return sum;
}

double predict_least(const struct dist_plan *plan, const struct tcplan_communication *model,
                     int ranks_per_node) {
    double sum = 0;
    for (int t = DIST_A; t <= DIST_B; t++) {
        if (plan->gathering[t] != DIST_BROADCAST) continue;
        const int ranks = dist_group_size(&plan->work[t].grid, plan->group[t]);
        const int64_t elements = dist_box_of(plan, &plan->work[t], 0).length[plan->panel_index];
        const double pieces = (double)(elements < ranks ? elements : ranks);
        sum += pieces *
               tcplan_communication_seconds(
                   model, TCPLAN_BCAST, is_between(plan, plan->group[t], ranks_per_node), ranks, 0);
    }
    return sum;
}

double predict_shape(int64_t length[DIST_INDICES], const struct dist_plan *plan) {
    double calls = 1;
    const int x = plan->panel_index;
    if (plan->pdgemm.is_used) {
        const struct dist_box C = dist_box_of(plan, &plan->work[DIST_C], 0);
        memcpy(length, C.length, (size_t)plan->index_count * sizeof *length);
        return calls;
    }
    struct dist_box box = dist_local_box(plan, 0);
    if (x >= 0 && box.length[x] > 0) {
        calls = (double)pieces_panels(plan, 0);
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

enum tcplan_status predict_rate(double *flops_per_second, const struct tcplan_problem *problem,
                                struct tcplan_planner *planner, struct tcplan_error *error) {
    double seconds = 0;
    const enum tcplan_status status =
        predict_product(&seconds, problem, problem->extent, 1, planner, error);
    *flops_per_second = seconds > 0 && problem->flops > 0 ? problem->flops / seconds : 1e9;
    return status;
}

double predict_coarse(const struct dist_plan *plan, const struct tcplan_problem *problem,
                      double flops_per_second) {
    int64_t length[DIST_INDICES];
    double share = predict_shape(length, plan);
    for (int i = 0; i < plan->index_count; i++) {
        if (plan->extent[i] > 0) share *= (double)length[i] / (double)plan->extent[i];
    }
    return share * problem->flops / flops_per_second;
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
