/**
 * The time of copying a tensor into another layout: estimated by the model of loops and copies, or
 * timed.
 */
#ifndef ADVISE_CONVERSION_H
#define ADVISE_CONVERSION_H

#include "plan/advise/program.h"

/** Returns the seconds that the cost model predicts for one copy; 0 for today's layout; NAN without
 * memory. */
double conversion_estimate(const struct tcplan_layout_program *program, int tensor,
                           const struct layout *layout, const struct tcplan_machine *machine);

/**
 * Times a few copies and stores the median in seconds.
 * @param limit_bytes  for both tensors together; 0: the free memory
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, without a message, if they need more; TCPLAN_NO_MEMORY
 */
enum tcplan_status conversion_time(double *out, const struct tcplan_layout_program *program,
                                   int tensor, const struct layout *layout, int64_t limit_bytes,
                                   struct tcplan_error *error);

#endif
