/** Predicts one very long kernel call from a part of it. */
#ifndef MICROBENCH_REDUCE_H
#define MICROBENCH_REDUCE_H

#include "ast/nest/refine.h"

/**
 * Halves the largest extents of the kernel's indices until one call makes at most this many
 * operations and touches some tens of megabytes; strides stay those of the whole tensors. For a
 * blocked gemm k is reduced first; for one that works column by column, the columns, so that its
 * cache behaviour stays the same.
 * @return the ratio of the whole kernel's work to that of the reduced one; 1 if nothing was reduced
 */
double kernel_reduce(struct refined_problem *problem, const struct tcplan_nest *nest,
                     double most_flops);

/** Estimates the time of a call of `seconds` and `flops` after its reduction to at most
 * `most_flops` operations. */
double kernel_reduced_seconds(double seconds, double flops, double most_flops);

#endif
