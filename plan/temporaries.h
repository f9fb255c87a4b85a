/**
 * The memory of an algorithm's temporaries.
 */
#ifndef PLAN_TEMPORARIES_H
#define PLAN_TEMPORARIES_H

#include "tcplan/rank.h"

/** Computes their bytes. Status as tcplan_nest_build(). */
enum tcplan_status temporaries_bytes(int64_t *bytes, const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm, int threads,
                                     struct tcplan_error *error);

/**
 * Checks the temporaries of an algorithm against the options' bound; without options or a bound all
 * fit. They do not depend on the order of loops. Returns TCPLAN_OK if they fit; TCPLAN_INVALID,
 * with both sizes in the message, if they do not; or a status of temporaries_bytes().
 */
enum tcplan_status temporaries_check(const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm,
                                     const struct tcplan_rank_options *options,
                                     struct tcplan_error *error);

#endif
