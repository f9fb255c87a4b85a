/**
 * The same algorithm made otherwise in one thing, which a look tells and no model.
 *
 * Whether it pays to write a result past the caches depends on what the last cache keeps of it from
 * one execution to the next, which others may share: a model cannot know, a look tells. So the
 * fastest that was looked at is looked at the other way as well, as it is with other providers'
 * kernels.
 */
#ifndef PLAN_VARIANT_H
#define PLAN_VARIANT_H

#include "tcplan/algorithm.h"
#include "tcplan/machine.h"
#include "tcplan/problem.h"

/**
 * Of an algorithm that streams its result the one that does not: without that copy where the kernel
 * takes the result in place, else with one through the caches. Of one that copies its result
 * through the caches the one that streams it. `*out` is canonical.
 *
 * @return false where there is none: the result is not copied, is streamed and more than the last
 *         cache holds, or is not streamed and no more than a second cache
 */
bool variant_of_result(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                       const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *algorithm);

/**
 * Of an algorithm whose kernel writes the result in place, and could write it past the caches, the
 * one that does: a result that the second cache does not hold, of which nothing is read. `*out` is
 * canonical. Memory may be as fast as a last cache that has to fetch what is overwritten, or that
 * others use.
 *
 * @return false where there is none
 */
bool variant_streamed(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                      const struct tcplan_machine *machine,
                      const struct tcplan_algorithm *algorithm);

/**
 * With temporaries that are a line longer, where elements of them lie in each other's way in the
 * first cache: a multiple of its sets times its line apart, more of them than it has ways. They may
 * have to, as they are copied or computed with in another order. `*out` is canonical.
 *
 * @return false where there is none, or it is not known how many ways the cache has
 */
bool variant_padded(struct tcplan_algorithm *out, const struct tcplan_problem *problem,
                    const struct tcplan_machine *machine, const struct tcplan_algorithm *algorithm);

/**
 * Of an algorithm whose loops threads share the one of one thread, but for those that a library's
 * calls have: where threads wait for each other, or for cores that have other work, it is the
 * faster one. `*out` is canonical.
 *
 * @return false where no loop is shared
 */
bool variant_unshared(struct tcplan_algorithm *out, const struct tcplan_contraction *contraction,
                      const struct tcplan_algorithm *algorithm);

#endif
