/*
 * All ranks make the same plan: rank 0 broadcasts its texts, which the others compare with theirs,
 * and the name of its algorithm. Each rank then plans its local products, one for each shape of
 * blocks. If planning may time something, only rank 0 does, and broadcasts the names of its local
 * algorithms; the other ranks sleep meanwhile, so that they do not disturb it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "distributed/runtime/execute.h"
#ifdef TCPLAN_SCALAPACK
#include "distributed/runtime/scalapack.h"
#endif
#include "tcplan/distributed.h"
#include "tcplan/machine.h"
#include "tcplan/mpi.h"
#include "tcplan/plan.h"
#include "tcplan/sizes.h"
#include "tcplan/store.h"

enum { STARTS = DIST_CONTINUES + 1 };

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
    struct tcplan_planner *planner; /* planner that estimates */
    struct tcplan_planner *timing;  /* planner that times; NULL: nothing is timed */
    double end;                     /* MPI_Wtime() at which timing must end; 0: no limit */
    struct dist_run run;
    struct local *locals;
    char *timed[STARTS]; /* for each start, rank 0's local algorithm; NULL: none */
    char name[TCPLAN_DISTRIBUTED_NAME];
    double seconds;
};

/* Agreement between ranks. */

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

/** Lets the other ranks sleep until rank 0 calls this function as well. */
static void wait_for_first(MPI_Comm comm) {
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

/* Local products. */

/** Plans a product: on rank 0 by timing, if that is allowed; on other ranks with rank 0's
 * algorithm, if there is one that applies. */
static enum tcplan_status plan_product(struct tcplan_plan **out, struct tcplan_mpi_plan *plan,
                                       const struct tcplan_product *product, enum dist_start start,
                                       struct tcplan_error *error) {
    const double left = plan->end - MPI_Wtime();
    if (plan->timed[start] &&
        tcplan_plan_named(out, plan->planner, product, plan->timed[start], error) == TCPLAN_OK)
        return TCPLAN_OK;
    if (!plan->timing || plan->run.rank > 0)
        return tcplan_plan_new(out, plan->planner, product, error);
    enum tcplan_status status = TCPLAN_OK;
    if (plan->end > 0)
        status = tcplan_planner_set_time_limit(plan->timing, left > 0 ? left : 1e-9, error);
    return status == TCPLAN_OK ? tcplan_plan_new(out, plan->timing, product, error) : status;
}

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
    if (status == TCPLAN_OK) status = plan_product(&made->plan, plan, product, start, error);
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
    if (of->pdgemm.is_used || is_empty(of, &box)) return TCPLAN_OK;
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

/** Broadcasts the names of rank 0's local algorithms, the first one of each start. */
static enum tcplan_status share_timed(struct tcplan_mpi_plan *plan, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int start = 0; start < STARTS; start++) {
        const char *name = NULL;
        for (const struct local *local = plan->locals; local && plan->run.rank == 0;
             local = local->next) {
            if ((int)local->start == start) name = tcplan_plan_algorithm(local->plan);
        }
        int length = name ? (int)strlen(name) : -1;
        MPI_Bcast(&length, 1, MPI_INT, 0, plan->comm);
        if (length < 0) continue;
        plan->timed[start] = calloc((size_t)length + 1, 1);
        if (!plan->timed[start]) status = fail(error, TCPLAN_NO_MEMORY, "out of memory");
        status = agree(plan->comm, status, error);
        if (status != TCPLAN_OK) return status;
        if (name) memcpy(plan->timed[start], name, (size_t)length);
        MPI_Bcast(plan->timed[start], length, MPI_CHAR, 0, plan->comm);
    }
    return TCPLAN_OK;
}

/** Plans the local products of all ranks. */
static enum tcplan_status make_all_locals(struct tcplan_mpi_plan *plan,
                                          struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    if (!plan->timing) return agree(plan->comm, make_locals(plan, error), error);
    if (plan->run.rank == 0) status = make_locals(plan, error);
    wait_for_first(plan->comm);
    status = agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = share_timed(plan, error);
    if (status != TCPLAN_OK) return status;
    return agree(plan->comm, make_locals(plan, error), error);
}

/* Plans. */

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

/** Reads the model of MPI's calls; *out becomes NULL if the store has none, or if it cannot be
 * read. */
static enum tcplan_status read_communication(struct tcplan_communication **out,
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

/** Chooses the algorithm on rank 0; other ranks plan the algorithm of that name. */
static enum tcplan_status choose(struct tcplan_mpi_plan *plan, const struct tcplan_problem *problem,
                                 const struct tcplan_mpi_options *options,
                                 struct tcplan_error *error) {
    struct tcplan_communication *communication = NULL;
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
        status = read_communication(&communication, options, error);
        wanted.communication = communication;
        wanted.timing = plan->timing;
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
    if (plan->timing) wait_for_first(plan->comm);
    status = agree(plan->comm, status, error);
    if (status != TCPLAN_OK) return status;
    MPI_Bcast(plan->name, sizeof plan->name, MPI_CHAR, 0, plan->comm);
    MPI_Bcast(&plan->seconds, 1, MPI_DOUBLE, 0, plan->comm);
    wanted.algorithm = plan->name;
    if (rank > 0)
        status = tcplan_distributed_new(&plan->distributed, problem, &wanted, NULL, error);
    return agree(plan->comm, status, error);
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
        status = fail(error, TCPLAN_INVALID, "sizes of a sweep");
    if (status == TCPLAN_OK) {
        tcplan_sizes_point(read, 0, extent);
        tcplan_contraction_fit_type(plan->contraction, dtype);
        status = tcplan_problem_init(problem, plan->contraction, extent, dtype, error);
    }
    tcplan_sizes_free(read);
    if (status == TCPLAN_OK)
        status = make_planner(&plan->planner, TCPLAN_EFFORT_ESTIMATE, options, error);
    if (status == TCPLAN_OK && options->effort != TCPLAN_EFFORT_ESTIMATE)
        status = make_planner(&plan->timing, options->effort, options, error);
    if (status == TCPLAN_OK && plan->timing && options->time_limit_seconds != 0) {
        status = tcplan_planner_set_time_limit(plan->timing, options->time_limit_seconds, error);
        plan->end = MPI_Wtime() + options->time_limit_seconds;
    }
    return status;
}

static enum tcplan_status make(struct tcplan_mpi_plan *plan, const char *notation,
                               const char *sizes, enum tcplan_dtype dtype, enum tcplan_order order,
                               const struct tcplan_mpi_options *options,
                               struct tcplan_error *error) {
    struct tcplan_problem problem;
    char numbers[128];
    snprintf(numbers, sizeof numbers, "%d %d %lld %d %lld %d", (int)dtype, (int)order,
             (long long)options->max_memory_bytes, options->ranks_per_node,
             (long long)options->most_elements, (int)options->effort);
    const char *texts[] = {notation,           sizes,  options->grid, options->distribute,
                           options->algorithm, numbers};
    bool same = true;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        same = is_same(plan->comm, texts[t]) && same;
    if (!same) return fail(error, TCPLAN_INVALID, "the ranks pass different arguments");
    enum tcplan_status status =
        begin(plan, &problem, notation, sizes, dtype, order, options, error);
    status = agree(plan->comm, status, error);
    if (status == TCPLAN_OK) status = choose(plan, &problem, options, error);
    if (status != TCPLAN_OK) return status;
    plan->run.limit = options->most_elements;
    plan->run.local = multiply;
    plan->run.context = plan;
    dist_begin(&plan->run, tcplan_distributed_plan(plan->distributed), plan->comm);
    return make_all_locals(plan, error);
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
        status = fail(&own, TCPLAN_INVALID, "the size of the options does not match this version");
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
    const int status = execute(&plan->run, A, B, C);
    struct tcplan_error own;
    if (status == 0) return TCPLAN_OK;
    const enum tcplan_status known =
        status == ENOMEM ? TCPLAN_NO_MEMORY : (enum tcplan_status)status;
    fail(&own, known,
         known == TCPLAN_NO_MEMORY ? "a rank ran out of memory" : tcplan_status_text(known));
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
    tcplan_planner_free(plan->timing);
    for (int start = 0; start < STARTS; start++) free(plan->timed[start]);
    MPI_Comm_free(&plan->comm);
    free(plan);
}
