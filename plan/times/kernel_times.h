/**
 * Times of kernels on operands that stay in cache, kept so that equal calls are timed once: within
 * a ranking, and over several where the caller keeps the store.
 */
#ifndef PLAN_TIMES_KERNEL_TIMES_H
#define PLAN_TIMES_KERNEL_TIMES_H

#include "gen/lower/blas_call.h"
#include "store/experience.h"
#include "tcplan/rank.h"

struct kernel_key kernel_key_of(const struct blas_call *call, enum tcplan_dtype dtype, int threads);

/**
 * Nanoseconds of a call, the smallest it was ever timed with; negative where it was timed less than
 * three times: one disturbed time must not last.
 */
double kernel_times_find(const struct tcplan_kernel_times *times, const struct kernel_key *key);

/** How many times a call was timed. */
int kernel_times_timed(const struct tcplan_kernel_times *times, const struct kernel_key *key);

/** Keeps the time of a call where it is the smallest; TCPLAN_NO_MEMORY leaves the store as it was.
 */
enum tcplan_status kernel_times_add(struct tcplan_kernel_times *times, const struct kernel_key *key,
                                    double ns, struct tcplan_error *error);

/**
 * Takes the times that an experience knows where it knows none yet; in this process each counts as
 * timed just often enough to be believed, so that what it excludes is timed again. As many as
 * memory allows.
 */
void kernel_times_recall(struct tcplan_kernel_times *times,
                         const struct tcplan_experience *experience);

/** Adds the times that were taken in this process, and may be believed, to an experience; as many
 * as memory allows. */
void kernel_times_keep(struct tcplan_kernel_times *times, struct tcplan_experience *experience);

#endif
