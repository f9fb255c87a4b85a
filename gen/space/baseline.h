/**
 * The baseline: what somebody who knows the BLAS writes without a planner.
 *
 * One call of the kernel that takes all free and contracted indices, in loops over batch indices
 * only, on operands as they are, or copied whole, before and after, where the BLAS cannot take them
 * so: transpose, transpose, gemm, transpose. Of the choices of copies the one that copies least.
 */
#ifndef GEN_SPACE_BASELINE_H
#define GEN_SPACE_BASELINE_H

#include "tcplan/algorithm.h"

/** False where there is none: the indices of a role are more than can be fused, or matrices larger
 * than the BLAS takes; or memory is out. */
bool baseline_of(struct tcplan_algorithm *out, const struct tcplan_problem *problem);

/**
 * The same loops around a provider's gemm that takes all operands as they lie, whatever indices it
 * fuses. False where there is none, as with providers that need fused indices to continue each
 * other.
 */
bool baseline_in_place(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       enum tcplan_provider provider);

/** The same with an index of the result as a loop around all else. False where there is no such
 * index in the kernel. */
bool baseline_sliced(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int index);

/**
 * The same, shared by threads: its outermost loop, or of the kernel the index that the result has
 * in the longest steps, in as many equal ones. False where neither is as long, or there is one
 * thread.
 */
bool baseline_shared(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                     enum tcplan_provider provider, int threads);

#endif
