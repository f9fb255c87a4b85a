/**
 * Predicting one very long kernel call from a part of it.
 */
#ifndef MICROBENCH_REDUCE_H
#define MICROBENCH_REDUCE_H

#include "ast/nest/refine.h"

/**
 * Halves the largest extents of the kernel's indices until one call makes no more than so many
 * operations and touches some tens of megabytes; strides stay those of the whole tensors. Of a gemm
 * that works in blocks k is cut first, of one that goes through its factors column by column the
 * columns: what it finds in caches stays what it is.
 *
 * @return the work of the whole kernel over that of the reduced one, 1 where nothing was reduced
 */
double kernel_reduce(struct refined_problem *problem, const struct tcplan_nest *nest,
                     double most_flops);

/** How long the call takes, reduced to so many operations at most, of one that takes `seconds` for
 * `flops`. */
double kernel_reduced_seconds(double seconds, double flops, double most_flops);

#endif
