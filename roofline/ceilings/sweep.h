/** Rates over the size of the working set, and the levels of memory that they show. */
#ifndef ROOFLINE_CEILINGS_SWEEP_H
#define ROOFLINE_CEILINGS_SWEEP_H

#include "roofline/ceilings/measuring.h"
#include "roofline/kernels/stream_work.h"

/**
 * Sweeps with loads and with the kernels that the options name, and finds levels: adds to the
 * roofline's `sweep` and `level`. Each set is measured in three rounds, of which the fastest
 * counts, because shared cores are slow at times. A set has a time limit in each round, and is
 * omitted if it is disturbed in all rounds. Kernels already swept are skipped. After the deadline
 * no kernel is begun.
 *
 * @param work  has arrays for each thread and a workspace
 * @return TCPLAN_OK, also if no level is found; TCPLAN_ENVIRONMENT if a kernel computed something
 *     wrong; TCPLAN_NO_MEMORY
 */
enum tcplan_status sweep_measure(struct measuring *measuring, struct stream_work *work, int threads,
                                 struct tcplan_error *error);

/** Copies the sweeps, intensities and levels in options.known; rough ones only if this measurement
 * is rough too. Returns TCPLAN_OK or TCPLAN_NO_MEMORY. */
enum tcplan_status sweep_take(struct measuring *measuring, struct tcplan_error *error);

/** Returns TCPLAN_INVALID if a list of kernels, as in the options, has an unknown name; NULL is an
 * empty list. */
enum tcplan_status sweep_check(const char *kernels, struct tcplan_error *error);

#endif
