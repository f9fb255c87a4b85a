/**
 * Regions of a program: the code between two calls, which is measured on request.
 *
 *     tcplan_region_begin("triad");
 *     ...
 *     tcplan_region_end("triad");
 *
 * If `tcplan roofline --run "PROGRAM"` started the program, the command reports time, operations
 * and bytes of each region. A program may also request the measurement itself with
 * tcplan_region_measure(). Otherwise a call costs a few nanoseconds. Every thread that works in a
 * region must begin and end it; only operations of threads inside the region are counted. Regions
 * may nest and overlap; a thread that begins a region twice counts once. Time and the memory
 * controllers' bytes are counted while at least one thread is inside.
 *
 * This is the only place where the library reads the environment: by the variable TCPLAN_REGIONS,
 * the command requests the measurement.
 */
#ifndef TCPLAN_REGION_H
#define TCPLAN_REGION_H

#include "tcplan/regions.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Enters a region. A name is truncated to 127 characters. */
TCPLAN_API void tcplan_region_begin(const char *name);

/** Leaves a region. If this thread has not entered it, the call has no effect, and the measurement
 * reports it. */
TCPLAN_API void tcplan_region_end(const char *name);

/**
 * Starts measuring regions in this process, unless they are measured already.
 *
 * @param counters  `perf`: the processor's counters, if there are any; `none`: time only; or a
 *                  file of recorded counts
 * @return TCPLAN_OK, also if nothing but time can be measured; TCPLAN_BUSY if regions are measured
 *         already; TCPLAN_INVALID or TCPLAN_ENVIRONMENT if a file of counts is invalid;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_region_measure(const char *counters,
                                                    struct tcplan_error *error);

/**
 * Returns the results of regions since tcplan_region_measure(); measuring continues. Regions that
 * are still open count up to their last end.
 *
 * @param out  receives the regions in the order of their first begin, to be freed with
 *             tcplan_regions_free(); there may be none
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if tcplan_region_measure() was not called;
 *         TCPLAN_NO_MEMORY
 */
TCPLAN_API enum tcplan_status tcplan_region_results(struct tcplan_regions **out,
                                                    struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
