/**
 * What is known of an algorithm without a look at it: enough to say whether a look would end in time, and to answer without one.
 */
#ifndef PLAN_KNOWN_H
#define PLAN_KNOWN_H

#include "plan/candidates.h"
#include "plan/rank.h"

struct known {
    double kernel_seconds;   /**< of all its kernel calls, 0 where they were not timed */
    double calls;            /**< their number */
    double estimate_seconds; /**< of the whole; INFINITY: not estimated yet */
};

struct known known_of_candidate(const struct candidate *candidate);

/** Of an algorithm of a family of the `blas` space; where there is a time limit a kernel whose time is not known is timed by itself. */
struct known known_of_order(struct ranker *ranker, const struct tcplan_family *family, const struct tcplan_algorithm *algorithm);

/** Whether a look ends before the time limit. */
bool known_has_time(const struct known *known, const struct ranker *ranker);

/** Predicts an entry without a look (TCPLAN_BASIS_ESTIMATE); TCPLAN_NOT_APPLICABLE is noted in the entry as well. */
enum tcplan_status known_estimate(const struct known *known, struct ranker *ranker, struct tcplan_entry *entry, struct tcplan_error *error);

#endif
