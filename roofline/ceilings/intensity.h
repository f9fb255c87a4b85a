/**
 * Rates over the operational intensity: in each level, one kernel that does 1 to 1024 operations
 * with each element that it loads and stores, as in the Empirical Roofline Tool.
 */
#ifndef ROOFLINE_CEILINGS_INTENSITY_H
#define ROOFLINE_CEILINGS_INTENSITY_H

#include "roofline/ceilings/measuring.h"
#include "roofline/kernels/stream_work.h"

/**
 * Adds points to the roofline's `intensity`, unless it has points with this number of threads.
 * Each point has a time limit. A point without an undisturbed window is omitted.
 *
 * @param work  has arrays for each thread and a workspace
 * @param set_bytes  bytes of one thread's set for each cache in machine.cache, then for memory; 0:
 *     none
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the kernel computed something wrong; TCPLAN_NO_MEMORY
 */
enum tcplan_status intensity_measure(struct measuring *measuring, struct stream_work *work,
                                     const int64_t set_bytes[], int threads,
                                     struct tcplan_error *error);

/** Adds a point; returns TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status intensity_append(struct tcplan_roofline *roofline,
                                    const struct tcplan_ceiling *point, struct tcplan_error *error);

#endif
