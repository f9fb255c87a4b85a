/**
 * Random algorithms of the `full` space: fused indices, tiles, copies, layouts, loop orders.
 */
#ifndef SUPPORT_RANDOM_ALGORITHM_H
#define SUPPORT_RANDOM_ALGORITHM_H

#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

/** Draws an algorithm with a kernel of a provider, which can be built; returns false if a number of
 * attempts fails. */
bool random_algorithm(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      enum tcplan_provider provider, uint64_t *state);

/** Returns whether the steps that a kernel sums over divide the extents, or are a single step:
 * otherwise there are no calls for them. */
bool random_algorithm_divides(const struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction, const int64_t extent[]);

/** Makes a random loop, or two, parallel; returns false if this is not allowed, or there is no
 * loop. */
bool random_parallel_loop(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, uint64_t *state);

#endif
