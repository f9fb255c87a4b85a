/*
 * Tests random contractions, algorithms and distributions on communicators of 1 to all ranks:
 * results equal those of naive loops, and every rank passes the predicted bytes to every
 * collective.
 *
 * With `timed`, rank 0 times its local products.
 *
 * usage: mpirun -n N test_mpi_random [TRIPLES [SEED [timed]]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "distributed/algorithm.h"
#include "distributed/runtime/execute.h"
#include "distributed/traffic.h"
#include "mpi/counting.h"
#include "support/naive.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/mpi.h"

enum { TEXT = 512 };

/** A contraction, a distribution of its tensors, and a distributed algorithm with its process grid.
 */
struct triple {
    uint64_t seed;
    struct random_contraction random;
    int ranks;
    struct algorithm algorithm;
    char name[TEXT], grid[64], distribution[TEXT];
    int64_t most_elements;
};

static enum tcplan_effort effort = TCPLAN_EFFORT_ESTIMATE;
static int64_t by_collective[TCPLAN_COLLECTIVES];
static int cyclic_executed;    /* number of executed triples with block-cyclic layouts */
static int scalapack_executed; /* number of executed triples of ScaLAPACK */

static void require(bool holds, const struct triple *triple, const char *what) {
    int rank;
    if (holds) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "rank %d: %s: %d ranks, %s on %s, '%s', at most %lld elements, %s\n", rank,
            what, triple->ranks, triple->name, triple->grid, triple->distribution,
            (long long)triple->most_elements, random_contraction_describe(&triple->random));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* State for drawing triples; all ranks draw the same ones. */

struct drawing {
    uint64_t state;
    int count;
    struct algorithm algorithm;
};

static bool draw(void *context, const struct algorithm *algorithm) {
    struct drawing *drawing = context;
    if (rng_once_in(&drawing->state, ++drawing->count)) drawing->algorithm = *algorithm;
    return drawing->count < 300;
}

/** Writes a random distribution of some tensors on a grid. */
static void distribute(struct triple *triple, const struct dist_grid *grid, uint64_t *state) {
    const struct tcplan_contraction *contraction = triple->random.contraction;
    struct strbuf out = {0};
    strbuf_add(&out, "%s", "");
    for (int t = 0; t < DIST_TENSORS; t++) {
        uint64_t single = distribution_single_indices(contraction, t), split = 0;
        const char *between = "";
        if (rng_once_in(state, 3) ||
            (t == 1 && strcmp(contraction->tensor[0].name, contraction->tensor[1].name) == 0))
            continue;
        strbuf_add(&out, "%s%s=", out.length > 0 ? " " : "", contraction->tensor[t].name);
        for (int k = 0; k < grid->axes; k++) {
            const int i = rng_below(state, contraction->index_count + 1);
            if (!indexset_has(single, i)) continue;
            strbuf_add(&out, "%s%s:%d", between, contraction->index[i].name, k);
            if (!indexset_has(split, i) && rng_once_in(state, 2)) {
                strbuf_add(&out, "/%d", 1 + rng_below(state, 4)); /* block-cyclic */
                single &= ~indexset_of(i);
            }
            split |= indexset_of(i);
            between = ",";
        }
    }
    snprintf(triple->distribution, TEXT, "%s", out.text);
    strbuf_free(&out);
}

/** Contractions that are products of matrices, and layouts that ScaLAPACK can move. */
static const struct {
    const char *text, *distribution;
} matrices[] = {
    {"C_ab=A_ai*B_ib", "A=a:0/2,i:1/3 B=b:0/2,i:1 C=b:1/4,a:0"},
    {"C_ab=A_ia*B_bi+0.5*C_ab", "A=a:0/3,i:1/2 C=a:0/1,b:1/5"},
    {"C_ba=2*A_ai*B_ib-C_ba", "B=i:0/2,b:1/2"},
    {"C_cab=A_abij*B_ijc", "A=b:1/2,j:0/3 C=b:0/2,c:1"},
    {"C_abc=conj(A)_jia*B_bcji+0.25*C_abc", "A=a:0/1,i:1/2 B=c:0/1,i:1/3"},
};

/** Makes a triple of ScaLAPACK. */
static void make_matrices(struct triple *triple, uint64_t *state) {
    const int number = rng_below(state, (int)(sizeof matrices / sizeof *matrices));
    char sizes[64], *at = sizes;
    const char *between = "";
    for (const char *name = "abcij"; *name; name++) {
        if (!strchr(matrices[number].text, *name)) continue;
        at += snprintf(at, sizeof sizes - (size_t)(at - sizes), "%s%c=%d", between, *name,
                       1 + rng_below(state, 12));
        between = ",";
    }
    random_contraction_given(&triple->random, matrices[number].text, sizes,
                             rng_once_in(state, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR,
                             (enum tcplan_dtype)rng_below(state, TCPLAN_DTYPES));
    int rows = 1 + rng_below(state, triple->ranks);
    while (triple->ranks % rows != 0) rows--;
    triple->algorithm = (struct algorithm){.grid = {2, {rows, triple->ranks / rows}},
                                           .panel_index = -1,
                                           .is_pdgemm = true,
                                           .block = rng_below(state, 6)};
    snprintf(triple->grid, sizeof triple->grid, "%dx%d", rows, triple->ranks / rows);
    if (rng_once_in(state, 2))
        snprintf(triple->distribution, TEXT, "%s", matrices[number].distribution);
    snprintf(triple->name, TEXT, triple->algorithm.block > 0 ? "pdgemm:%s/%d" : "pdgemm:%s",
             triple->grid, (int)triple->algorithm.block);
}

static void make_triple(struct triple *triple, uint64_t seed, int world) {
    struct random_contraction_options options = random_contraction_defaults();
    uint64_t state = seed * 977 + 5;
    options.strides = options.overlaps = options.addends = options.wide_results = false;
    options.max_extent = rng_once_in(&state, 4) ? 3 : 9; /* small extents: often below the extents
                                                            of the process grid */
    *triple = (struct triple){.seed = seed, .ranks = 1 + rng_below(&state, world)};
    if (seed % 8 == 3) {
        make_matrices(triple, &state);
        return;
    }
    random_contraction_init(&triple->random, seed, &options);
    struct drawing drawing = {.state = state, .algorithm = {.panel_index = -1}};
    algorithm_enumerate(&triple->random.problem, triple->ranks, NULL, true, draw, &drawing);
    struct algorithm *algorithm = &drawing.algorithm;
    if (drawing.count == 0) triple->ranks = 1; /* no algorithm: no index can be distributed */
    const uint64_t contracted =
        algorithm_indices(triple->random.contraction) &
        tcplan_contraction_indices(triple->random.contraction, TCPLAN_CONTRACTED);
    struct dist_grid grid = algorithm->grid;
    if (rng_once_in(&state, 2) && contracted) {
        algorithm->panel_index = indexset_first(contracted);
        algorithm->panel = 1 + rng_below(&state, 4);
    } else if (rng_once_in(&state, 2)) {
        if (rng_once_in(&state, 2)) /* the distribution uses another process grid than the algorithm
                                     */
            grid = (struct dist_grid){.axes = triple->ranks > 1, .size = {triple->ranks}};
        distribute(triple, &grid, &state);
    }
    struct strbuf text = {0};
    grid_add_text(&text, &grid);
    snprintf(triple->grid, sizeof triple->grid, "%s", text.text);
    text.length = 0;
    algorithm_add_name(&text, triple->random.contraction, algorithm);
    snprintf(triple->name, TEXT, "%s", text.text);
    strbuf_free(&text);
    triple->algorithm = *algorithm;
    triple->most_elements = rng_once_in(&state, 2) ? 0 : 1 + rng_below(&state, 40);
}

/* Checking triples. */

static void check_bytes(const struct triple *triple, const struct dist_plan *plan, int rank,
                        const struct counted counted[]) {
    struct counted expected[TCPLAN_COLLECTIVES] = {{0}};
    struct traffic_call call[TRAFFIC_MOST_CALLS];
    const int count = traffic_of(call, plan, rank);
    for (int c = 0; c < count; c++) {
        expected[call[c].collective].calls += call[c].calls;
        expected[call[c].collective].sent += call[c].sent;
        expected[call[c].collective].received += call[c].received;
    }
    for (int c = 0; c < TCPLAN_COLLECTIVES; c++) {
        require(counted[c].sent == expected[c].sent, triple, "sent bytes");
        require(counted[c].received == expected[c].received, triple, "received bytes");
        if (triple->most_elements == 0)
            require(counted[c].calls == expected[c].calls, triple, "calls");
        by_collective[c] += counted[c].calls;
    }
}

/** Returns a copy of the block of a tensor that a rank holds. */
static char *block_of(const struct dist_plan *plan, int tensor, int rank, void *whole,
                      struct dist_box *box) {
    struct dist_box outer = {.first = {0}};
    for (int i = 0; i < plan->index_count; i++) outer.length[i] = plan->extent[i];
    *box = dist_box_of(plan, &plan->home[tensor], rank);
    const size_t bytes =
        (size_t)dist_elements(&plan->tensor[tensor], box) * (size_t)plan->element_bytes;
    char *block = malloc(bytes > 0 ? bytes : 1);
    if (!block) abort();
    dist_copy(plan, tensor, whole, &outer, block, box, true);
    return block;
}

static void check_result(const struct triple *triple, const struct dist_plan *plan, int rank,
                         struct tcplan_mpi_plan *mpi) {
    const struct tcplan_problem *problem = &triple->random.problem;
    struct naive_case naive;
    struct tcplan_error error = {0};
    struct dist_box box[DIST_TENSORS], outer = {.first = {0}};
    naive_case_init(&naive, problem, triple->seed);
    naive_case_reset(&naive);
    void *whole[DIST_TENSORS] = {naive.A, naive.B, naive.C};
    char *block[DIST_TENSORS];
    for (int t = 0; t < DIST_TENSORS; t++) block[t] = block_of(plan, t, rank, whole[t], &box[t]);
    struct counted counted[TCPLAN_COLLECTIVES];
    counting_begin();
    const enum tcplan_status status =
        tcplan_mpi_plan_execute(mpi, block[0], block[1], block[2], &error);
    counting_end(counted);
    require(status == TCPLAN_OK, triple, error.message);
    if (!plan->pdgemm.is_used) check_bytes(triple, plan, rank, counted);
    for (int i = 0; i < plan->index_count; i++) outer.length[i] = plan->extent[i];
    memcpy(naive.C, naive.expected, (size_t)problem->elems[TCPLAN_C] * problem->element_bytes);
    dist_copy(plan, DIST_C, naive.C, &outer, block[DIST_C], &box[DIST_C], false);
    require(naive_case_error(&naive) <= 2 * naive_tolerance(problem), triple, "wrong result");
    for (int t = 0; t < DIST_TENSORS; t++) free(block[t]);
    naive_case_free(&naive);
}

/** Executes a triple and checks results and bytes. Returns false if the triple is invalid, because
 * panels do not fit. */
static bool check(const struct triple *triple, MPI_Comm comm) {
    const struct tcplan_problem *problem = &triple->random.problem;
    struct distribution distribution;
    struct dist_grid grid;
    struct dist_plan plan;
    struct tcplan_error error = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    require(grid_parse(&grid, triple->grid, &error) == TCPLAN_OK &&
                distribution_parse(&distribution, problem->contraction, &grid, triple->distribution,
                                   &error) == TCPLAN_OK,
            triple, error.message);
    const enum tcplan_status planned =
        algorithm_plan(&plan, problem, &triple->algorithm, &distribution, &error);
    struct tcplan_mpi_plan *mpi = NULL;
    const struct tcplan_mpi_options options = {.size = sizeof options,
                                               .grid = triple->grid,
                                               .distribute = triple->distribution,
                                               .algorithm = triple->name,
                                               .most_elements = triple->most_elements,
                                               .effort = effort,
                                               .time_limit_seconds =
                                                   effort == TCPLAN_EFFORT_ESTIMATE ? 0 : 0.2};
    char *text = tcplan_contraction_text(problem->contraction);
    const enum tcplan_status status =
        tcplan_mpi_plan_new(&mpi, comm, text, *triple->random.sizes ? triple->random.sizes : NULL,
                            problem->dtype, problem->contraction->order, &options, &error);
    free(text);
    require(status == planned, triple, error.message);
    if (status == TCPLAN_OK) check_result(triple, &plan, rank, mpi);
    scalapack_executed += status == TCPLAN_OK && plan.pdgemm.is_used;
    cyclic_executed += status == TCPLAN_OK && strchr(triple->distribution, '/') != NULL;
    tcplan_mpi_plan_free(mpi);
    return status == TCPLAN_OK;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int triples = argc > 1 ? atoi(argv[1]) : 100;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc > 3 && strcmp(argv[3], "timed") == 0) effort = TCPLAN_EFFORT_QUICK;
    int world, rank, checked = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 0; n < triples; n++) {
        struct triple triple;
        MPI_Comm comm;
        make_triple(&triple, seed + (uint64_t)n, world);
        MPI_Comm_split(MPI_COMM_WORLD, rank < triple.ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm != MPI_COMM_NULL) {
            checked += check(&triple, comm);
            MPI_Comm_free(&comm);
        }
        random_contraction_free(&triple.random);
    }
    if (rank == 0) {
        printf("%d of %d triples executed, %d with block-cyclic layouts, %d by ScaLAPACK;", checked,
               triples, cyclic_executed, scalapack_executed);
        for (int c = 0; c < TCPLAN_COLLECTIVES; c++)
            printf(" %s %lld", tcplan_collective_name((enum tcplan_collective)c),
                   (long long)by_collective[c]);
        printf("\n");
    }
    /* Each collective must have been called at least once. */
    for (int c = 0; c < TCPLAN_COLLECTIVES && rank == 0 && triples >= 100 && world > 2; c++) {
        if (by_collective[c] == 0) MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
