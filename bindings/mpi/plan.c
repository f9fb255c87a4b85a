/*
 * All ranks make the same plan: rank 0 broadcasts its texts, which the others compare with theirs,
 * and the name of its algorithm. Each rank then plans its local products, one for each shape of
 * blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/runtime/execute.h"
#include "tcplan/distributed.h"
#include "tcplan/mpi.h"
#include "tcplan/plan.h"
#include "tcplan/sizes.h"

/** A plan of a local product, for blocks with the extents `length`. */
struct local {
    struct local *next;
    int64_t length[DIST_INDICES];
    enum dist_start start;
    struct tcplan_plan *plan;
};

struct tcplan_mpi_plan {
    MPI_Comm comm;
    struct tcplan_contraction *contraction;
    struct tcplan_distributed *distributed;
    struct tcplan_planner *planner;
    struct dist_run run;
    struct local *locals;
    char name[TCPLAN_DISTRIBUTED_NAME];
};

/* Agreement of ranks. */

static enum tcplan_status fail(struct tcplan_error *error, enum tcplan_status status,
                               const char *message) {
    *error = (struct tcplan_error){.status = status};
    snprintf(error->message, sizeof error->message, "%s", message);
    return status;
}

/** Broadcasts the error of the first rank that has one; returns its status, or TCPLAN_OK if no rank
 * failed. */
static enum tcplan_status agree(MPI_Comm comm, enum tcplan_status status,
                                struct tcplan_error *error) {
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

/* Local products. */

static int find_local(struct local **out, struct tcplan_mpi_plan *plan, const int64_t length[],
                      enum dist_start start, struct tcplan_error *error) {
    const size_t bytes = (size_t)plan->run.plan->index_count * sizeof *length;
    for (*out = plan->locals; *out; *out = (*out)->next) {
        if ((*out)->start == start && memcmp((*out)->length, length, bytes) == 0) return TCPLAN_OK;
    }
    struct local *made = calloc(1, sizeof *made);
    struct tcplan_product *product = NULL;
    if (!made) return fail(error, TCPLAN_NO_MEMORY, "out of memory");
    memcpy(made->length, length, bytes);
    made->start = start;
    enum tcplan_status status = tcplan_distributed_product(
        &product, plan->distributed, length, (enum tcplan_distributed_start)start, error);
    if (status == TCPLAN_OK) status = tcplan_plan_new(&made->plan, plan->planner, product, error);
    tcplan_product_free(product);
    if (status != TCPLAN_OK) {
        free(made);
        return (int)status;
    }
    made->next = plan->locals;
    plan->locals = *out = made;
    return TCPLAN_OK;
}

static int multiply(void *context, const int64_t length[], enum dist_start start, const void *A,
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
static enum tcplan_status make_locals(struct tcplan_mpi_plan *plan, struct tcplan_error *error) {
    const struct dist_plan *of = plan->run.plan;
    struct dist_box box = dist_local_box(of, plan->run.rank);
    struct local *local;
    const int x = of->panel_index;
    if (is_empty(of, &box)) return TCPLAN_OK;
    if (x < 0)
        return (enum tcplan_status)find_local(
            &local, plan, box.length, dist_is_direct(of) ? DIST_CONTINUES : DIST_SETS, error);
    enum tcplan_status status = TCPLAN_OK;
    const int64_t begin = box.first[x], end = begin + box.length[x];
    for (int64_t first = begin, next; first < end && status == TCPLAN_OK; first = next) {
        next = dist_panel_end(of, plan->run.rank, first);
        box.length[x] = next - first;
        status = (enum tcplan_status)find_local(&local, plan, box.length,
                                                first == begin ? DIST_SETS : DIST_ADDS, error);
    }
    return status;
}

/* Plans. */

/** Chooses the algorithm on rank 0; other ranks plan the algorithm of that name. */
static enum tcplan_status choose(struct tcplan_mpi_plan *plan, const struct tcplan_problem *problem,
                                 const struct tcplan_mpi_options *options,
                                 struct tcplan_error *error) {
    int rank, ranks;
    MPI_Comm_rank(plan->comm, &rank);
    MPI_Comm_size(plan->comm, &ranks);
    struct tcplan_distributed_options wanted = {.processes = ranks,
                                                .ranks_per_node = options->ranks_per_node,
                                                .grid = options->grid,
                                                .distribute = options->distribute,
                                                .algorithm = options->algorithm,
                                                .max_memory_bytes = options->max_memory_bytes,
                                                .planner = plan->planner};
    enum tcplan_status status = TCPLAN_OK;
    if (rank == 0) {
        status = tcplan_distributed_new(&plan->distributed, problem, &wanted, NULL, error);
        if (status == TCPLAN_OK)
            memcpy(plan->name, tcplan_distributed_entry(plan->distributed).name, sizeof plan->name);
    }
    status = agree(plan->comm, status, error);
    if (status != TCPLAN_OK) return status;
    MPI_Bcast(plan->name, sizeof plan->name, MPI_CHAR, 0, plan->comm);
    wanted.algorithm = plan->name;
    if (rank > 0)
        status = tcplan_distributed_new(&plan->distributed, problem, &wanted, NULL, error);
    return agree(plan->comm, status, error);
}

static enum tcplan_status begin(struct tcplan_mpi_plan *plan, struct tcplan_problem *problem,
                                const char *notation, const char *sizes, enum tcplan_dtype dtype,
                                enum tcplan_order order, struct tcplan_error *error) {
    struct tcplan_sizes *read = NULL;
    int64_t extent[TCPLAN_MAX_INDICES];
    enum tcplan_status status =
        tcplan_contraction_parse(&plan->contraction, notation, order, error);
    if (status == TCPLAN_OK)
        status = tcplan_sizes_parse(&read, plan->contraction, sizes ? sizes : "", error);
    if (status == TCPLAN_OK && tcplan_sizes_count(read) != 1)
        status = fail(error, TCPLAN_INVALID, "sizes of a sweep");
    if (status == TCPLAN_OK) {
        tcplan_sizes_point(read, 0, extent);
        tcplan_contraction_fit_type(plan->contraction, dtype);
        status = tcplan_problem_init(problem, plan->contraction, extent, dtype, error);
    }
    tcplan_sizes_free(read);
    if (status == TCPLAN_OK) status = tcplan_planner_new(&plan->planner, error);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_effort(plan->planner, TCPLAN_EFFORT_ESTIMATE, error);
    return status;
}

static enum tcplan_status make(struct tcplan_mpi_plan *plan, const char *notation,
                               const char *sizes, enum tcplan_dtype dtype, enum tcplan_order order,
                               const struct tcplan_mpi_options *options,
                               struct tcplan_error *error) {
    struct tcplan_problem problem;
    char numbers[96];
    snprintf(numbers, sizeof numbers, "%d %d %lld %d %lld", (int)dtype, (int)order,
             (long long)options->max_memory_bytes, options->ranks_per_node,
             (long long)options->most_elements);
    const char *texts[] = {notation,           sizes,  options->grid, options->distribute,
                           options->algorithm, numbers};
    bool same = true;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        same = is_same(plan->comm, texts[t]) && same;
    if (!same) return fail(error, TCPLAN_INVALID, "the ranks pass different arguments");
    enum tcplan_status status = begin(plan, &problem, notation, sizes, dtype, order, error);
    status = agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = choose(plan, &problem, options, error);
    if (status != TCPLAN_OK) return status;
    plan->run.limit = options->most_elements;
    plan->run.local = multiply;
    plan->run.context = plan;
    dist_begin(&plan->run, tcplan_distributed_plan(plan->distributed), plan->comm);
    return agree(plan->comm, make_locals(plan, error), error);
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
    if (!plan) status = fail(&own, TCPLAN_NO_MEMORY, "out of memory");
    if (!out || !notation) status = fail(&own, TCPLAN_INVALID, "a pointer is NULL");
    if (options && options->size != sizeof *options)
        status = fail(&own, TCPLAN_INVALID, "the size of the options is not of this version");
    status = agree(comm, status, &own);
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

const char *tcplan_mpi_plan_algorithm(const struct tcplan_mpi_plan *plan) {
    return plan->name;
}

enum tcplan_status tcplan_mpi_plan_execute(struct tcplan_mpi_plan *plan, const void *A,
                                           const void *B, void *C, struct tcplan_error *error) {
    const int status = dist_execute(&plan->run, A, B, C);
    struct tcplan_error own;
    if (status == 0) return TCPLAN_OK;
    const enum tcplan_status known =
        status == ENOMEM ? TCPLAN_NO_MEMORY : (enum tcplan_status)status;
    fail(&own, known,
         known == TCPLAN_NO_MEMORY ? "a rank has not enough memory" : tcplan_status_text(known));
    if (error) *error = own;
    return known;
}

void tcplan_mpi_plan_free(struct tcplan_mpi_plan *plan) {
    if (!plan) return;
    while (plan->locals) {
        struct local *next = plan->locals->next;
        tcplan_plan_free(plan->locals->plan);
        free(plan->locals);
        plan->locals = next;
    }
    if (plan->run.plan) dist_end(&plan->run);
    tcplan_distributed_free(plan->distributed);
    tcplan_contraction_free(plan->contraction);
    tcplan_planner_free(plan->planner);
    MPI_Comm_free(&plan->comm);
    free(plan);
}
