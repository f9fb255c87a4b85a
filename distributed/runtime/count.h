/**
 * Counts the bytes that this rank passes to collectives, and in messages, using MPI's profiling
 * interface. A program must include this header in exactly one file, because it defines the
 * functions that replace MPI's.
 */
#ifndef DISTRIBUTED_RUNTIME_COUNT_H
#define DISTRIBUTED_RUNTIME_COUNT_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Collectives, numbered as in enum tcplan_collective. */
enum {
    DIST_ALLGATHERV,
    DIST_ALLTOALLV,
    DIST_REDUCE_SCATTER,
    DIST_ALLREDUCE,
    DIST_BCAST,
    DIST_COLLECTIVES,
    DIST_MESSAGES = DIST_COLLECTIVES, /**< messages of ScaLAPACK */
    DIST_COUNTS
};

/** The number of calls of a collective, and the bytes of their arguments. */
struct dist_counted {
    int64_t calls, sent, received;
};

static struct dist_counted dist_counts[DIST_COUNTS];
static bool dist_is_counting;

static void dist_count_begin(void) {
    memset(dist_counts, 0, sizeof dist_counts);
    dist_is_counting = true;
}

static void dist_count_end(struct dist_counted out[DIST_COUNTS]) {
    dist_is_counting = false;
    memcpy(out, dist_counts, sizeof dist_counts);
}

/** Counts a call that passes `sent` and `received` elements. */
static void dist_count(int collective, MPI_Datatype type, int64_t sent, int64_t received) {
    int bytes;
    if (!dist_is_counting) return;
    PMPI_Type_size(type, &bytes);
    dist_counts[collective].calls++;
    dist_counts[collective].sent += sent * bytes;
    dist_counts[collective].received += received * bytes;
}

static int64_t dist_sum_of(const int counts[], MPI_Comm comm) {
    int ranks;
    int64_t total = 0;
    PMPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++) total += counts[r];
    return total;
}

int MPI_Allgatherv(const void *from, int sent, MPI_Datatype type, void *to, const int received[],
                   const int displacements[], MPI_Datatype received_type, MPI_Comm comm) {
    dist_count(DIST_ALLGATHERV, type, sent, dist_sum_of(received, comm));
    return PMPI_Allgatherv(from, sent, type, to, received, displacements, received_type, comm);
}

int MPI_Alltoallv(const void *from, const int sent[], const int sent_displacements[],
                  MPI_Datatype type, void *to, const int received[], const int displacements[],
                  MPI_Datatype received_type, MPI_Comm comm) {
    dist_count(DIST_ALLTOALLV, type, dist_sum_of(sent, comm), dist_sum_of(received, comm));
    return PMPI_Alltoallv(from, sent, sent_displacements, type, to, received, displacements,
                          received_type, comm);
}

int MPI_Reduce_scatter(const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    dist_count(DIST_REDUCE_SCATTER, type, dist_sum_of(counts, comm), counts[rank]);
    return PMPI_Reduce_scatter(from, to, counts, type, op, comm);
}

int MPI_Allreduce(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    dist_count(DIST_ALLREDUCE, type, elements, elements);
    return PMPI_Allreduce(from, to, elements, type, op, comm);
}

int MPI_Bcast(void *buffer, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    dist_count(DIST_BCAST, type, rank == root ? elements : 0, rank == root ? 0 : elements);
    return PMPI_Bcast(buffer, elements, type, root, comm);
}

int MPI_Send(const void *from, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    dist_count(DIST_MESSAGES, type, elements, 0);
    return PMPI_Send(from, elements, type, to, tag, comm);
}

int MPI_Rsend(const void *from, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
    dist_count(DIST_MESSAGES, type, elements, 0);
    return PMPI_Rsend(from, elements, type, to, tag, comm);
}

int MPI_Isend(const void *from, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request) {
    dist_count(DIST_MESSAGES, type, elements, 0);
    return PMPI_Isend(from, elements, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *from, int sent, MPI_Datatype type, int to, int tag, void *into,
                 int received, MPI_Datatype received_type, int source, int received_tag,
                 MPI_Comm comm, MPI_Status *status) {
    dist_count(DIST_MESSAGES, type, sent, 0);
    return PMPI_Sendrecv(from, sent, type, to, tag, into, received, received_type, source,
                         received_tag, comm, status);
}

#endif
