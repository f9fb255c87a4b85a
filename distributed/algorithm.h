/** Distributed algorithms: a grid, and the index that each of its axes splits; or ScaLAPACK. */
#ifndef DISTRIBUTED_ALGORITHM_H
#define DISTRIBUTED_ALGORITHM_H

#include "distributed/distribution.h"

enum { ALGORITHM_NO_INDEX = UINT8_MAX };

/** An algorithm, named `4x2:a,i`, or `4x2:a,b/i:64` with panels of at most 64 elements of a
 * contracted index, or `pdgemm:2x2/128` (see scalapack.h). */
struct algorithm {
    struct dist_grid grid;
    uint8_t index[DIST_AXES]; /**< the index that each axis splits; all different. For a step of
                                 slices, ALGORITHM_NO_INDEX if the step lacks the sliced index */
    int panel_index; /**< contracted index that is processed in panels; -1: no panels, operands are
                        gathered as a whole */
    int64_t panel;
    bool is_pdgemm;  /**< whether it is ScaLAPACK's pdgemm on a grid of two axes, which do not split
                        indices */
    bool is_slice;   /**< whether it is a step of slices of an expression (slices.h); such a name
                        cannot be read */
    bool is_partial; /**< whether partial sums of the result stay where they are, because the last
                        step of the slices adds them */
    int64_t block;   /**< rows and columns of ScaLAPACK's blocks; 0: one block for each process */
};

/**
 * Reads the name of an algorithm.
 *
 * @return TCPLAN_OK; TCPLAN_INVALID with the marked text: a malformed grid, an unknown index or one
 *         that is split twice or belongs to a diagonal, panels of an index that is not contracted,
 *         a grid of pdgemm without exactly two axes
 */
enum tcplan_status algorithm_parse(struct algorithm *out,
                                   const struct tcplan_contraction *contraction, const char *text,
                                   struct tcplan_error *error);

void algorithm_add_name(struct strbuf *out, const struct tcplan_contraction *contraction,
                        const struct algorithm *algorithm);

/** Returns the indices that an axis may split: those that occur at most once in each tensor. */
uint64_t algorithm_indices(const struct tcplan_contraction *contraction);

/**
 * Determines the layouts of each tensor and how it is moved between them.
 *
 * @param distribution  the layouts that the caller prescribes
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE: a separate addend or strides; panels of an operand
 *     whose layout splits other indices; the status of scalapack_plan()
 */
enum tcplan_status algorithm_plan(struct dist_plan *out, const struct tcplan_problem *problem,
                                  const struct algorithm *algorithm,
                                  const struct distribution *distribution,
                                  struct tcplan_error *error);

/** Callback that receives an algorithm; returns false to end the enumeration. */
typedef bool algorithm_fn(void *context, const struct algorithm *algorithm);

/**
 * Enumerates algorithms of `processes` ranks with up to three axes of two ranks or more. Axes are
 * in the order of the indices. `all_orders` enumerates every order of axes, which matters if some
 * ranks share a node. The size of an axis does not exceed the extent of its index, unless that
 * would leave no algorithm. Algorithms with panels follow those without.
 *
 * @param grid the only grid to consider, with its axes in this order; NULL: any grid
 * @return false if the callback ended the enumeration
 */
bool algorithm_enumerate(const struct tcplan_problem *problem, int processes,
                         const struct dist_grid *grid, bool all_orders, algorithm_fn *receive,
                         void *context);

#endif
