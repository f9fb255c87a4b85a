/**
 * Random algorithms of the `full` space: fused indices, tiles, copies, layouts, loop orders.
 */
#ifndef SUPPORT_RANDOM_ALGORITHM_H
#define SUPPORT_RANDOM_ALGORITHM_H

#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

/** Draws an algorithm with a kernel of a provider; returns false if no attempt gives one that can
 * be built. */
bool random_algorithm(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      enum tcplan_provider provider, uint64_t *state);

/** Returns whether the steps that the kernel sums over divide the extents, or there is a single
 * step. Otherwise, the algorithm is not applicable. */
bool random_algorithm_divides(const struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction, const int64_t extent[]);

/** Makes one or two random loops parallel; returns false if no loop may be. */
bool random_parallel_loop(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, uint64_t *state);

#endif
