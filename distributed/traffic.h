/** Predicts the bytes of every MPI call of a plan, for each rank, and their lower bounds. */
#ifndef DISTRIBUTED_TRAFFIC_H
#define DISTRIBUTED_TRAFFIC_H

#include "distributed/runtime/shape.h"
#include "tcplan/communication.h"
#include "tcplan/problem.h"

/** What one rank passes to one collective for one tensor; all calls of it together. */
struct traffic_call {
    enum tcplan_collective collective;
    int tensor;             /**< DIST_A, DIST_B or DIST_C */
    int ranks;              /**< that take part */
    unsigned group;         /**< the axes along which they lie; 0: all processes */
    int64_t calls;          /**< of buffers up to the largest count; 0: a rank may make none */
    int64_t sent, received; /**< bytes of its arguments: of an Alltoallv or Allgatherv with its own
                               part, of a Bcast only where it is the root, or not */
    int64_t moved;          /**< bytes that must reach it from other ranks */
};

enum { TRAFFIC_MOST_CALLS = 5 };

/** Predicts the calls of a rank in the order in which they are made; returns their number. */
int traffic_of(struct traffic_call call[TRAFFIC_MOST_CALLS], const struct dist_plan *plan,
               int rank);

/** The bytes that a rank's tensors and buffers take, without the workspace of its local plan. */
int64_t traffic_memory(const struct dist_plan *plan, int rank);

/** Lower bounds of the bytes that some rank sends or receives; 0 if they say nothing. */
struct traffic_bounds {
    double independent; /**< Al Daas, Ballard, Grigori, Kumar, Rouse 2022, theorem 3: one copy of
                           each tensor at the beginning and the end, any memory */
    double dependent;   /**< Irony, Toledo, Tiskin 2004, theorem 3.1, with the memory of a rank */
};

/** Bounds for a contraction without batch and summed indices: a product of two matrices.
 *
 * @param memory_bytes  of each rank; 0: unlimited
 */
struct traffic_bounds traffic_bounds_of(const struct tcplan_problem *problem, int processes,
                                        double memory_bytes);

#endif
