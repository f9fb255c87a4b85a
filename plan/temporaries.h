/**
 * What the temporaries of an algorithm take, and whether that is allowed.
 */
#ifndef PLAN_TEMPORARIES_H
#define PLAN_TEMPORARIES_H

#include "tcplan/rank.h"

/** Their bytes. Status as tcplan_nest_build(). */
enum tcplan_status temporaries_bytes(int64_t *bytes, const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm, int threads,
                                     struct tcplan_error *error);

/**
 * TCPLAN_OK where the temporaries of an algorithm fit the options' bound, or there is none (or no
 * options); TCPLAN_INVALID with the figures where they do not; status as temporaries_bytes(). They
 * are the same for every order of an algorithm's loops.
 */
enum tcplan_status temporaries_check(const struct tcplan_problem *problem,
                                     const struct tcplan_algorithm *algorithm,
                                     const struct tcplan_rank_options *options,
                                     struct tcplan_error *error);

#endif
