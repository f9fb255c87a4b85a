/**
 * Measures the costs of this machine (tcplan/costs.h): about one second with one thread, done once
 * per machine.
 */
#ifndef TCPLAN_CALIBRATION_H
#define TCPLAN_CALIBRATION_H

#include "tcplan/costs.h"
#include "tcplan/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Approximate duration of a calibration in seconds. */
#define TCPLAN_CALIBRATION_SECONDS 1.0

/**
 * Measures the costs of this machine in the calling thread, which is bound to its core for that
 * time, on pages of the default size.
 *
 * Costs of lines: reads one word of each line, in runs of eight lines as in slices of tensors, in
 * an order that hardware cannot predict. Sets grow by a fifth, up to twice the last cache. The
 * effective size of a cache is the set size at which times are half-way to those of the next
 * level. Costs of pages: reads one word of each page, from sets of more and more pages. Costs of
 * copies: times the kernels that copy. Each number is the minimum of a few rounds. Other load on
 * this core or on others marks the costs as disturbed.
 *
 * @param machine the machine that runs this program
 * @return TCPLAN_OK; TCPLAN_NO_MEMORY if there is no memory for a set larger than every cache;
 *     TCPLAN_ENVIRONMENT if the results are implausible
 */
TCPLAN_API enum tcplan_status tcplan_costs_measure(struct tcplan_costs *out,
                                                   const struct tcplan_machine *machine,
                                                   struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
