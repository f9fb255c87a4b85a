/**
 * Checks, counts and times several algorithms of a contraction, for `tcplan measure`.
 *
 * For each algorithm, rank 0 prints whether its result is correct, its own MPI calls with the bytes
 * they pass, and the seconds of each round. Each round runs every algorithm twice, so that other
 * load on the machine affects all algorithms alike, and prints the seconds of the second run:
 * predictions are those of repeated executions.
 */
#ifndef DISTRIBUTED_RUNTIME_COMPARE_H
#define DISTRIBUTED_RUNTIME_COMPARE_H

#include "distributed/runtime/check.h"
#include "distributed/runtime/count.h"

/** The tensor blocks of an algorithm on this rank. */
struct dist_blocks {
    void *block[DIST_TENSORS];
};

/** Runs an algorithm; returns the seconds of the slowest rank, or -1 on all ranks if one fails. */
static double dist_timed(const struct dist_checked *checked, struct dist_blocks *blocks,
                         MPI_Comm comm) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    const int status = checked->function(comm, blocks->block[DIST_A], blocks->block[DIST_B],
                                         blocks->block[DIST_C]);
    double seconds = MPI_Wtime() - begin;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return status == 0 ? seconds : -1;
}

/** Runs an algorithm for the first time. Checks its result, prints the bytes that it passes to MPI,
 * and returns whether the result is correct. */
static bool dist_checks(const struct dist_checked *checked, int number, struct dist_blocks *blocks,
                        MPI_Comm comm) {
    static const char *const names[DIST_COUNTS] = {"MPI_Allgatherv",     "MPI_Alltoallv",
                                                   "MPI_Reduce_scatter", "MPI_Allreduce",
                                                   "MPI_Bcast",          "messages"};
    struct dist_counted counted[DIST_COUNTS];
    int rank;
    MPI_Comm_rank(comm, &rank);
    dist_count_begin();
    const double seconds = dist_timed(checked, blocks, comm);
    dist_count_end(counted);
    double error = seconds < 0 ? 0 : dist_error(checked, rank, blocks->block[DIST_C], 200);
    PMPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, comm);
    const bool passed = seconds >= 0 && error <= 1;
    if (rank == 0) {
        printf("result %d %s\n", number, seconds < 0 ? "memory" : passed ? "passed" : "wrong");
        for (int c = 0; c < DIST_COUNTS; c++) {
            if (counted[c].calls > 0)
                printf("bytes %d %s %lld %lld\n", number, names[c], (long long)counted[c].sent,
                       (long long)counted[c].received);
        }
    }
    return passed;
}

static void dist_release(struct dist_blocks blocks[], int count) {
    for (int a = 0; a < count; a++) {
        for (int t = 0; t < DIST_TENSORS; t++) free(blocks[a].block[t]);
    }
    free(blocks);
}

/** Allocates and fills the blocks of all algorithms; returns NULL on all ranks if one rank lacks
 * memory. */
static struct dist_blocks *dist_fill(const struct dist_checked checked[], int count,
                                     MPI_Comm comm) {
    struct dist_blocks *blocks = calloc((size_t)count, sizeof *blocks);
    int rank, ready = blocks != NULL;
    MPI_Comm_rank(comm, &rank);
    for (int a = 0; a < count && ready; a++) {
        for (int t = 0; t < DIST_TENSORS && ready; t++) {
            blocks[a].block[t] = dist_filled(checked[a].plan, t, t, rank);
            ready = blocks[a].block[t] != NULL;
        }
    }
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
    if (ready) return blocks;
    if (blocks) dist_release(blocks, count);
    if (rank == 0) fprintf(stderr, "a rank ran out of memory\n");
    return NULL;
}

/** Compares algorithms for about `seconds`, in 3 to 50 rounds; returns the exit status of the
 * program. */
static inline int dist_compare(const struct dist_checked checked[], int count, double seconds,
                               MPI_Comm comm) {
    struct dist_blocks *blocks = dist_fill(checked, count, comm);
    int rank, goes_on = 1;
    bool passed = true;
    if (!blocks) return 1;
    MPI_Comm_rank(comm, &rank);
    for (int a = 0; a < count; a++)
        passed = dist_checks(&checked[a], a, &blocks[a], comm) && passed;
    const double begin = MPI_Wtime();
    for (int round = 0; round < 50 && passed && goes_on; round++) {
        for (int a = 0; a < count; a++) {
            dist_timed(&checked[a], &blocks[a], comm);
            const double time = dist_timed(&checked[a], &blocks[a], comm);
            if (rank == 0) printf("seconds %d %.6g\n", a, time);
        }
        goes_on = round < 2 || MPI_Wtime() - begin < seconds;
        PMPI_Bcast(&goes_on, 1, MPI_INT, 0, comm);
    }
    dist_release(blocks, count);
    return !passed;
}

#endif
