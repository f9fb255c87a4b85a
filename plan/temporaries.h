/**
 * The memory of an algorithm's temporaries.
 */
#ifndef PLAN_TEMPORARIES_H
#define PLAN_TEMPORARIES_H

#include "tcplan/rank.h"

/** Computes the bytes of an algorithm's temporaries. Returns a status of tcplan_nest_build(). */
enum tcplan_status temporaries_bytes(int64_t *bytes, const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm, int threads,
                                     struct tcplan_error *error);

/**
 * Checks an algorithm's temporaries against the limit of the options; they fit if there are no
 * options or no limit. Their size does not depend on the order of loops. Returns TCPLAN_OK if they
 * fit; TCPLAN_INVALID, with both sizes in the message, if they do not; or a status of
 * temporaries_bytes().
 */
enum tcplan_status temporaries_check(const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm,
                                     const struct tcplan_rank_options *options,
                                     struct tcplan_error *error);

#endif
