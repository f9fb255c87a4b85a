/* A PMPI layer that counts the bytes that this rank passes to collectives. */
#include "mpi/counting.h"

#include <string.h>

static struct counted now[TCPLAN_COLLECTIVES];
static bool is_on;

void counting_begin(void) {
    memset(now, 0, sizeof now);
    is_on = true;
}

void counting_end(struct counted out[TCPLAN_COLLECTIVES]) {
    is_on = false;
    memcpy(out, now, sizeof now);
}

/** Adds a call of `sent` and `received` elements. */
static void count(enum tcplan_collective collective, MPI_Datatype type, int64_t sent,
                  int64_t received) {
    int bytes;
    if (!is_on) return;
    PMPI_Type_size(type, &bytes);
    now[collective].calls++;
    now[collective].sent += sent * bytes;
    now[collective].received += received * bytes;
}

static int64_t sum(const int counts[], MPI_Comm comm) {
    int ranks;
    int64_t total = 0;
    PMPI_Comm_size(comm, &ranks);
    for (int r = 0; r < ranks; r++) total += counts[r];
    return total;
}

int MPI_Allgatherv(const void *from, int sent, MPI_Datatype type, void *to, const int received[],
                   const int displacements[], MPI_Datatype received_type, MPI_Comm comm) {
    count(TCPLAN_ALLGATHERV, type, sent, sum(received, comm));
    return PMPI_Allgatherv(from, sent, type, to, received, displacements, received_type, comm);
}

int MPI_Alltoallv(const void *from, const int sent[], const int sent_displacements[],
                  MPI_Datatype type, void *to, const int received[], const int displacements[],
                  MPI_Datatype received_type, MPI_Comm comm) {
    count(TCPLAN_ALLTOALLV, type, sum(sent, comm), sum(received, comm));
    return PMPI_Alltoallv(from, sent, sent_displacements, type, to, received, displacements,
                          received_type, comm);
}

int MPI_Reduce_scatter(const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    count(TCPLAN_REDUCE_SCATTER, type, sum(counts, comm), counts[rank]);
    return PMPI_Reduce_scatter(from, to, counts, type, op, comm);
}

int MPI_Allreduce(const void *from, void *to, int elements, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
    count(TCPLAN_ALLREDUCE, type, elements, elements);
    return PMPI_Allreduce(from, to, elements, type, op, comm);
}

int MPI_Bcast(void *buffer, int elements, MPI_Datatype type, int root, MPI_Comm comm) {
    int rank;
    PMPI_Comm_rank(comm, &rank);
    count(TCPLAN_BCAST, type, rank == root ? elements : 0, rank == root ? 0 : elements);
    return PMPI_Bcast(buffer, elements, type, root, comm);
}
