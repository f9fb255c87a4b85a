/**
 * Connects rankings with stored plans (tcplan/stored_plans.h): finds stored plans of a problem,
 * starts searches from them, and stores the results of rankings.
 */
#ifndef TCPLAN_RECALL_H
#define TCPLAN_RECALL_H

#include "tcplan/rank.h"
#include "tcplan/stored_plans.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the options on which a stored plan depends. */
TCPLAN_API struct tcplan_plan_setup tcplan_recall_setup(const struct tcplan_rank_options *options);

/**
 * Finds the stored plan of a problem, if it was found with at least the effort of the options, fits
 * their workspace limit, and all its calls can be made.
 *
 * @param options  NULL: the defaults
 * @return a status of tcplan_stored_plans_find(); TCPLAN_NOT_APPLICABLE also if no stored plan can
 *         satisfy the options, which ask for another predictor than `window` or for predictions of
 *         all algorithms
 */
TCPLAN_API enum tcplan_status tcplan_recall(struct tcplan_found_plan *out,
                                            struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_rank_options *options,
                                            struct tcplan_error *error);

enum { TCPLAN_RECALL_STARTS = 3 };

/**
 * Sets `start`, `start_count` and `stored_threads` of a ranking's options to the nearest stored
 * plans: the one of the same problem, whatever its effort, and those of other extents. Sets no
 * start if the plans cannot be read.
 *
 * @param start  receives up to TCPLAN_RECALL_STARTS algorithms
 * @param plans  NULL: none
 */
TCPLAN_API void tcplan_recall_starts(struct tcplan_rank_options *options,
                                     struct tcplan_algorithm start[TCPLAN_RECALL_STARTS],
                                     struct tcplan_stored_plans *plans,
                                     const struct tcplan_problem *problem);

/**
 * Stores a ranking's choice if it was compared with all algorithms that may be as fast and, if the
 * ranking started from a stored winner, with that winner. Does not store estimates, single
 * predicted algorithms, or the results of searches that the time limit ended. Stores nothing while
 * a library is open as a file, because fingerprints do not include that library.
 *
 * @param options the options with which the ranking was made
 * @param is_stored receives whether the choice qualified; may be NULL
 * @return a status of tcplan_stored_plans_keep()
 */
TCPLAN_API enum tcplan_status tcplan_recall_keep(bool *is_stored, struct tcplan_stored_plans *plans,
                                                 const struct tcplan_ranking *ranking,
                                                 const struct tcplan_rank_options *options,
                                                 struct tcplan_error *error);

/**
 * Makes a stored plan the choice of a ranking that predicted it, with its stored time and interval:
 * scales all predictions by the same factor.
 *
 * @return the plan's time in this ranking, in seconds; 0: it was not predicted, and nothing changes
 */
TCPLAN_API double tcplan_recall_restore(struct tcplan_ranking *ranking,
                                        const struct tcplan_found_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
