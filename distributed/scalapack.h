/** The algorithms `pdgemm:2x2/128`: ScaLAPACK multiplies matrices on a grid of 2 x 2 processes, in
 * blocks of 128 rows and columns. */
#ifndef DISTRIBUTED_SCALAPACK_H
#define DISTRIBUTED_SCALAPACK_H

#include "distributed/algorithm.h"

/** Length of the panels that pdgemm multiplies at once, in elements of the contracted indices
 * (PILAENV of ScaLAPACK 2.2). */
enum { SCALAPACK_PANEL = 32 };

/** Returns whether this build has ScaLAPACK. */
bool scalapack_is_built(void);

/** Returns the linker option for ScaLAPACK; an empty string in builds without ScaLAPACK. */
const char *scalapack_link(void);

/**
 * Completes a plan whose tensors and extents are set: layouts, moves and the operations of pdgemm.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE: no ScaLAPACK in this build, a contraction that is not a
 *     product of the stored matrices, a prescribed layout that ScaLAPACK does not support, or
 *     extents beyond its 32-bit descriptors
 */
enum tcplan_status scalapack_plan(struct dist_plan *plan, const struct tcplan_problem *problem,
                                  const struct algorithm *algorithm,
                                  const struct distribution *distribution,
                                  struct tcplan_error *error);

/** Enumerates the grids of two axes, with blocks of 128 and with one block for each process.
 * Returns false if the callback ended the enumeration. */
bool scalapack_enumerate(int processes, algorithm_fn *receive, void *context);

#endif
