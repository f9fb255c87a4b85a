/**
 * Rankings and stored plans (tcplan/stored_plans.h): finds stored plans of a problem, starts
 * searches from them, and stores the results of rankings.
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
 * Finds the stored plan of a problem, if it was found with at least the effort of the options,
 * fits their workspace limit, and all its calls can be made.
 *
 * @param options  NULL: the defaults
 * @return as tcplan_stored_plans_find(); TCPLAN_NOT_APPLICABLE also if no stored plan can satisfy
 *         the options: another predictor than `window`, or all predictions
 */
TCPLAN_API enum tcplan_status tcplan_recall(struct tcplan_found_plan *out,
                                            struct tcplan_stored_plans *plans,
                                            const struct tcplan_problem *problem,
                                            const struct tcplan_rank_options *options,
                                            struct tcplan_error *error);

enum { TCPLAN_RECALL_STARTS = 3 };

/**
 * Finds the algorithms of the nearest stored plans, for the `start` of a ranking's options: those
 * of the same problem, whatever their effort, and those of other extents.
 *
 * @param out  receives up to TCPLAN_RECALL_STARTS algorithms
 * @return their number; 0 also if the plans cannot be read
 */
TCPLAN_API size_t tcplan_recall_starts(struct tcplan_algorithm out[TCPLAN_RECALL_STARTS],
                                       struct tcplan_stored_plans *plans,
                                       const struct tcplan_problem *problem,
                                       const struct tcplan_rank_options *options);

/**
 * Stores a ranking's choice if it was compared. Not stored are estimates, single predicted
 * algorithms, searches ended by a time limit, and anything while a library is open as a file,
 * because fingerprints do not include it.
 *
 * @param options  those with which the ranking was made
 * @param kept     receives whether the choice qualified; may be NULL
 * @return as tcplan_stored_plans_keep()
 */
TCPLAN_API enum tcplan_status tcplan_recall_keep(bool *kept, struct tcplan_stored_plans *plans,
                                                 const struct tcplan_ranking *ranking,
                                                 const struct tcplan_rank_options *options,
                                                 struct tcplan_error *error);

#ifdef __cplusplus
}
#endif

#endif
