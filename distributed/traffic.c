/*
 * The bytes of a call follow from the blocks alone. An Allgatherv sends the rank's piece and
 * receives the whole block of its local product; a Reduce_scatter sends this block and receives the
 * rank's piece. Every element of an exchanged tensor arrives once at each rank that needs it.
 * Splitting large counts into several calls does not change the sums.
 */
#include "distributed/traffic.h"

#include <math.h>

#include "distributed/pieces.h"

/** Sets the bytes of a tensor's exchange (MPI_Alltoallv). */
static void exchange(struct traffic_call *call, const struct dist_plan *plan, int rank) {
    const struct dist_layout *from = dist_source(plan, call->tensor);
    const struct dist_layout *to = dist_target(plan, call->tensor);
    struct dist_box box;
    call->ranks = dist_grid_processes(&to->grid);
    call->sent = pieces_sent(plan, call->tensor, from, to, rank);
    call->received = dist_held(plan, call->tensor, to, rank);
    call->moved = call->received - dist_piece(plan, call->tensor, from, rank, to, rank, &box);
}

/** Sets the bytes of the broadcasts of all panels of an operand. */
static void broadcast(struct traffic_call *call, const struct dist_plan *plan, int rank) {
    const int t = call->tensor;
    call->calls = pieces_panels(plan, rank);
    call->sent = dist_held(plan, t, &plan->home[t], rank);
    call->received = dist_held(plan, t, &plan->work[t], rank) - call->sent;
    call->moved = call->received;
}

static void operand_call(struct traffic_call *call, const struct dist_plan *plan, int rank) {
    const int t = call->tensor;
    if (plan->gathering[t] == DIST_GATHERED) {
        call->collective = TCPLAN_ALLGATHERV;
        call->sent = dist_held(plan, t, &plan->home[t], rank);
        call->received = dist_held(plan, t, &plan->work[t], rank);
        call->moved = call->received - call->sent;
    } else if (plan->gathering[t] == DIST_BROADCAST) {
        call->collective = TCPLAN_BCAST;
        broadcast(call, plan, rank);
    } else {
        call->collective = TCPLAN_ALLTOALLV;
        call->group = 0;
        exchange(call, plan, rank);
    }
}

static void reduction_call(struct traffic_call *call, const struct dist_plan *plan, int rank) {
    call->sent = dist_held(plan, DIST_C, &plan->work[DIST_C], rank);
    if (plan->reduction == DIST_SCATTERED) {
        call->collective = TCPLAN_REDUCE_SCATTER;
        call->received = dist_held(plan, DIST_C, &plan->reduced, rank);
        call->moved = call->sent - call->received;
    } else {
        call->collective = TCPLAN_ALLREDUCE;
        call->received = call->sent;
        call->moved = 2 * (call->sent - call->sent / call->ranks);
    }
}

/** Adds the calls of ScaLAPACK: pdgemr2d for each tensor that is moved, and pdgemm. Their bytes are
 * estimates. */
static int scalapack_calls(struct traffic_call call[], const struct dist_plan *plan, int rank) {
    const struct dist_grid *grid = &plan->work[DIST_A].grid;
    const int processes = dist_grid_processes(grid), rows = grid->size[0], columns = grid->size[1];
    const int left = plan->pdgemm.left;
    int count = 0;
    for (int t = DIST_A; t <= DIST_C; t++) {
        if (t == DIST_C) {
            const struct dist_box C = dist_box_of(plan, &plan->work[DIST_C], rank);
            /* number of contracted elements, and of the rows and columns of this process's result
             * */
            int64_t depth = 1, of_left = 1, of_right = 1;
            for (int d = 0; d < plan->tensor[left].rank; d++) {
                const int i = plan->tensor[left].dims[d];
                const bool is_contracted = !dist_has(&plan->tensor[DIST_C], i);
                depth *= is_contracted ? plan->extent[i] : 1;
                of_left *= is_contracted ? 1 : C.length[i];
            }
            if (of_left > 0) of_right = dist_elements(&plan->tensor[DIST_C], &C) / of_left;
            call[count++] = (struct traffic_call){
                .collective = TCPLAN_PDGEMM,
                .tensor = DIST_C,
                .calls = 1,
                .ranks = processes,
                .sent = dist_held(plan, left, &plan->work[left], rank) +
                        dist_held(plan, DIST_B - left, &plan->work[DIST_B - left], rank),
                .received = depth * (of_left - of_left / columns + of_right - of_right / rows),
                .moved = depth * (of_left - of_left / columns + of_right - of_right / rows)};
        }
        if (plan->gathering[t] == DIST_STAYS) continue;
        const int64_t home = dist_held(plan, t, &plan->home[t], rank),
                      work = dist_held(plan, t, &plan->work[t], rank);
        const int64_t received = t == DIST_C ? home : work;
        call[count++] = (struct traffic_call){.collective = TCPLAN_PDGEMR2D,
                                              .tensor = t,
                                              .calls = 1,
                                              .ranks = processes,
                                              .sent = t == DIST_C ? work : home,
                                              .received = received,
                                              .moved = received - received / processes};
    }
    return count;
}

int traffic_of(struct traffic_call call[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
               int rank) {
    int count = plan->pdgemm.is_used ? scalapack_calls(call, plan, rank) : 0;
    for (int t = DIST_A; t <= DIST_C && !plan->pdgemm.is_used; t++) {
        const struct traffic_call begin = {
            .tensor = t,
            .calls = 1,
            .group = plan->group[t],
            .ranks = dist_group_size(&plan->work[t].grid, plan->group[t])};
        if (t == DIST_C && plan->reduction != DIST_COMPLETE) {
            call[count] = begin;
            reduction_call(&call[count++], plan, rank);
        }
        if (plan->gathering[t] != DIST_STAYS) {
            call[count] = begin;
            operand_call(&call[count++], plan, rank);
        }
    }
    for (int c = 0; c < count; c++) {
        call[c].sent *= plan->element_bytes;
        call[c].received *= plan->element_bytes;
        call[c].moved *= plan->element_bytes;
    }
    const int64_t agreed = 2 * (int64_t)sizeof(int);
    call[count++] = (struct traffic_call){.collective = TCPLAN_ALLREDUCE,
                                          .tensor = -1,
                                          .ranks = dist_grid_processes(&plan->work[DIST_A].grid),
                                          .calls = 2,
                                          .sent = agreed,
                                          .received = agreed};
    return count;
}

int64_t traffic_memory(const struct dist_plan *plan, int rank) {
    int64_t elements = 0;
    for (int t = 0; t < DIST_TENSORS; t++) {
        const int64_t home = dist_held(plan, t, &plan->home[t], rank);
        struct dist_box work = dist_box_of(plan, &plan->work[t], rank);
        if (plan->gathering[t] == DIST_BROADCAST && work.length[plan->panel_index] > plan->panel)
            work.length[plan->panel_index] = plan->panel;
        const int64_t block = dist_elements(&plan->tensor[t], &work);
        const bool is_buffered =
            t == DIST_C ? !dist_is_direct(plan) : plan->gathering[t] != DIST_STAYS;
        /* A tensor occupies its home block and, if it is moved, also a block for the local product
         * and packed pieces for the call. */
        elements += home + (is_buffered ? 2 * block : 0);
    }
    return elements * plan->element_bytes;
}

/* Lower bounds. */

/** Returns the product of the extents of one kind of indices. */
static double extent_of(const struct tcplan_problem *problem, enum tcplan_index_kind kind) {
    double product = 1;
    for (int i = 0; i < problem->contraction->index_count; i++) {
        if (problem->contraction->index[i].kind == kind) product *= (double)problem->extent[i];
    }
    return product;
}

static void order(double *larger, double *smaller) {
    if (*larger >= *smaller) return;
    const double swapped = *larger;
    *larger = *smaller;
    *smaller = swapped;
}

struct traffic_bounds traffic_bounds_of(const struct tcplan_problem *problem, int processes,
                                        double memory_bytes) {
    struct traffic_bounds bounds = {0};
    const struct tcplan_contraction *contraction = problem->contraction;
    if (tcplan_contraction_indices(contraction, TCPLAN_BATCH) |
        tcplan_contraction_indices(contraction, TCPLAN_SUMMED_A) |
        tcplan_contraction_indices(contraction, TCPLAN_SUMMED_B))
        return bounds;
    double m = extent_of(problem, TCPLAN_FREE_A), n = extent_of(problem, TCPLAN_FREE_B),
           k = extent_of(problem, TCPLAN_CONTRACTED);
    const double p = processes, bytes = (double)problem->element_bytes;
    order(&m, &n);
    order(&n, &k);
    order(&m, &n);
    if (k <= 0) return bounds;
    const double held = (m * n + m * k + n * k) / p;
    double words;
    if (p <= m / n) {
        words = (m * n + m * k) / p + n * k;
    } else if (p <= m * n / (k * k)) {
        words = 2 * sqrt(m * n * k * k / p) + m * n / p;
    } else {
        words = 3 * cbrt(m * n / p * k * (m * n / p * k));
    }
    bounds.independent = bytes * fmax(0, words - held);
    if (memory_bytes > 0) {
        const double memory = memory_bytes / bytes;
        bounds.dependent = bytes * fmax(0, m * n / p * k / (2 * sqrt(2) * sqrt(memory)) - memory);
    }
    return bounds;
}
