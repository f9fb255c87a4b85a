/**
 * What a sample promises: the share of its time by which the pick is expected to become faster, at
 * most, where an arm turns out to be faster than the fastest that was sampled (plan/belief.h).
 *
 * What is known of an arm before is off by an error of its own, and by one that all have in common,
 * of which nothing is known; samples spread by what is usual, and by what they are seen to spread.
 * Pure.
 */
#ifndef PLAN_DECISION_PROMISE_H
#define PLAN_DECISION_PROMISE_H

#include "plan/decision/select.h"

/** Sets what is believed by the samples so far: `belief`, and `logs` of each arm. */
void promise_believe(struct select *select);

/** What another sample of an arm promises by that; of `best` what one of the leader does, which is
 * sampled with it. INFINITY where there are no samples. */
double promise_of(const struct select *select, size_t arm);

#endif
