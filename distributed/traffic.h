/** Predicts the bytes of every MPI call of a plan, for each rank, and their lower bounds. */
#ifndef DISTRIBUTED_TRAFFIC_H
#define DISTRIBUTED_TRAFFIC_H

#include "distributed/runtime/shape.h"
#include "tcplan/communication.h"
#include "tcplan/problem.h"

/** What one rank sends and receives for one tensor with one collective, in all its calls. */
struct traffic_call {
    enum tcplan_collective collective;
    int tensor; /**< DIST_A, DIST_B or DIST_C; -1: the calls in which the ranks agree on success */
    int ranks;  /**< number of ranks that take part */
    unsigned group; /**< the axes of the grid along which they lie; 0: all ranks take part */
    int64_t calls;  /**< number of calls, if no buffer exceeds the largest count: that of the panels
                       for a Bcast, 2 for the agreement, else 1 */
    int64_t sent, received; /**< bytes of the arguments. Those of an Alltoallv or Allgatherv include
                               the rank's own part. Broadcasts count as sent where the rank is the
                               root, else as received */
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
    double independent; /**< Al Daas, Ballard, Grigori, Kumar, Rouse 2022, theorem 3: one copy of
                           each tensor at the beginning and the end, any memory */
    double dependent;   /**< Irony, Toledo, Tiskin 2004, theorem 3.1, with the memory of a rank */
};

/**
 * Returns lower bounds for a contraction that is a product of two matrices; bounds of 0 if it has
 * batch indices, or indices of A or B alone that are summed over.
 *
 * @param memory_bytes  memory of each rank; 0: unlimited
 */
struct traffic_bounds traffic_bounds_of(const struct tcplan_problem *problem, int processes,
                                        double memory_bytes);

#endif
