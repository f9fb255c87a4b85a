/*
 * Tests ranks that fail: an allocation or a local product that fails on one rank gives all ranks
 * the same error and leaves the result unchanged; wrong or different arguments are an error on all.
 * With `kill`, a rank is killed during a contraction.
 *
 * usage: mpirun -n N test_mpi_faults [kill]
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** successful allocations before one fails; negative: none fails */
static int allocations_left = -1;

static void *faulty_calloc(size_t count, size_t size) {
    return allocations_left-- == 0 ? NULL : calloc(count, size);
}

static void *faulty_malloc(size_t size) {
    return allocations_left-- == 0 ? NULL : malloc(size);
}

#define malloc faulty_malloc
#define calloc faulty_calloc
#include "distributed/runtime/execute.h"
#undef malloc
#undef calloc

#include "distributed/algorithm.h"
#include "tcplan/mpi.h"

enum { EXTENT = 12, SENTINEL = 7 };

static int my_rank, ranks;
static int local_status; /* status that this rank's next local products return */
static bool is_killed;

static void require(bool holds, const char *what, const char *of) {
    if (holds) return;
    fprintf(stderr, "rank %d: %s: %s\n", my_rank, of, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/** A dist_local that computes nothing: these tests ignore the result. */
static int local(void *context, const int64_t length[], enum dist_start start, const void *A,
                 const void *B, void *C) {
    (void)context;
    (void)A;
    (void)B;
    if (is_killed) raise(SIGKILL);
    if (start == DIST_SETS && local_status == 0)
        memset(C, 0, (size_t)(length[0] * length[1]) * sizeof(double));
    return local_status;
}

/** Executes a plan; returns its status, which must be the same on all ranks. */
static int execute(struct dist_run *run, double *C, int64_t elements, const char *name) {
    static double operand[2][EXTENT * EXTENT];
    int lowest, highest;
    for (int64_t e = 0; e < elements; e++) C[e] = SENTINEL;
    const int status = dist_execute(run, operand[0], operand[1], C);
    MPI_Allreduce(&status, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&status, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    require(lowest == highest, "the ranks disagree", name);
    for (int64_t e = 0; e < elements && status != 0; e++)
        require(C[e] == SENTINEL, "a result was changed", name);
    return status;
}

/** On one rank, lets each allocation fail in turn, then the local product. */
static void check_rank(struct dist_run *run, int faulty, const char *name) {
    const int64_t elements = dist_held(run->plan, DIST_C, &run->plan->home[DIST_C], my_rank);
    double C[EXTENT * EXTENT];
    int failures = 0, status = ENOMEM;
    while (status != 0) {
        allocations_left = my_rank == faulty ? failures : -1;
        status = execute(run, C, elements, name);
        require(status == 0 || status == ENOMEM, "another status", name);
        failures += status != 0;
    }
    allocations_left = -1;
    require(failures > 0, "nothing was allocated", name);
    local_status = my_rank == faulty ? ENOMEM : 0;
    if (!dist_is_direct(run->plan))
        require(execute(run, C, elements, name) == ENOMEM, "a failed product is no error", name);
    local_status = 0;
    require(execute(run, C, elements, name) == 0, "an error remains", name);
}

static void check_algorithm(const char *name, const char *distribution_text) {
    static const int64_t extent[] = {EXTENT, EXTENT, EXTENT};
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct algorithm algorithm;
    struct distribution distribution = {.given = {false}};
    struct dist_plan plan;
    struct dist_run run = {.local = local};
    const bool planned =
        tcplan_contraction_parse(&contraction, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, NULL) ==
            TCPLAN_OK &&
        tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, NULL) == TCPLAN_OK &&
        algorithm_parse(&algorithm, contraction, name, NULL) == TCPLAN_OK &&
        distribution_parse(&distribution, contraction, &algorithm.grid, distribution_text, NULL) ==
            TCPLAN_OK &&
        algorithm_plan(&plan, &problem, &algorithm, &distribution, NULL) == TCPLAN_OK;
    require(planned, "no plan", name);
    for (int faulty = 0; faulty < ranks && !is_killed; faulty++) {
        dist_begin(&run, &plan, MPI_COMM_WORLD);
        check_rank(&run, faulty, name);
        dist_end(&run);
    }
    if (is_killed) {
        dist_begin(&run, &plan, MPI_COMM_WORLD);
        double C[EXTENT * EXTENT] = {0};
        is_killed = my_rank == ranks - 1;
        dist_execute(&run, C, C, C);
        dist_end(&run);
    }
    tcplan_contraction_free(contraction);
}

/** Checks arguments that must fail with the same message on every rank. */
static void check_refused(const char *sizes, const struct tcplan_mpi_options *options,
                          enum tcplan_status expected, const char *message) {
    struct tcplan_mpi_plan *plan = NULL;
    struct tcplan_error error = {0};
    const enum tcplan_status status =
        tcplan_mpi_plan_new(&plan, MPI_COMM_WORLD, "C_ab=A_ai*B_ib", sizes, TCPLAN_DOUBLE,
                            TCPLAN_COLUMN_MAJOR, options, &error);
    require(status == expected && !plan, error.message, message);
    require(strstr(error.message, message) != NULL, error.message, message);
}

static void check_arguments(void) {
    struct tcplan_mpi_options options = {.size = sizeof options};
    check_refused(my_rank == 0 ? "a=b=i=8" : "a=b=i=9", &options, TCPLAN_INVALID,
                  "the ranks pass different arguments");
    options.grid = "64x2";
    check_refused("a=b=i=8", &options, TCPLAN_INVALID, "the grid 64x2 has 128 processes");
    options.grid = ranks == 4 ? "2x2" : "2";
    options.distribute = "A=a:0,i:0";
    check_refused("a=b=i=8", &options, TCPLAN_INVALID, "axis 0 already splits another index of A");
    options.distribute = "A=a:0 A=i:0";
    check_refused("a=b=i=8", &options, TCPLAN_INVALID, "tensor 'A' is distributed twice");
    options = (struct tcplan_mpi_options){.size = sizeof options, .max_memory_bytes = 10};
    check_refused("a=b=i=8", &options, TCPLAN_NOT_APPLICABLE, "memory limit");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    is_killed = argc > 1 && strcmp(argv[1], "kill") == 0;
    const bool four = ranks == 4;
    check_algorithm(four ? "2x2:a,b" : "2:a", "");            /* gathers */
    check_algorithm(four ? "2x2:a,i" : "2:i", "");            /* scatters partial sums */
    check_algorithm(four ? "2x2:a,i" : "2:i", "C=");          /* exchanges the result */
    check_algorithm(four ? "2x2:a,b" : "2:a", "A=i:0 B=b:0"); /* exchanges operands */
    check_algorithm(four ? "2x2:a,b/i:4" : "2:a/i:4", "");    /* broadcasts panels */
    check_arguments();
    if (my_rank == 0) printf("passed on %d ranks\n", ranks);
    MPI_Finalize();
    return 0;
}
