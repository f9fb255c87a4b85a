/**
 * The experience of earlier evaluations: by what factor each kind of algorithm exceeds its
 * estimate on this machine. It also holds times of kernels and observed speeds of the core.
 *
 * A ranking starts its search from an experience and adds its own evaluations
 * (tcplan_rank_options). Evaluations determine the order of a search and its end. Stored times of
 * kernels need not be measured again. Observed speeds of the core widen intervals. The chosen
 * algorithm is always timed and compared in the same ranking. tcplan/store.h stores experience
 * between processes.
 *
 * An experience holds evaluations of about the last 50 problems, at most 40 of each, and the times
 * of 1000 calls; the oldest are dropped. Only one thread at a time may use it.
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

/** Makes an empty experience, to be freed with tcplan_experience_free(); NULL if memory runs
 * out. */
TCPLAN_API struct tcplan_experience *tcplan_experience_new(void);

/** Returns the number of evaluations. */
TCPLAN_API size_t tcplan_experience_count(const struct tcplan_experience *experience);

/** Returns the experience's cost model of cache lines, pages and copies; NULL: not measured. */
TCPLAN_API const struct tcplan_costs *tcplan_experience_costs(
    const struct tcplan_experience *experience);

/** Frees an experience; does nothing if it is NULL. */
TCPLAN_API void tcplan_experience_free(struct tcplan_experience *experience);

#ifdef __cplusplus
}
#endif

#endif
