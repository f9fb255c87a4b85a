/** Functions for plans on a communicator: agreement of the ranks, planners. */
#ifndef BINDINGS_MPI_RANKS_H
#define BINDINGS_MPI_RANKS_H

#include <stdbool.h>

#include "tcplan/communication.h"
#include "tcplan/distributed.h"
#include "tcplan/mpi.h"

/** Stores a status and a message, and returns the status. */
enum tcplan_status mpi_fail(struct tcplan_error *error, enum tcplan_status status,
                            const char *message);

/** Broadcasts the error of the first rank that has one; returns its status, or TCPLAN_OK if no rank
 * failed. */
enum tcplan_status mpi_agree(MPI_Comm comm, enum tcplan_status status, struct tcplan_error *error);

/** Lets the other ranks sleep until rank 0 calls this function as well. */
void mpi_wait_for_first(MPI_Comm comm);

/** Returns TCPLAN_INVALID on all ranks if they pass different arguments. Texts may be NULL. */
enum tcplan_status mpi_check_same(MPI_Comm comm, const char *notation, const char *sizes,
                                  const char *path, enum tcplan_dtype dtype,
                                  enum tcplan_order order, const struct tcplan_mpi_options *options,
                                  struct tcplan_error *error);

/** Returns the status of an execution: 0, ENOMEM or the status of a local product. `error` may be
 * NULL. */
enum tcplan_status mpi_executed(int status, struct tcplan_error *error);

/** Planners for local products. Zero-initialise before use. */
struct mpi_planners {
    struct tcplan_planner *estimating;
    struct tcplan_planner *timing; /**< planner that times; NULL: nothing is timed */
    double end;                    /**< MPI_Wtime() at which timing must end; 0: no limit */
};

enum tcplan_status mpi_planners_make(struct mpi_planners *out,
                                     const struct tcplan_mpi_options *options,
                                     struct tcplan_error *error);

void mpi_planners_free(struct mpi_planners *planners);

/** Returns the options of planning for all ranks of a communicator, without timing and without a
 * model of MPI's calls. Texts are borrowed. */
struct tcplan_distributed_options mpi_distributed_options(const struct mpi_planners *planners,
                                                          MPI_Comm comm,
                                                          const struct tcplan_mpi_options *options);

/** Reads the model of MPI's calls; *out becomes NULL if the store has none, or if it cannot be
 * read. */
enum tcplan_status mpi_read_communication(struct tcplan_communication **out,
                                          const struct tcplan_mpi_options *options,
                                          struct tcplan_error *error);

#endif
