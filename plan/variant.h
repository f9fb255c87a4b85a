/**
 * Variants: the same algorithm with one choice changed.
 *
 * Whether non-temporal stores pay, for example, depends on how much of the result stays in the
 * last cache between executions, and other processes share that cache. No model can predict that,
 * but an evaluation shows it. So fast candidates are also evaluated with such a choice changed.
 */
#ifndef PLAN_VARIANT_H
#define PLAN_VARIANT_H

#include "tcplan/algorithm.h"
#include "tcplan/machine.h"
#include "tcplan/problem.h"

/**
 * Toggles non-temporal stores of the result's copy. Without them, the copy is dropped if the kernel
 * can write in place. `*out` is canonical.
 * @return false if there is no such variant: the result is not copied, is streamed and exceeds the
 *     last cache, or is not streamed and fits the second cache
 */
bool variant_of_result(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *algorithm);

/**
 * Makes a kernel that writes the result in place use non-temporal stores. The result must exceed
 * the second cache and must not be read. This can be faster because ordinary stores first load the
 * lines that they overwrite. `*out` is canonical.
 * @return false if there is no such variant
 */
bool variant_streamed(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                      const struct tcplan_machine *machine,
                      const struct tcplan_algorithm *algorithm);

/**
 * Pads temporaries by a cache line if more of their elements than the first cache has ways map to
 * the same set. `*out` is canonical.
 *
 * @return false if there is no conflict, or the number of ways is unknown
 */
bool variant_padded(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                    const struct tcplan_machine *machine, const struct tcplan_algorithm *algorithm);

/**
 * Runs the shared loop of an algorithm by one thread; threads of the library's calls stay. It is
 * faster if threads wait for each other, or for busy cores. `*out` is canonical.
 *
 * @return false if no loop is shared
 */
bool variant_unshared(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      const struct tcplan_algorithm *algorithm);

#endif
