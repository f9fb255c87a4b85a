/**
 * Options of rankings, as programs fill them in.
 */
#ifndef PLAN_OPTIONS_H
#define PLAN_OPTIONS_H

#include "tcplan/rank.h"

/** TCPLAN_OK, or TCPLAN_INVALID where a field has a value that it cannot have, as all bytes zero
 * have no thread. */
enum tcplan_status rank_options_check(const struct tcplan_rank_options *options,
                                      struct tcplan_error *error);

#endif
