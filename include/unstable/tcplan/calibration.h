/**
 * Measuring the costs of this machine (tcplan/costs.h): about a second of one thread, once a
 * machine.
 */
#ifndef TCPLAN_CALIBRATION_H
#define TCPLAN_CALIBRATION_H

#include "tcplan/costs.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Seconds that a calibration takes, about; the memory is touched, and passed over some times. */
#define TCPLAN_CALIBRATION_SECONDS 1.0

/**
 * Measures the costs of this machine by the calling thread, which is bound to its core meanwhile,
 * on pages of the usual size.
 *
 * Lines: one word of each is read, in runs of eight lines as in slices of tensors, in an order that
 * hardware cannot predict. The sets grow by a fifth each, up to twice the last cache. The effective
 * size of a cache is the set size at which times are half-way to those of the next level. Pages:
 * one word of each, from more and more pages. Copies: by the kernels that copies run. Each number
 * is the least of a few rounds; other load that takes the core, or other cores, marks the costs as
 * disturbed.
 *
 * @param machine  this one
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if there is none for a set that no cache holds;
 *         TCPLAN_ENVIRONMENT if what came out cannot be a machine's
 */
TCPLAN_API enum tcplan_status tcplan_costs_measure(struct tcplan_costs *out,
                                                   const struct tcplan_machine *machine,
                                                   struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
