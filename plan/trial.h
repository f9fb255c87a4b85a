/**
 * One algorithm under prediction: its nest and the windows that replay it.
 */
#ifndef PLAN_TRIAL_H
#define PLAN_TRIAL_H

#include "plan/rank.h"

struct trial {
    struct tcplan_nest *nest;
    struct window window;
};

/**
 * Prepares windows of a grade. NOT_APPLICABLE is noted in the entry. Where samples lie depends on
 * the ranking's seed, the algorithm and the grade, not on the order of the search.
 */
enum tcplan_status trial_start(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                               enum window_grade grade, struct tcplan_error *error);

/** The same without sizing windows: enough to time the kernel in place. */
enum tcplan_status trial_bind(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                              struct tcplan_error *error);

/** Ends it; what disturbed its windows goes to the ranking. */
/**
 * Before an algorithm is timed whose loops threads share, or that one thread executes beside others
 * with several: waits until the threads of a BLAS sleep that others had before. Not longer than
 * they take, nor again and again where the process has other threads that run.
 */
void trial_rest(struct ranker *ranker, const struct tcplan_entry *entry);

void trial_end(struct trial *trial, struct ranker *ranker);

#endif
