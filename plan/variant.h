/**
 * The same algorithm with its result's copy made otherwise.
 *
 * Whether it pays to write a result past the caches depends on what the last cache keeps of it from one execution to the next, which others may share: a model
 * cannot know, a look tells. So the fastest that was looked at is looked at the other way as well, as it is with other providers' kernels.
 */
#ifndef PLAN_VARIANT_H
#define PLAN_VARIANT_H

#include "tcplan/algorithm.h"
#include "tcplan/machine.h"
#include "tcplan/problem.h"

/**
 * Of an algorithm that streams its result the one that does not: without that copy where the kernel takes the result in place, else with one through the
 * caches. Of one that copies its result through the caches the one that streams it. `*out` is canonical.
 *
 * @return false where there is none: the result is not copied, is streamed and more than the last cache holds, or is not streamed and no more than a second
 *         cache
 */
bool variant_of_result(struct tcplan_algorithm *out, const struct tcplan_problem *problem, const struct tcplan_machine *machine,
                       const struct tcplan_algorithm *algorithm);

#endif
