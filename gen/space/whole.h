/**
 * The whole product in one kernel: as loops of `dloops@emitted`, and divided among threads.
 */
#ifndef GEN_SPACE_WHOLE_H
#define GEN_SPACE_WHOLE_H

#include "tcplan/algorithm.h"

/** Returns the whole product as loops of one kernel, `dloops@emitted`; false if a kind has too
 * many indices, or there is none. */
bool whole_loops(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction);

/**
 * Returns whole_loops() with a copy of the smaller factor in which the larger factor's
 * contiguous index is contiguous, so that vectors are loaded from both. False if the smaller
 * factor already has that layout, lacks the index, or is not many times smaller.
 */
bool whole_loops_copied(struct tcplan_algorithm *out, const struct tcplan_problem *problem);

/**
 * Divides an algorithm without loops among threads: the index of the kernel with the largest stride
 * in the result, unless another is divided more equally, in as many steps as threads, which a
 * parallel loop runs over. A contiguous index is divided at cache lines. Returns false if every
 * index is too short.
 */
bool whole_in_parts(struct tcplan_algorithm *out, const struct tcplan_algorithm *whole,
                    const struct tcplan_problem *problem, int threads);

#endif
