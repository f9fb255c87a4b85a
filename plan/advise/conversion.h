/**
 * The time of copying a tensor into another layout: estimated by the model of loops and copies, or
 * timed.
 */
#ifndef ADVISE_CONVERSION_H
#define ADVISE_CONVERSION_H

#include "plan/advise/program.h"

/** Seconds that the model expects of one copy; 0 where the layout is today's; NAN if memory runs
 * out. */
double conversion_estimate(const struct tcplan_layout_program *program, int tensor,
                           const struct layout *layout, const struct tcplan_machine *machine);

/**
 * Seconds of one copy, the median of a few that are made.
 *
 * @param limit_bytes  of both tensors together; 0: what is free
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE, without a message, if they need more; TCPLAN_NO_MEMORY
 */
enum tcplan_status conversion_time(double *out, const struct tcplan_layout_program *program,
                                   int tensor, const struct layout *layout, int64_t limit_bytes,
                                   struct tcplan_error *error);

#endif
