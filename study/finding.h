/**
 * The result of ranking and measuring a problem, without names, so that it also applies to
 * problems that differ only in names.
 */
#ifndef STUDY_FINDING_H
#define STUDY_FINDING_H

#include "tcplan/rank.h"
#include "tcplan/results.h"
#include "tcplan/stored_plans.h"

struct found_algorithm {
    struct tcplan_algorithm algorithm;
    char way[16]; /**< for block-sparse tensors: name of the way, as `fused`; otherwise empty */
    struct tcplan_result_algorithm numbers; /**< numbers of the algorithm; texts in it are NULL */
};

struct finding {
    struct tcplan_result numbers; /**< numbers of the result; texts in it are NULL */
    size_t count;
    struct found_algorithm algorithm[]; /**< algorithms in the order of the ranking: the winner,
                                           some tied with it, and all that were measured */
};

/** Whether the choice was stored as a plan. */
struct finding_plan {
    bool stored;
    char unstored[200]; /**< the reason why the plan could not be stored; empty: it could */
};

/**
 * Ranks a problem and measures the first `measured` algorithms. With stored plans, the search
 * starts from them and adds its result.
 *
 * @param out    receives the finding, to be freed with free()
 * @param plans  NULL: without stored plans
 * @param plan   receives whether the choice was stored
 * @return a status of tcplan_rank() or tcplan_ranking_measure(); TCPLAN_NOT_APPLICABLE, with a
 *     message, if no algorithm can run
 */
enum tcplan_status finding_make(struct finding **out, const struct tcplan_problem *problem,
                                const struct tcplan_rank_options *options, size_t measured,
                                struct tcplan_stored_plans *plans, struct finding_plan *plan,
                                struct tcplan_error *error);

#endif
