/**
 * Time of copying a tensor to another layout: estimated by the model of loops and copies, or
 * measured.
 */
#ifndef ADVISE_CONVERSION_H
#define ADVISE_CONVERSION_H

#include "plan/advise/program.h"

/** Returns the predicted seconds of one copy; 0 for today's layout; NAN if out of memory. */
double conversion_estimate(const struct tcplan_layout_program *program, int tensor,
                           const struct layout *layout, const struct tcplan_machine *machine);

/**
 * Times some copies and stores the median in seconds.
 *
 * @param limit_bytes  limit on the memory of both tensors; 0: the free memory
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, without a message, if both exceed the limit;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status conversion_time(double *out, const struct tcplan_layout_program *program,
                                   int tensor, const struct layout *layout, int64_t limit_bytes,
                                   struct tcplan_error *error);

#endif
