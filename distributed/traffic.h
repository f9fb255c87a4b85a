/** Predicts the bytes of every MPI call of a plan, for each rank, and lower bounds of these bytes.
 */
#ifndef DISTRIBUTED_TRAFFIC_H
#define DISTRIBUTED_TRAFFIC_H

#include "distributed/runtime/shape.h"
#include "tcplan/communication.h"
#include "tcplan/problem.h"

/** The data that one rank sends and receives for one tensor with one collective, summed over all
 * calls. */
struct traffic_call {
    enum tcplan_collective collective;
    int tensor; /**< DIST_A, DIST_B or DIST_C; -1: the calls in which the ranks agree on success */
    int ranks;  /**< number of ranks that take part */
    unsigned group; /**< axes of the grid along which the ranks of the call lie; 0: all ranks take
                       part */
    int64_t calls; /**< number of calls if no buffer exceeds the largest count: the number of panels
                      for a Bcast, 2 for the agreement on success, otherwise 1 */
    int64_t sent, received; /**< bytes of the arguments. An Alltoallv or Allgatherv includes the
                               rank's own part. A Bcast counts as sent on the root, otherwise as
                               received. For ScaLAPACK, the bytes are estimates */
    int64_t moved;          /**< bytes that other ranks must send to this one */
};

enum { TRAFFIC_MOST_CALLS = 5 };

/** Predicts the collectives of a rank, in the order of their execution; returns their number. */
int traffic_of(struct traffic_call call[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
               int rank);

/** Returns the bytes of a rank's tensors and buffers, without the workspace of its local product.
 */
int64_t traffic_memory(const struct dist_plan *plan, int rank);

/** Lower bounds of the bytes that at least one rank sends or receives; 0 if a bound is not positive
 * or does not apply. */
struct traffic_bounds {
    double independent; /**< bound of Al Daas, Ballard, Grigori, Kumar, Rouse 2022, theorem 3, for
                           any memory size; assumes one copy of each tensor at the beginning and at
                           the end */
    double dependent; /**< bound of Irony, Toledo, Tiskin 2004, theorem 3.1, for the given memory of
                         a rank */
};

/**
 * Returns lower bounds for a contraction that is a product of two matrices; the bounds are 0 if it
 * has batch indices, or indices that are summed over in A or B alone.
 *
 * @param memory_bytes  memory of each rank; 0: unlimited
 */
struct traffic_bounds traffic_bounds_of(const struct tcplan_problem *problem, int processes,
                                        double memory_bytes);

#endif
