/**
 * The baseline: the algorithm that a BLAS expert writes without a planner. It makes one call of the
 * kernel with all free and contracted indices, in loops over batch indices only. Operands that the
 * BLAS cannot take in place are copied as a whole before and after: transpose, transpose, gemm,
 * transpose. Among the choices of copies it takes the one that copies least.
 */
#ifndef GEN_SPACE_BASELINE_H
#define GEN_SPACE_BASELINE_H

#include "tcplan/algorithm.h"

/** Finds the baseline. Returns false if there is none: a role has too many indices to fuse,
 * matrices exceed the BLAS's limits, or if out of memory. */
bool baseline_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem);

/**
 * Returns the same loops around a provider's gemm that takes all operands in place, whatever
 * indices it fuses; false if there is none, as for providers whose fused indices must continue each
 * other.
 */
bool baseline_in_place(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       enum tcplan_provider provider);

/** Returns the same, with an index of the kernel as the outermost loop instead; false if the kernel
 * has no such index. */
bool baseline_sliced(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int index);

/**
 * Returns the same, shared by threads: its outermost loop or, if there is none, the kernel's index
 * with the largest stride in the result, split equally. False if neither is long enough for all
 * threads, or there is one thread.
 */
bool baseline_shared(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int threads);

#endif
