/**
 * Recorded times of kernel calls with operands in cache. Equal calls are timed once within a
 * ranking, or across rankings if the caller reuses the table.
 */
#ifndef PLAN_TIMES_KERNEL_TIMES_H
#define PLAN_TIMES_KERNEL_TIMES_H

#include "gen/lower/blas_call.h"
#include "store/experience.h"
#include "tcplan/rank.h"

struct kernel_key kernel_key_of(const struct blas_call *call, enum tcplan_dtype dtype, int threads);

/**
 * Returns the smallest recorded time of a call in nanoseconds; negative if the call was timed less
 * than three times, because a single measurement may be disturbed.
 */
double kernel_times_find(const struct tcplan_kernel_times *times, const struct kernel_key *key);

/** Returns how many times a call was timed. */
int kernel_times_timed(const struct tcplan_kernel_times *times, const struct kernel_key *key);

/** Records the time of a call if it is the smallest so far; TCPLAN_NO_MEMORY leaves the table
 * unchanged. */
enum tcplan_status kernel_times_add(struct tcplan_kernel_times *times, const struct kernel_key *key,
                                    double ns, struct tcplan_error *error);

/**
 * Imports times from an experience for calls that have none, as memory allows. Each counts as just
 * enough timings to be used, so a call that would exclude a candidate is timed again.
 */
void kernel_times_recall(struct tcplan_kernel_times *times,
                         const struct tcplan_experience *experience);

/** Exports the reliable times of this process to an experience, as memory allows. */
void kernel_times_keep(struct tcplan_kernel_times *times, struct tcplan_experience *experience);

#endif
