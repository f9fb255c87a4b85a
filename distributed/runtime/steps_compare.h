/**
 * Checks, counts and times several algorithms of an expression, for `tcplan measure`. It prints the
 * lines that compare.h prints for a contraction.
 */
#ifndef DISTRIBUTED_RUNTIME_STEPS_COMPARE_H
#define DISTRIBUTED_RUNTIME_STEPS_COMPARE_H

#include "distributed/runtime/count.h"
#include "distributed/runtime/steps_check.h"

/** Runs an algorithm; returns the seconds of the slowest rank, or -1 on all ranks if one fails. */
static double dist_steps_timed(const struct dist_steps_checked *checked, void *const block[],
                               MPI_Comm comm) {
    MPI_Barrier(comm);
    const double begin = MPI_Wtime();
    const int status =
        checked->function(comm, (const void *const *)block, block[checked->steps->inputs]);
    double seconds = MPI_Wtime() - begin;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
    return status == 0 ? seconds : -1;
}

/** Runs an algorithm for the first time. Checks its result, prints the bytes that it passes to MPI,
 * and returns whether the result is correct. */
static bool dist_steps_checks(const struct dist_steps_checked *checked, int number,
                              void *const block[], MPI_Comm comm) {
    static const char *const names[DIST_COUNTS] = {"MPI_Allgatherv",     "MPI_Alltoallv",
                                                   "MPI_Reduce_scatter", "MPI_Allreduce",
                                                   "MPI_Bcast",          "messages"};
    struct dist_counted counted[DIST_COUNTS];
    int rank;
    MPI_Comm_rank(comm, &rank);
    dist_count_begin();
    const double seconds = dist_steps_timed(checked, block, comm);
    dist_count_end(counted);
    double error =
        seconds < 0 ? 0 : dist_steps_error(checked, rank, block[checked->steps->inputs], 50);
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

static void dist_steps_release(void **blocks, int count) {
    for (int b = 0; b < count; b++) free(blocks[b]);
    free(blocks);
}

/** Allocates and fills the blocks of all algorithms, `tensors` for each; returns NULL on all ranks
 * if one rank lacks memory. */
static void **dist_steps_fill(const struct dist_steps_checked *const checked[], int count,
                              int tensors, MPI_Comm comm) {
    void **blocks = calloc((size_t)(count * tensors), sizeof *blocks);
    int rank, ready = blocks != NULL;
    MPI_Comm_rank(comm, &rank);
    for (int b = 0; b < count * tensors && ready; b++) {
        blocks[b] = dist_steps_filled(checked[b / tensors]->steps, b % tensors, rank);
        ready = blocks[b] != NULL;
    }
    PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, comm);
    if (ready) return blocks;
    if (blocks) dist_steps_release(blocks, count * tensors);
    if (rank == 0) fprintf(stderr, "a rank ran out of memory\n");
    return NULL;
}

/** Compares algorithms for about `seconds`, in 3 to 50 rounds; returns the exit status of the
 * program. */
static inline int dist_steps_compare(const struct dist_steps_checked *const checked[], int count,
                                     double seconds, MPI_Comm comm) {
    const int tensors = checked[0]->steps->inputs + 1;
    void **blocks = dist_steps_fill(checked, count, tensors, comm);
    int rank, goes_on = 1;
    bool passed = true;
    if (!blocks) return 1;
    MPI_Comm_rank(comm, &rank);
    for (int a = 0; a < count; a++)
        passed = dist_steps_checks(checked[a], a, &blocks[a * tensors], comm) && passed;
    const double begin = MPI_Wtime();
    for (int round = 0; round < 50 && passed && goes_on; round++) {
        for (int a = 0; a < count; a++) {
            dist_steps_timed(checked[a], &blocks[a * tensors], comm); /* as in dist_compare() */
            const double time = dist_steps_timed(checked[a], &blocks[a * tensors], comm);
            if (rank == 0) printf("seconds %d %.6g\n", a, time);
        }
        goes_on = round < 2 || MPI_Wtime() - begin < seconds;
        PMPI_Bcast(&goes_on, 1, MPI_INT, 0, comm);
    }
    dist_steps_release(blocks, count * tensors);
    return !passed;
}

#endif
