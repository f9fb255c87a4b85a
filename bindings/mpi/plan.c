/*
 * All ranks make the same plan: rank 0 broadcasts its texts, which the others compare with theirs,
 * and the name of its algorithm.
 */
#include <stdlib.h>
#include <string.h>

#include "bindings/mpi/locals.h"
#include "distributed/runtime/execute.h"
#ifdef TCPLAN_SCALAPACK
#include "distributed/runtime/scalapack.h"
#endif
#include "tcplan/distributed.h"
#include "tcplan/mpi.h"
#include "tcplan/sizes.h"

struct tcplan_mpi_plan {
    MPI_Comm comm;
    struct tcplan_contraction *contraction;
    struct tcplan_distributed *distributed;
    struct mpi_planners planners;
    struct mpi_locals locals;
    struct dist_run run;
    char name[TCPLAN_DISTRIBUTED_NAME];
    double seconds;
};

/* Plans. */

/** Chooses the algorithm on rank 0; other ranks plan the algorithm of that name. */
static enum tcplan_status choose(struct tcplan_mpi_plan *plan, const struct tcplan_problem *problem,
                                 const struct tcplan_mpi_options *options,
                                 struct tcplan_error *error) {
    struct tcplan_communication *communication = NULL;
    struct tcplan_distributed_options wanted =
        mpi_distributed_options(&plan->planners, plan->comm, options);
    int rank;
    MPI_Comm_rank(plan->comm, &rank);
    enum tcplan_status status = TCPLAN_OK;
    if (rank == 0) {
        status = mpi_read_communication(&communication, options, error);
        wanted.communication = communication;
        wanted.timing = plan->planners.timing;
        wanted.time_limit_seconds = options->time_limit_seconds;
        if (status == TCPLAN_OK)
            status = tcplan_distributed_new(&plan->distributed, problem, &wanted, NULL, error);
        tcplan_communication_free(communication);
        if (status == TCPLAN_OK) {
            const struct tcplan_distributed_entry entry =
                tcplan_distributed_entry(plan->distributed);
            memcpy(plan->name, entry.name, sizeof plan->name);
            plan->seconds = entry.seconds;
        }
    }
    if (plan->planners.timing) mpi_wait_for_first(plan->comm);
    status = mpi_agree(plan->comm, status, error);
    if (status != TCPLAN_OK) return status;
    MPI_Bcast(plan->name, sizeof plan->name, MPI_CHAR, 0, plan->comm);
    MPI_Bcast(&plan->seconds, 1, MPI_DOUBLE, 0, plan->comm);
    wanted.algorithm = plan->name;
    if (rank > 0)
        status = tcplan_distributed_new(&plan->distributed, problem, &wanted, NULL, error);
    return mpi_agree(plan->comm, status, error);
}

static enum tcplan_status begin(struct tcplan_mpi_plan *plan, struct tcplan_problem *problem,
                                const char *notation, const char *sizes, enum tcplan_dtype dtype,
                                enum tcplan_order order, const struct tcplan_mpi_options *options,
                                struct tcplan_error *error) {
    struct tcplan_sizes *read = NULL;
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status =
        tcplan_contraction_parse(&plan->contraction, notation, order, error);
    if (status == TCPLAN_OK)
        status = tcplan_sizes_parse(&read, plan->contraction, sizes ? sizes : "", error);
    if (status == TCPLAN_OK && tcplan_sizes_count(read) != 1)
        status = mpi_fail(error, TCPLAN_INVALID, "sizes of a sweep");
    if (status == TCPLAN_OK) {
        tcplan_sizes_point(read, 0, extent);
        tcplan_contraction_fit_type(plan->contraction, dtype);
        status = tcplan_problem_init(problem, plan->contraction, extent, dtype, error);
    }
    tcplan_sizes_free(read);
    if (status == TCPLAN_OK) status = mpi_planners_make(&plan->planners, options, error);
    return status;
}

static enum tcplan_status make(struct tcplan_mpi_plan *plan, const char *notation,
                               const char *sizes, enum tcplan_dtype dtype, enum tcplan_order order,
                               const struct tcplan_mpi_options *options,
                               struct tcplan_error *error) {
    struct tcplan_problem problem;
    enum tcplan_status status =
        mpi_check_same(plan->comm, notation, sizes, NULL, dtype, order, options, error);
    if (status != TCPLAN_OK) return status;
    status = begin(plan, &problem, notation, sizes, dtype, order, options, error);
    status = mpi_agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = choose(plan, &problem, options, error);
    if (status != TCPLAN_OK) return status;
    plan->run.limit = options->most_elements;
    plan->run.local = mpi_locals_multiply;
    plan->run.context = &plan->locals;
    dist_begin(&plan->run, tcplan_distributed_plan(plan->distributed), plan->comm);
    mpi_locals_begin(&plan->locals, plan->distributed, &plan->planners, plan->comm);
    return mpi_locals_make(&plan->locals, error);
}

enum tcplan_status tcplan_mpi_plan_new(struct tcplan_mpi_plan **out, MPI_Comm comm,
                                       const char *notation, const char *sizes,
                                       enum tcplan_dtype dtype, enum tcplan_order order,
                                       const struct tcplan_mpi_options *options,
                                       struct tcplan_error *error) {
    const struct tcplan_mpi_options defaults = {.size = sizeof defaults};
    struct tcplan_error own = {.status = TCPLAN_OK};
    struct tcplan_mpi_plan *plan = calloc(1, sizeof *plan);
    enum tcplan_status status = TCPLAN_OK;
    if (!plan) status = mpi_fail(&own, TCPLAN_NO_MEMORY, "out of memory");
    if (!out || !notation) status = mpi_fail(&own, TCPLAN_INVALID, "a pointer is NULL");
    if (options && options->size != sizeof *options)
        status = mpi_fail(
            &own, TCPLAN_INVALID,
            "expected sizeof(struct tcplan_mpi_options) as the member size of the options");
    status = mpi_agree(comm, status, &own);
    if (status == TCPLAN_OK) {
        MPI_Comm_dup(comm, &plan->comm);
        status = make(plan, notation, sizes, dtype, order, options ? options : &defaults, &own);
        if (status == TCPLAN_OK) {
            *out = plan;
            return TCPLAN_OK;
        }
        tcplan_mpi_plan_free(plan);
    } else {
        free(plan);
    }
    if (error) *error = own;
    return status;
}

int64_t tcplan_mpi_plan_block(const struct tcplan_mpi_plan *plan, enum tcplan_operand operand,
                              int64_t first[], int64_t extent[]) {
    return tcplan_distributed_block(plan->distributed, operand, plan->run.rank, first, extent);
}

void tcplan_mpi_plan_cycle(const struct tcplan_mpi_plan *plan, enum tcplan_operand operand,
                           int64_t block[], int64_t period[]) {
    tcplan_distributed_cycle(plan->distributed, operand, block, period);
}

const char *tcplan_mpi_plan_algorithm(const struct tcplan_mpi_plan *plan) {
    return plan->name;
}

double tcplan_mpi_plan_seconds(const struct tcplan_mpi_plan *plan) {
    return plan->seconds;
}

static int execute(struct dist_run *run, const void *A, const void *B, void *C) {
#ifdef TCPLAN_SCALAPACK
    if (run->plan->pdgemm.is_used) return dist_pdgemm(run, A, B, C);
#endif
    return dist_execute(run, A, B, C);
}

enum tcplan_status tcplan_mpi_plan_execute(struct tcplan_mpi_plan *plan, const void *A,
                                           const void *B, void *C, struct tcplan_error *error) {
    return mpi_executed(execute(&plan->run, A, B, C), error);
}

void tcplan_mpi_plan_free(struct tcplan_mpi_plan *plan) {
    if (!plan) return;
    mpi_locals_free(&plan->locals);
    if (plan->run.plan) dist_end(&plan->run);
    tcplan_distributed_free(plan->distributed);
    tcplan_contraction_free(plan->contraction);
    mpi_planners_free(&plan->planners);
    MPI_Comm_free(&plan->comm);
    free(plan);
}
