/**
 * Random algorithms of the `full` space: fused indices, tiles, copies, layouts, loop orders.
 */
#ifndef SUPPORT_RANDOM_ALGORITHM_H
#define SUPPORT_RANDOM_ALGORITHM_H

#include "support/random_contraction.h"
#include "tcplan/algorithm.h"

/** An algorithm with a kernel of a provider that can be built, from `state`; false where none was
 * found in a number of attempts. */
bool random_algorithm(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      enum tcplan_provider provider, uint64_t *state);

/** Whether the steps that the kernel of an algorithm sums up, where it does, divide the extents or
 * are one: others there are no calls for. */
bool random_algorithm_divides(const struct tcplan_algorithm *algorithm,
                              const struct tcplan_contraction *contraction, const int64_t extent[]);

/** Makes a random loop parallel, or two; false where it may not be, or there is none. */
bool random_parallel_loop(struct tcplan_algorithm *algorithm,
                          const struct tcplan_contraction *contraction, uint64_t *state);

#endif
