/**
 * Rates over the working set, and the levels of the memory that they show.
 */
#ifndef ROOFLINE_CEILINGS_SWEEP_H
#define ROOFLINE_CEILINGS_SWEEP_H

#include "roofline/ceilings/measuring.h"
#include "roofline/kernels/stream_work.h"

/**
 * Sweeps with loads, and the kernels that the options name, and finds levels: adds to the
 * roofline's `sweep` and `level`. Each set is met in three rounds, of which the fastest counts, as
 * cores that are shared are slow for a while; a round of a set has a time bound, and sets disturbed
 * in all rounds are missing. Kernels that were swept already are not again, and where the time is
 * over none is begun.
 *
 * @param work  with arrays for each thread and a workspace
 * @return TCPLAN_OK, also if no level is found; TCPLAN_ENVIRONMENT if a kernel computed something
 *         wrong; TCPLAN_NO_MEMORY
 */
enum tcplan_status sweep_measure(struct measuring *measuring, struct stream_work *work, int threads,
                                 struct tcplan_error *error);

/** Reuses known sweeps and levels of this machine that are good enough.
 * TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status sweep_take(struct measuring *measuring, struct tcplan_error *error);

/** TCPLAN_INVALID if a list of kernels, as options have it, names one that there is not; NULL is
 * fine. */
enum tcplan_status sweep_check(const char *kernels, struct tcplan_error *error);

#endif
