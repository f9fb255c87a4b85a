#include "bindings/mpi/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tcplan/machine.h"
#include "tcplan/store.h"

/* Agreement. */

enum tcplan_status mpi_fail(struct tcplan_error *error, enum tcplan_status status,
                            const char *message) {
    *error = (struct tcplan_error){.status = status};
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

enum tcplan_status mpi_agree(MPI_Comm comm, enum tcplan_status status, struct tcplan_error *error) {
    int rank, ranks, mine, first;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    mine = status == TCPLAN_OK ? ranks : rank;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == ranks) return TCPLAN_OK;
    MPI_Bcast(error, (int)sizeof *error, MPI_BYTE, first, comm);
    return error->status;
}

/** Returns whether a text is the same on all ranks. */
static bool is_same(MPI_Comm comm, const char *text) {
    int rank, length = text ? (int)strlen(text) : -1, first = length, differs = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    char *of_first = first >= 0 ? calloc((size_t)first + 1, 1) : NULL;
    int fails = first >= 0 && !of_first, any;
    MPI_Allreduce(&fails, &any, 1, MPI_INT, MPI_MAX, comm);
    if (!any && first >= 0) {
        if (rank == 0) memcpy(of_first, text, (size_t)first);
        MPI_Bcast(of_first, first, MPI_CHAR, 0, comm);
    }
    differs = any || first != length || (first >= 0 && strcmp(of_first, text) != 0);
    free(of_first);
    MPI_Allreduce(&differs, &any, 1, MPI_INT, MPI_MAX, comm);
    return !any;
}

void mpi_wait_for_first(MPI_Comm comm) {
    const struct timespec pause = {.tv_nsec = 500000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&pause, NULL);
    }
}

enum tcplan_status mpi_check_same(MPI_Comm comm, const char *notation, const char *sizes,
                                  const char *path, enum tcplan_dtype dtype,
                                  enum tcplan_order order, const struct tcplan_mpi_options *options,
                                  struct tcplan_error *error) {
    char numbers[128];
    snprintf(numbers, sizeof numbers, "%d %d %lld %d %lld %d", (int)dtype, (int)order,
             (long long)options->max_memory_bytes, options->ranks_per_node,
             (long long)options->most_elements, (int)options->effort);
    const char *texts[] = {notation,           sizes,  path, options->grid, options->distribute,
                           options->algorithm, numbers};
    bool same = true;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        same = is_same(comm, texts[t]) && same;
    return same ? TCPLAN_OK : mpi_fail(error, TCPLAN_INVALID, "the ranks pass different arguments");
}

enum tcplan_status mpi_executed(int status, struct tcplan_error *error) {
    struct tcplan_error own;
    if (status == 0) return TCPLAN_OK;
    const enum tcplan_status known =
        status == ENOMEM ? TCPLAN_NO_MEMORY : (enum tcplan_status)status;
    mpi_fail(&own, known,
             known == TCPLAN_NO_MEMORY ? "a rank ran out of memory" : tcplan_status_text(known));
    if (error) *error = own;
    return known;
}

/* Planners and models. */

/** Makes a planner for the local products. */
static enum tcplan_status make_planner(struct tcplan_planner **out, enum tcplan_effort effort,
                                       const struct tcplan_mpi_options *options,
                                       struct tcplan_error *error) {
    enum tcplan_status status = tcplan_planner_new(out, error);
    if (status == TCPLAN_OK) status = tcplan_planner_set_effort(*out, effort, error);
    if (status == TCPLAN_OK && options->store)
        status = tcplan_planner_set_store(*out, options->store, error);
    if (status == TCPLAN_OK && options->plans && effort != TCPLAN_EFFORT_ESTIMATE)
        status = tcplan_planner_set_plans(*out, options->plans, error);
    return status;
}

enum tcplan_status mpi_read_communication(struct tcplan_communication **out,
                                          const struct tcplan_mpi_options *options,
                                          struct tcplan_error *error) {
    struct tcplan_machine machine;
    struct tcplan_error own = {.status = TCPLAN_OK};
    *out = NULL;
    if (!options->store) return TCPLAN_OK;
    enum tcplan_status status = tcplan_machine_load(&machine, "live", &own);
    if (status == TCPLAN_OK) {
        const struct tcplan_store store = {.folder = options->store,
                                           .fingerprint = tcplan_fingerprint_make(&machine)};
        status = tcplan_store_communication(out, &store, &own);
    }
    if (status != TCPLAN_NO_MEMORY) return TCPLAN_OK;
    *error = own;
    return status;
}

enum tcplan_status mpi_planners_make(struct mpi_planners *out,
                                     const struct tcplan_mpi_options *options,
                                     struct tcplan_error *error) {
    enum tcplan_status status =
        make_planner(&out->estimating, TCPLAN_EFFORT_ESTIMATE, options, error);
    if (status == TCPLAN_OK && options->effort != TCPLAN_EFFORT_ESTIMATE)
        status = make_planner(&out->timing, options->effort, options, error);
    if (status == TCPLAN_OK && out->timing && options->time_limit_seconds != 0) {
        status = tcplan_planner_set_time_limit(out->timing, options->time_limit_seconds, error);
        out->end = MPI_Wtime() + options->time_limit_seconds;
    }
    return status;
}

void mpi_planners_free(struct mpi_planners *planners) {
    tcplan_planner_free(planners->estimating);
    tcplan_planner_free(planners->timing);
}

struct tcplan_distributed_options mpi_distributed_options(
    const struct mpi_planners *planners, MPI_Comm comm, const struct tcplan_mpi_options *options) {
    int ranks;
    MPI_Comm_size(comm, &ranks);
    return (struct tcplan_distributed_options){.processes = ranks,
                                               .ranks_per_node = options->ranks_per_node,
                                               .grid = options->grid,
                                               .distribute = options->distribute,
                                               .algorithm = options->algorithm,
                                               .max_memory_bytes = options->max_memory_bytes,
                                               .planner = planners->estimating};
}
