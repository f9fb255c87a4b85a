/*
 * Random expressions of three to five tensors on communicators of 1 to all ranks: results equal
 * those of naive loops, every rank passes the predicted bytes to every collective, and all ranks
 * return the same errors.
 *
 * usage: mpirun -n N test_mpi_expressions [EXPRESSIONS [SEED]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "distributed/network.h"
#include "distributed/runtime/steps_check.h"
#include "distributed/traffic.h"
#include "mpi/counting.h"
#include "support/rng.h"
#include "tcplan/mpi.h"

enum { MOST_FACTORS = 5, LETTERS = 7, TEXT = 256 };

/** A random expression with its sizes, options and number of ranks. */
struct drawn {
    char notation[TEXT], sizes[TEXT], grid[32], distribute[TEXT], algorithm[64];
    int ranks;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    struct tcplan_mpi_options options;
};

static int64_t exchanged, reduced, gathered; /* calls in all expressions */
static int sliced;                           /* expressions executed in slices */

static void require(bool holds, const struct drawn *drawn, const char *what) {
    int rank;
    if (holds) return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr,
            "rank %d: %s: %d ranks, %s %s, type %d, order %d, grid %s, '%s', '%s', memory %lld\n",
            rank, what, drawn->ranks, drawn->notation, drawn->sizes, (int)drawn->dtype,
            (int)drawn->order, drawn->grid, drawn->distribute, drawn->algorithm,
            (long long)drawn->options.max_memory_bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/** Draws slices along one or two of the used letters, whose extents may be smaller than the grid.
 */
static void draw_slices(struct drawn *out, uint64_t *state, const bool used[LETTERS]) {
    int first = rng_below(state, LETTERS), second = rng_below(state, LETTERS);
    while (!used[first]) first = (first + 1) % LETTERS;
    while (!used[second]) second = (second + 1) % LETTERS;
    if (out->ranks % 2 == 0 && second != first && rng_once_in(state, 2)) {
        sprintf(out->algorithm, "slices:2x%d:%c,%c", out->ranks / 2, 'a' + first, 'a' + second);
    } else {
        sprintf(out->algorithm, "slices:%d:%c", out->ranks, 'a' + first);
    }
    out->options.algorithm = out->algorithm;
}

/** Draws an expression: factors with one to three of seven letters, each letter at most once in a
 * factor; the result has some of the letters. */
static void draw(struct drawn *out, uint64_t seed, int world) {
    uint64_t state = seed * 7919 + 3;
    char factor[MOST_FACTORS][8], result[8] = "", *at = out->notation;
    const int factors = 3 + rng_below(&state, MOST_FACTORS - 2);
    bool used[LETTERS] = {false};
    memset(out, 0, sizeof *out);
    out->ranks = 1 + rng_below(&state, world);
    out->dtype = (enum tcplan_dtype)rng_below(&state, TCPLAN_DTYPES);
    out->order = rng_once_in(&state, 2) ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
    for (int f = 0; f < factors; f++) {
        const int rank = 1 + rng_below(&state, 3);
        int count = 0;
        while (count < rank) {
            const char letter = (char)('a' + rng_below(&state, LETTERS));
            factor[f][count] = '\0';
            if (strchr(factor[f], letter)) continue;
            factor[f][count++] = letter;
            factor[f][count] = '\0';
        }
    }
    /* The first tensor may occur twice, with the same letters. */
    const bool repeats = rng_once_in(&state, 4);
    if (repeats) strcpy(factor[factors - 1], factor[0]);
    for (int f = 0; f < factors; f++) {
        for (const char *letter = factor[f]; *letter; letter++) used[*letter - 'a'] = true;
    }
    for (int i = 0; i < LETTERS; i++) {
        const int last = (int)strlen(result);
        if (used[i] && rng_once_in(&state, 2) && last < 4) result[last] = (char)('a' + i);
    }
    const bool adds = rng_once_in(&state, 3);
    at += sprintf(at, *result ? "Z_%s=" : "Z=", result);
    for (int f = 0; f < factors; f++) {
        const bool again = repeats && f == factors - 1;
        const bool conjugated = rng_once_in(&state, 5);
        at += sprintf(at, conjugated ? "%sconj(%c)_%s" : "%s%c_%s", f > 0 ? "*" : "",
                      again ? 'A' : 'A' + f, factor[f]);
    }
    if (adds) sprintf(at, *result ? "+0.5*Z_%s" : "+0.5*Z", result);
    at = out->sizes;
    for (int i = 0; i < LETTERS; i++) {
        if (used[i])
            at += sprintf(at, "%s%c=%d", at > out->sizes ? "," : "", 'a' + i,
                          1 + rng_below(&state, 7));
    }
    out->options.size = sizeof out->options;
    if (rng_once_in(&state, 3)) out->options.most_elements = 1 + rng_below(&state, 30);
    if (out->ranks > 1 && rng_once_in(&state, 3)) draw_slices(out, &state, used);
    if (out->ranks == 1 || !rng_once_in(&state, 3)) return;
    sprintf(out->grid, "%d", out->ranks);
    if (rng_once_in(&state, 2)) sprintf(out->distribute, "B=%c:0", *factor[1]);
    if (rng_once_in(&state, 2) && *result)
        sprintf(out->distribute + strlen(out->distribute), " Z=%c:0/2", *result);
    out->options.grid = out->grid;
    out->options.distribute = *out->distribute ? out->distribute : NULL;
}

/** Compares the counted bytes with the predicted ones. */
static void check_bytes(const struct drawn *drawn, const struct tcplan_distributed_network *network,
                        int rank, const struct counted counted[]) {
    const int steps = tcplan_distributed_network_step_count(network, 0);
    struct tcplan_distributed_call call[TCPLAN_DISTRIBUTED_MOST_CALLS * MOST_FACTORS];
    const int count = tcplan_distributed_network_calls(call, network, 0, rank);
    require(count <= TCPLAN_DISTRIBUTED_MOST_CALLS * steps, drawn, "too many calls");
    for (int c = 0; c < TCPLAN_COLLECTIVES; c++) {
        struct counted expected = {0};
        for (int k = 0; k < count; k++) {
            if (strcmp(call[k].collective, tcplan_collective_name((enum tcplan_collective)c)) != 0)
                continue;
            expected.calls += call[k].calls;
            expected.sent += call[k].sent;
            expected.received += call[k].received;
        }
        require(counted[c].sent == expected.sent, drawn, "sent bytes");
        require(counted[c].received == expected.received, drawn, "received bytes");
        if (drawn->options.most_elements == 0)
            require(counted[c].calls == expected.calls, drawn, "calls");
    }
    exchanged += counted[TCPLAN_ALLTOALLV].calls;
    gathered += counted[TCPLAN_ALLGATHERV].calls;
    reduced += counted[TCPLAN_REDUCE_SCATTER].calls;
}

/** Makes the description that the check of emitted programs uses. */
static void describe(struct dist_steps_checked *out, struct dist_factor factor[],
                     int dims[][TCPLAN_MAX_RANK], const struct tcplan_distributed_network *network,
                     const struct dist_steps *steps) {
    const struct tcplan_network *of = network->expression.network;
    for (int f = 0; f <= of->operand_count; f++) {
        const struct tcplan_network_operand *operand =
            f < of->operand_count ? &of->operand[f] : &of->result;
        for (int d = 0; d < operand->rank; d++)
            dims[f][d] = operand->dims[of->order == TCPLAN_ROW_MAJOR ? operand->rank - 1 - d : d];
        factor[f] = (struct dist_factor){.tensor = f < of->operand_count ? operand->tensor
                                                                         : of->tensor_count,
                                         .rank = operand->rank,
                                         .conjugated = f < of->operand_count && operand->conjugated,
                                         .dims = dims[f]};
    }
    *out = (struct dist_steps_checked){.steps = steps,
                                       .index_count = of->index_count,
                                       .factor_count = of->operand_count,
                                       .extent = network->expression.extent,
                                       .factor = factor,
                                       .alpha = {of->term[0].factor.re, of->term[0].factor.im}};
}

static void check_result(const struct drawn *drawn,
                         const struct tcplan_distributed_network *network,
                         struct tcplan_mpi_network_plan *plan, int rank) {
    const int inputs = tcplan_mpi_network_plan_inputs(plan);
    struct dist_step step[MOST_FACTORS];
    struct dist_steps steps = {
        .inputs = inputs, .count = tcplan_distributed_network_step_count(network, 0), .step = step};
    struct dist_steps_checked checked;
    struct dist_factor factor[MOST_FACTORS + 1];
    int dims[MOST_FACTORS + 1][TCPLAN_MAX_RANK];
    for (int s = 0; s < steps.count; s++)
        step[s].plan = tcplan_distributed_plan(
            tcplan_distributed_network_step(network, 0, s, step[s].operand));
    describe(&checked, factor, dims, network, &steps);
    for (int run = 0; run < 2; run++) { /* the second execution finds its buffers */
        void *block[MOST_FACTORS + 1];
        struct counted counted[TCPLAN_COLLECTIVES];
        struct tcplan_error error = {0};
        for (int t = 0; t <= inputs; t++) {
            block[t] = dist_steps_filled(&steps, t, rank);
            require(block[t] != NULL, drawn, "out of memory");
        }
        counting_begin();
        const enum tcplan_status status = tcplan_mpi_network_plan_execute(
            plan, (const void *const *)block, block[inputs], &error);
        counting_end(counted);
        require(status == TCPLAN_OK, drawn, error.message);
        check_bytes(drawn, network, rank, counted);
        require(dist_steps_error(&checked, rank, block[inputs], 1 << 20) <= 1, drawn,
                "wrong result");
        for (int t = 0; t <= inputs; t++) free(block[t]);
    }
}

/** Executes an expression. Returns whether it was planned. */
static bool check(const struct drawn *drawn, MPI_Comm comm) {
    struct tcplan_network_texts texts = {
        .notation = drawn->notation, .sizes = drawn->sizes, .order = drawn->order};
    struct tcplan_mpi_network_plan *plan = NULL;
    struct tcplan_distributed_network *network = NULL;
    struct tcplan_error error = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    const enum tcplan_status status =
        tcplan_mpi_network_plan_new(&plan, comm, &texts, drawn->dtype, &drawn->options, &error);
    int least = (int)status, most = (int)status;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    require(least == most, drawn, "ranks return different statuses");
    if (status != TCPLAN_OK) {
        require(status == TCPLAN_NOT_APPLICABLE, drawn, error.message);
        return false;
    }
    const struct tcplan_distributed_options options = {.processes = drawn->ranks,
                                                       .grid = drawn->options.grid,
                                                       .distribute = drawn->options.distribute,
                                                       .algorithm =
                                                           tcplan_mpi_network_plan_algorithm(plan)};
    texts.path = tcplan_mpi_network_plan_order(plan);
    require(tcplan_distributed_network_new(&network, &texts, drawn->dtype, &options, NULL,
                                           &error) == TCPLAN_OK,
            drawn, error.message);
    check_result(drawn, network, plan, rank);
    sliced += strncmp(tcplan_mpi_network_plan_algorithm(plan), "slices", 6) == 0;
    tcplan_distributed_network_free(network);
    tcplan_mpi_network_plan_free(plan);
    return true;
}

/** Errors that only one rank has are returned by all ranks. */
static void check_errors(void) {
    struct tcplan_network_texts texts = {.notation = "Z_ad=A_ab*B_bc*C_cd", .sizes = "a=b=c=d=6"};
    const struct drawn none = {.notation = "errors"};
    struct tcplan_mpi_network_plan *plan = NULL;
    struct tcplan_error error = {0};
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == ranks - 1) texts.sizes = "a=b=c=d=7";
    enum tcplan_status status =
        tcplan_mpi_network_plan_new(&plan, MPI_COMM_WORLD, &texts, TCPLAN_DOUBLE, NULL, &error);
    require(ranks == 1 || (status == TCPLAN_INVALID &&
                           strcmp(error.message, "the ranks pass different arguments") == 0),
            &none, error.message);
    if (status == TCPLAN_OK) tcplan_mpi_network_plan_free(plan);
    texts.notation = "Z_ad=A_ab*B_bc*C_cd+A_ab*B_bd";
    texts.sizes = "a=b=c=d=6";
    status =
        tcplan_mpi_network_plan_new(&plan, MPI_COMM_WORLD, &texts, TCPLAN_DOUBLE, NULL, &error);
    require(status == TCPLAN_NOT_APPLICABLE && strstr(error.message, "sums of terms"), &none,
            error.message);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const int expressions = argc > 1 ? atoi(argv[1]) : 40;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int world, rank, checked = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_errors();
    for (int n = 0; n < expressions; n++) {
        struct drawn drawn;
        MPI_Comm comm;
        draw(&drawn, seed + (uint64_t)n, world);
        MPI_Comm_split(MPI_COMM_WORLD, rank < drawn.ranks ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL) continue;
        checked += check(&drawn, comm);
        MPI_Comm_free(&comm);
    }
    if (rank == 0) {
        printf("%d of %d expressions executed; calls of MPI_Alltoallv %lld, MPI_Allgatherv %lld, "
               "MPI_Reduce_scatter %lld; %d in slices\n",
               checked, expressions, (long long)exchanged, (long long)gathered, (long long)reduced,
               sliced);
        /* Intermediates are moved, operands gathered and results reduced at least once. */
        if (world > 2 && expressions >= 40 &&
            (checked < expressions / 2 || exchanged == 0 || gathered == 0 || reduced == 0 ||
             sliced == 0))
            MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return 0;
}
