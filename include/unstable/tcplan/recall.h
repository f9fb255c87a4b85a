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

/** The options on which a stored plan depends. */
TCPLAN_API struct tcplan_plan_setup tcplan_recall_setup(const struct tcplan_rank_options *options);

/**
 * The stored plan of a problem, if it was found with as much effort as the options ask for, takes
 * no more workspace than they allow, and all calls can be made.
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
 * The algorithms of the stored plans that are nearest, for the `start` of a ranking's options: of
 * the very problem, whatever its effort, and of other extents.
 *
 * @param out  receives up to TCPLAN_RECALL_STARTS of them
 * @return how many; 0 also where the place cannot be read
 */
TCPLAN_API size_t tcplan_recall_starts(struct tcplan_algorithm out[TCPLAN_RECALL_STARTS],
                                       struct tcplan_stored_plans *plans,
                                       const struct tcplan_problem *problem,
                                       const struct tcplan_rank_options *options);

/**
 * Keeps a ranking's pick. Only compared algorithms are stored: not an estimate, nor one algorithm
 * that was predicted alone, nor what a limit of time ended before; nor kernels of a library that
 * was opened as a file, which has no fingerprint.
 *
 * @param options  those that it was made with
 * @param kept     receives whether there was something to be kept; may be NULL
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
