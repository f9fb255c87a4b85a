/**
 * Options of rankings, as programs fill them in.
 */
#ifndef PLAN_OPTIONS_H
#define PLAN_OPTIONS_H

#include "tcplan/rank.h"

/** Returns TCPLAN_OK; TCPLAN_INVALID if a field has a value out of range, such as 0 threads in
 * zeroed options. */
enum tcplan_status rank_options_check(const struct tcplan_rank_options *options,
                                      struct tcplan_error *error);

#endif
