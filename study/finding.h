/**
 * The result of ranking and measuring a problem, without names: it holds for every problem that is
 * equal but for its names.
 */
#ifndef STUDY_FINDING_H
#define STUDY_FINDING_H

#include "tcplan/rank.h"
#include "tcplan/results.h"
#include "tcplan/stored_plans.h"

struct found_algorithm {
    struct tcplan_algorithm algorithm;
    struct tcplan_result_algorithm numbers; /**< its texts are NULL */
};

struct finding {
    struct tcplan_result numbers; /**< likewise */
    size_t count;
    struct found_algorithm algorithm[]; /**< by rank: the winner, those tied with it, and all that
                                           were measured */
};

/** How a stored plan was used. */
struct finding_plan {
    bool stored;
    char unstored[200]; /**< why it was not, where there was one to be stored; empty: nothing failed
                         */
};

/**
 * Ranks a problem and measures the first `measured` algorithms. If there are stored plans, the
 * search starts from them and adds its result.
 *
 * @param out    receives the finding, to be freed with free()
 * @param plans  NULL: none are used or added
 * @param plan   receives what became of the plan that was found
 * @return a status of tcplan_rank() or tcplan_ranking_measure(); TCPLAN_NOT_APPLICABLE, with a
 *         message, where no algorithm can run
 */
enum tcplan_status finding_make(struct finding **out, const struct tcplan_problem *problem,
                                const struct tcplan_rank_options *options, size_t measured,
                                struct tcplan_stored_plans *plans, struct finding_plan *plan,
                                struct tcplan_error *error);

#endif
