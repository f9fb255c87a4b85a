/*
 * Each rank plans its local products, one for each shape of blocks. If planning may time something,
 * only rank 0 does, and broadcasts the names of its local algorithms; the other ranks sleep
 * meanwhile, so that they do not disturb it.
 */
#include "bindings/mpi/locals.h"

#include <stdlib.h>
#include <string.h>

#include "tcplan/plan.h"

/** A plan of a local product, for blocks with the extents `length`. */
struct local {
    struct local *next;
    int64_t length[DIST_INDICES];
    enum dist_start start;
    struct tcplan_plan *plan;
};

/** Plans a product: on rank 0 by timing, if that is allowed; on other ranks with rank 0's
 * algorithm, if there is one that applies. */
static enum tcplan_status plan_product(struct tcplan_plan **out, struct mpi_locals *locals,
                                       const struct tcplan_product *product, enum dist_start start,
                                       struct tcplan_error *error) {
    const double left = locals->planners->end - MPI_Wtime();
    if (locals->timed[start] && tcplan_plan_named(out, locals->planners->estimating, product,
                                                  locals->timed[start], error) == TCPLAN_OK)
        return TCPLAN_OK;
    if (!locals->planners->timing || locals->rank > 0)
        return tcplan_plan_new(out, locals->planners->estimating, product, error);
    enum tcplan_status status = TCPLAN_OK;
    if (locals->planners->end > 0)
        status =
            tcplan_planner_set_time_limit(locals->planners->timing, left > 0 ? left : 1e-9, error);
    return status == TCPLAN_OK ? tcplan_plan_new(out, locals->planners->timing, product, error)
                               : status;
}

static int find_local(struct local **out, struct mpi_locals *locals, const int64_t length[],
                      enum dist_start start, struct tcplan_error *error) {
    const size_t bytes = (size_t)locals->of->index_count * sizeof *length;
    for (*out = locals->first; *out; *out = (*out)->next) {
        if ((*out)->start == start && memcmp((*out)->length, length, bytes) == 0) return TCPLAN_OK;
    }
    struct local *made = calloc(1, sizeof *made);
    struct tcplan_product *product = NULL;
    if (!made) return mpi_fail(error, TCPLAN_NO_MEMORY, "out of memory");
    memcpy(made->length, length, bytes);
    made->start = start;
    enum tcplan_status status = tcplan_distributed_product(
        &product, locals->distributed, length, (enum tcplan_distributed_start)start, error);
    if (status == TCPLAN_OK) status = plan_product(&made->plan, locals, product, start, error);
    tcplan_product_free(product);
    if (status != TCPLAN_OK) {
        free(made);
        return (int)status;
    }
    made->next = locals->first;
    locals->first = *out = made;
    return TCPLAN_OK;
}

int mpi_locals_multiply(void *context, const int64_t length[], enum dist_start start, const void *A,
                        const void *B, void *C) {
    struct tcplan_error error;
    struct local *local;
    const int status = find_local(&local, context, length, start, &error);
    return status != TCPLAN_OK ? status : (int)tcplan_plan_execute(local->plan, A, B, C, &error);
}

static bool is_empty(const struct dist_plan *plan, const struct dist_box *box) {
    bool empty = false;
    for (int i = 0; i < plan->index_count; i++) empty = empty || box->length[i] == 0;
    return empty;
}

/** Plans all local products of this rank. */
static enum tcplan_status make_locals(struct mpi_locals *locals, struct tcplan_error *error) {
    const struct dist_plan *of = locals->of;
    struct dist_box box = dist_local_box(of, locals->rank);
    struct local *local;
    const int x = of->panel_index;
    if (of->pdgemm.is_used || is_empty(of, &box)) return TCPLAN_OK;
    if (x < 0)
        return (enum tcplan_status)find_local(&local, locals, box.length, dist_first_start(of),
                                              error);
    enum tcplan_status status = TCPLAN_OK;
    const int64_t begin = box.first[x], end = begin + box.length[x];
    for (int64_t first = begin, next; first < end && status == TCPLAN_OK; first = next) {
        next = dist_panel_end(of, locals->rank, first);
        box.length[x] = next - first;
        status = (enum tcplan_status)find_local(
            &local, locals, box.length, first == begin ? dist_first_start(of) : DIST_ADDS, error);
    }
    return status;
}

/** Broadcasts the names of rank 0's local algorithms, the first one of each start. */
static enum tcplan_status share_timed(struct mpi_locals *locals, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int start = 0; start < MPI_LOCALS_STARTS; start++) {
        const char *name = NULL;
        for (const struct local *local = locals->first; local && locals->rank == 0;
             local = local->next) {
            if ((int)local->start == start) name = tcplan_plan_algorithm(local->plan);
        }
        int length = name ? (int)strlen(name) : -1;
        MPI_Bcast(&length, 1, MPI_INT, 0, locals->comm);
        if (length < 0) continue;
        locals->timed[start] = calloc((size_t)length + 1, 1);
        if (!locals->timed[start]) status = mpi_fail(error, TCPLAN_NO_MEMORY, "out of memory");
        status = mpi_agree(locals->comm, status, error);
        if (status != TCPLAN_OK) return status;
        if (name) memcpy(locals->timed[start], name, (size_t)length);
        MPI_Bcast(locals->timed[start], length, MPI_CHAR, 0, locals->comm);
    }
    return TCPLAN_OK;
}

enum tcplan_status mpi_locals_make(struct mpi_locals *locals, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (!locals->planners->timing)
        return mpi_agree(locals->comm, make_locals(locals, error), error);
    if (locals->rank == 0) status = make_locals(locals, error);
    mpi_wait_for_first(locals->comm);
    status = mpi_agree(locals->comm, status, error);
    if (status == TCPLAN_OK) status = share_timed(locals, error);
    if (status != TCPLAN_OK) return status;
    return mpi_agree(locals->comm, make_locals(locals, error), error);
}

void mpi_locals_begin(struct mpi_locals *locals, const struct tcplan_distributed *distributed,
                      const struct mpi_planners *planners, MPI_Comm comm) {
    locals->distributed = distributed;
    locals->of = tcplan_distributed_plan(distributed);
    locals->planners = planners;
    locals->comm = comm;
    MPI_Comm_rank(comm, &locals->rank);
}

void mpi_locals_free(struct mpi_locals *locals) {
    while (locals->first) {
        struct local *next = locals->first->next;
        tcplan_plan_free(locals->first->plan);
        free(locals->first);
        locals->first = next;
    }
    for (int start = 0; start < MPI_LOCALS_STARTS; start++) free(locals->timed[start]);
}
