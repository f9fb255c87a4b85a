/**
 * An algorithm during its prediction: its loop nest and the windows that replay it.
 */
#ifndef PLAN_TRIAL_H
#define PLAN_TRIAL_H

#include "plan/rank.h"

struct trial {
    struct tcplan_nest *nest;
    struct window window;
};

/** Returns the parameters of an algorithm's windows. Probes of long algorithms are longer. */
struct window_settings trial_settings(const struct ranker *ranker, const struct tcplan_entry *entry,
                                      enum window_grade grade);

/**
 * Prepares windows of a grade for an algorithm. TCPLAN_NOT_APPLICABLE is recorded in its entry.
 * The places of samples depend on the ranking's seed, the algorithm and the grade, not on the
 * order of the search.
 */
enum tcplan_status trial_start(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                               enum window_grade grade, struct tcplan_error *error);

/** Prepares timing the kernel in place, like trial_start(), without determining the lengths of
 * windows. */
enum tcplan_status trial_bind(struct trial *out, struct ranker *ranker, struct tcplan_entry *entry,
                              struct tcplan_error *error);

/**
 * Waits until the threads of a BLAS sleep, before timing an algorithm that shares loops or that
 * uses one thread while others use several. Gives up after their usual busy-waiting time, and stops
 * waiting at all after several failures, as the process then has other busy threads.
 */
void trial_rest(struct ranker *ranker, const struct tcplan_entry *entry);

/** Ends a trial and adds the disturbances of its windows to the ranking. */
void trial_end(struct trial *trial, struct ranker *ranker);

#endif
