/** Plans of the local products of a distributed contraction. */
#ifndef BINDINGS_MPI_LOCALS_H
#define BINDINGS_MPI_LOCALS_H

#include "bindings/mpi/ranks.h"
#include "distributed/runtime/shape.h"
#include "tcplan/distributed.h"

enum { MPI_LOCALS_STARTS = DIST_CONTINUES + 1 };

/** The local products of a rank. Zero-initialise before use. */
struct mpi_locals {
    const struct tcplan_distributed *distributed;
    const struct dist_plan *of;
    const struct mpi_planners *planners;
    MPI_Comm comm;
    int rank;
    struct local *first;
    char *timed[MPI_LOCALS_STARTS]; /**< for each start, rank 0's local algorithm; NULL: none */
};

/** Sets the contraction whose local products are planned. The arguments must stay valid. */
void mpi_locals_begin(struct mpi_locals *locals, const struct tcplan_distributed *distributed,
                      const struct mpi_planners *planners, MPI_Comm comm);

/** Plans the local products of all ranks. Returns the same status on all of them. */
enum tcplan_status mpi_locals_make(struct mpi_locals *locals, struct tcplan_error *error);

/** Multiplies blocks; a dist_local (distributed/runtime/shape.h). `context` is a struct
 * mpi_locals. */
int mpi_locals_multiply(void *context, const int64_t length[], enum dist_start start, const void *A,
                        const void *B, void *C);

void mpi_locals_free(struct mpi_locals *locals);

#endif
