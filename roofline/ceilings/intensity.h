/**
 * Rates over the intensity: one kernel that does 1 to 1024 operations with each element that it
 * loads and stores, as the Empirical Roofline Tool's, in each level.
 */
#ifndef ROOFLINE_CEILINGS_INTENSITY_H
#define ROOFLINE_CEILINGS_INTENSITY_H

#include "roofline/ceilings/measuring.h"
#include "roofline/kernels/stream_work.h"

/**
 * Adds points to the roofline's `intensity`, unless it has them for so many threads. A point has a
 * time bound; one without an undisturbed window is missing.
 *
 * @param work         with arrays for each thread and a workspace
 * @param set_bytes    of one thread, for each place in machine.cache and memory; 0: none
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if the kernel computed something wrong; TCPLAN_NO_MEMORY
 */
enum tcplan_status intensity_measure(struct measuring *measuring, struct stream_work *work,
                                     const int64_t set_bytes[], int threads,
                                     struct tcplan_error *error);

/** Adds a point. TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status intensity_append(struct tcplan_roofline *roofline,
                                    const struct tcplan_ceiling *point, struct tcplan_error *error);

#endif
