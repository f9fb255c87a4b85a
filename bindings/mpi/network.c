/*
 * Expressions of several tensors. As for a contraction, rank 0 chooses, and broadcasts what the
 * other ranks need to make the same plan: the text of the order with the layouts of intermediates,
 * and the names of the steps' algorithms.
 */
#include <stdlib.h>
#include <string.h>

#include "bindings/mpi/locals.h"
#include "distributed/runtime/steps.h"
#include "tcplan/distributed_network.h"
#include "tcplan/mpi.h"

struct tcplan_mpi_network_plan {
    MPI_Comm comm;
    struct tcplan_distributed_network *network;
    struct mpi_planners planners;
    struct mpi_locals *locals; /* local products of each step */
    struct dist_step *step;
    struct dist_steps steps;
    struct dist_steps_run run;
    bool is_begun; /* whether the run has its communicators */
    char *order, *name;
    double seconds;
};

/* Choice. */

/** Broadcasts a text of rank 0. Returns the same status on all ranks; *text is allocated on ranks
 * other than 0. */
static enum tcplan_status share_text(char **text, struct tcplan_mpi_network_plan *plan,
                                     struct tcplan_error *error) {
    int rank;
    MPI_Comm_rank(plan->comm, &rank);
    int length = rank == 0 ? (int)strlen(*text) : 0;
    MPI_Bcast(&length, 1, MPI_INT, 0, plan->comm);
    if (rank > 0) *text = calloc((size_t)length + 1, 1);
    enum tcplan_status status =
        *text ? TCPLAN_OK : mpi_fail(error, TCPLAN_NO_MEMORY, "out of memory");
    status = mpi_agree(plan->comm, status, error);
    if (status == TCPLAN_OK) MPI_Bcast(*text, length, MPI_CHAR, 0, plan->comm);
    return status;
}

/** Chooses the algorithms on rank 0. */
static enum tcplan_status choose_first(struct tcplan_mpi_network_plan *plan,
                                       const struct tcplan_network_texts *texts,
                                       enum tcplan_dtype dtype,
                                       struct tcplan_distributed_options wanted,
                                       const struct tcplan_mpi_options *options,
                                       struct tcplan_error *error) {
    struct tcplan_communication *communication = NULL;
    enum tcplan_status status = mpi_read_communication(&communication, options, error);
    wanted.communication = communication;
    wanted.timing = plan->planners.timing;
    wanted.time_limit_seconds = options->time_limit_seconds;
    if (status == TCPLAN_OK)
        status = tcplan_distributed_network_new(&plan->network, texts, dtype, &wanted, NULL, error);
    tcplan_communication_free(communication);
    if (status != TCPLAN_OK) return status;
    const char *name = tcplan_distributed_network_name(plan->network, 0);
    plan->order = tcplan_tree_text(tcplan_distributed_network_tree(plan->network, 0));
    plan->name = calloc(strlen(name) + 1, 1);
    if (!plan->order || !plan->name) return mpi_fail(error, TCPLAN_NO_MEMORY, "out of memory");
    memcpy(plan->name, name, strlen(name));
    plan->seconds = tcplan_distributed_network_entry(plan->network, 0).seconds;
    return TCPLAN_OK;
}

/** Chooses the algorithms on rank 0, and plans the same ones on other ranks. */
static enum tcplan_status choose(struct tcplan_mpi_network_plan *plan,
                                 const struct tcplan_network_texts *given, enum tcplan_dtype dtype,
                                 const struct tcplan_mpi_options *options,
                                 struct tcplan_error *error) {
    struct tcplan_network_texts texts = *given;
    struct tcplan_distributed_options wanted =
        mpi_distributed_options(&plan->planners, plan->comm, options);
    int rank;
    MPI_Comm_rank(plan->comm, &rank);
    enum tcplan_status status = TCPLAN_OK;
    if (rank == 0) status = choose_first(plan, &texts, dtype, wanted, options, error);
    if (plan->planners.timing) mpi_wait_for_first(plan->comm);
    status = mpi_agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = share_text(&plan->order, plan, error);
    if (status == TCPLAN_OK) status = share_text(&plan->name, plan, error);
    if (status != TCPLAN_OK) return status;
    MPI_Bcast(&plan->seconds, 1, MPI_DOUBLE, 0, plan->comm);
    texts.path = plan->order;
    wanted.algorithm = plan->name;
    if (rank > 0)
        status =
            tcplan_distributed_network_new(&plan->network, &texts, dtype, &wanted, NULL, error);
    return mpi_agree(plan->comm, status, error);
}

/* Plans. */

/** Makes the runs of all steps, and plans their local products. */
static enum tcplan_status begin_steps(struct tcplan_mpi_network_plan *plan,
                                      const struct tcplan_mpi_options *options,
                                      struct tcplan_error *error) {
    const int count = tcplan_distributed_network_step_count(plan->network, 0);
    plan->steps = (struct dist_steps){.inputs = tcplan_distributed_network_inputs(plan->network),
                                      .count = count};
    plan->locals = calloc((size_t)count, sizeof *plan->locals);
    plan->step = calloc((size_t)count, sizeof *plan->step);
    plan->steps.step = plan->step;
    enum tcplan_status status = TCPLAN_OK;
    if (dist_steps_allocate(&plan->run, &plan->steps) != 0 || !plan->locals || !plan->step)
        status = mpi_fail(error, TCPLAN_NO_MEMORY, "out of memory");
    status = mpi_agree(plan->comm, status, error);
    if (status != TCPLAN_OK) return status;
    for (int s = 0; s < count; s++) {
        struct dist_step *step = &plan->step[s];
        const struct tcplan_distributed *planned =
            tcplan_distributed_network_step(plan->network, 0, s, step->operand);
        step->plan = tcplan_distributed_plan(planned);
        step->local = mpi_locals_multiply;
        mpi_locals_begin(&plan->locals[s], planned, &plan->planners, plan->comm);
        plan->run.run[s].context = &plan->locals[s];
        plan->run.run[s].limit = options->most_elements;
    }
    dist_steps_begin(&plan->run, plan->comm);
    plan->is_begun = true;
    for (int s = 0; s < count && status == TCPLAN_OK; s++)
        status = mpi_locals_make(&plan->locals[s], error);
    return status;
}

static enum tcplan_status make(struct tcplan_mpi_network_plan *plan,
                               const struct tcplan_network_texts *texts, enum tcplan_dtype dtype,
                               const struct tcplan_mpi_options *options,
                               struct tcplan_error *error) {
    enum tcplan_status status = mpi_check_same(plan->comm, texts->notation, texts->sizes,
                                               texts->path, dtype, texts->order, options, error);
    if (status != TCPLAN_OK) return status;
    status = mpi_planners_make(&plan->planners, options, error);
    status = mpi_agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = choose(plan, texts, dtype, options, error);
    return status == TCPLAN_OK ? begin_steps(plan, options, error) : status;
}

enum tcplan_status tcplan_mpi_network_plan_new(struct tcplan_mpi_network_plan **out, MPI_Comm comm,
                                               const struct tcplan_network_texts *texts,
                                               enum tcplan_dtype dtype,
                                               const struct tcplan_mpi_options *options,
                                               struct tcplan_error *error) {
    const struct tcplan_mpi_options defaults = {.size = sizeof defaults};
    struct tcplan_error own = {.status = TCPLAN_OK};
    struct tcplan_mpi_network_plan *plan = calloc(1, sizeof *plan);
    enum tcplan_status status = TCPLAN_OK;
    if (!plan) status = mpi_fail(&own, TCPLAN_NO_MEMORY, "out of memory");
    if (!out || !texts || !texts->notation)
        status = mpi_fail(&own, TCPLAN_INVALID, "a pointer is NULL");
    if (texts && (texts->frees_result || texts->coarse))
        status = mpi_fail(&own, TCPLAN_INVALID,
                          "frees_result and coarse must be false for an expression over processes");
    if (options && options->size != sizeof *options)
        status =
            mpi_fail(&own, TCPLAN_INVALID, "the size of the options does not match this version");
    status = mpi_agree(comm, status, &own);
    if (status == TCPLAN_OK) {
        MPI_Comm_dup(comm, &plan->comm);
        status = make(plan, texts, dtype, options ? options : &defaults, &own);
        if (status == TCPLAN_OK) {
            *out = plan;
            return TCPLAN_OK;
        }
        tcplan_mpi_network_plan_free(plan);
    } else {
        free(plan);
    }
    if (error) *error = own;
    return status;
}

int tcplan_mpi_network_plan_inputs(const struct tcplan_mpi_network_plan *plan) {
    return plan->steps.inputs;
}

int64_t tcplan_mpi_network_plan_block(const struct tcplan_mpi_network_plan *plan, int tensor,
                                      int64_t first[], int64_t extent[]) {
    return tcplan_distributed_network_block(plan->network, 0, tensor, plan->run.run[0].rank, first,
                                            extent);
}

void tcplan_mpi_network_plan_cycle(const struct tcplan_mpi_network_plan *plan, int tensor,
                                   int64_t block[], int64_t period[]) {
    tcplan_distributed_network_cycle(plan->network, 0, tensor, block, period);
}

const char *tcplan_mpi_network_plan_algorithm(const struct tcplan_mpi_network_plan *plan) {
    return plan->name;
}

const char *tcplan_mpi_network_plan_order(const struct tcplan_mpi_network_plan *plan) {
    return plan->order;
}

double tcplan_mpi_network_plan_seconds(const struct tcplan_mpi_network_plan *plan) {
    return plan->seconds;
}

enum tcplan_status tcplan_mpi_network_plan_execute(struct tcplan_mpi_network_plan *plan,
                                                   const void *const tensor[], void *result,
                                                   struct tcplan_error *error) {
    return mpi_executed(dist_steps_execute(&plan->run, tensor, result), error);
}

void tcplan_mpi_network_plan_free(struct tcplan_mpi_network_plan *plan) {
    if (!plan) return;
    for (int s = 0; plan->locals && s < plan->steps.count; s++) mpi_locals_free(&plan->locals[s]);
    if (plan->run.steps) dist_steps_free(&plan->run, plan->is_begun);
    tcplan_distributed_network_free(plan->network);
    mpi_planners_free(&plan->planners);
    free(plan->locals);
    free(plan->step);
    free(plan->order);
    free(plan->name);
    MPI_Comm_free(&plan->comm);
    free(plan);
}
