/**
 * What looks at algorithms have taught: how much longer than estimated those of each kind take on
 * this machine. Besides, times of kernels, and what was met of the core's speed.
 *
 * A ranking that is given an experience begins its search with it, and adds what it learns
 * (tcplan_rank_options). Looks tell where to look first and when to stop looking, times of kernels
 * what need not be timed again, and what was met of the core what intervals have to hold. What is
 * picked was timed and compared in the same ranking. tcplan/store.h keeps it from one process to
 * the next.
 *
 * It holds the looks at the last 50 problems or so, 40 of each at most, and the times of 1000
 * calls, and forgets the oldest. For one thread of control at a time.
 */
#ifndef TCPLAN_EXPERIENCE_H
#define TCPLAN_EXPERIENCE_H

#include <stddef.h>

#include "tcplan/costs.h"
#include "tcplan/export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tcplan_experience;

/** An experience that knows nothing, to be freed with tcplan_experience_free(); NULL if memory runs
 * out. */
TCPLAN_API struct tcplan_experience *tcplan_experience_new(void);

/** How many looks it knows. */
TCPLAN_API size_t tcplan_experience_count(const struct tcplan_experience *experience);

/** What the machine's lines, pages and copies cost, the experience's; NULL: that was not measured.
 */
TCPLAN_API const struct tcplan_costs *tcplan_experience_costs(
    const struct tcplan_experience *experience);

/** Frees an experience; NULL is fine. */
TCPLAN_API void tcplan_experience_free(struct tcplan_experience *experience);

#ifdef __cplusplus
}
#endif

#endif
