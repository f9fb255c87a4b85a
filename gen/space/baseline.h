/**
 * The baseline: the algorithm that a BLAS expert writes without a planner. It makes one call of
 * the kernel with all free and contracted indices, in loops over batch indices only. Operands that
 * the BLAS cannot take in place are copied as a whole before and after: transpose, transpose,
 * gemm, transpose. Of several ways to copy, it copies the fewest elements.
 */
#ifndef GEN_SPACE_BASELINE_H
#define GEN_SPACE_BASELINE_H

#include "tcplan/algorithm.h"

/** Finds the baseline. Returns false if there is none: a role has too many indices to fuse,
 * matrices exceed the BLAS's limits, or if out of memory. */
bool baseline_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem);

/**
 * Returns an algorithm with the baseline's loops around a provider's gemm that takes all operands
 * in place, whatever indices it fuses. Returns false if there is none, for example if the provider
 * requires that fused indices are contiguous with each other.
 */
bool baseline_in_place(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       enum tcplan_provider provider);

/** Returns the baseline with one index of its kernel as the outermost loop instead; false if the
 * kernel has no such index. */
bool baseline_sliced(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int index);

/**
 * Returns the baseline with a parallel loop: its outermost loop or, without loops, the kernel's
 * index with the largest stride in the result, divided equally. Returns false if the index is too
 * short for all threads, or if there is one thread.
 */
bool baseline_shared(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int threads);

#endif
