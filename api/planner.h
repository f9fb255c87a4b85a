/**
 * What a planner holds, and what planning asks of it.
 */
#ifndef API_PLANNER_H
#define API_PLANNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/knowledge.h"
#include "base/deadline.h"
#include "tcplan/planner.h"
#include "tcplan/rank.h"

/** How plans are to be made: a value. */
struct planner_settings {
    struct tcplan_rank_options options; /**< without what knowledge has */
    bool has_store;
};

struct tcplan_planner {
    pthread_mutex_t lock; /**< guards the settings */
    struct planner_settings settings;
    atomic_uint cancelled; /**< how often */

    pthread_mutex_t knowing; /**< held while somebody plans with what the store knows */
    struct knowledge knowledge;
};

/** The settings as they are now; those of a new planner where it is NULL. */
struct planner_settings planner_settings_of(struct tcplan_planner *planner);

/** One plan being made: it may be cancelled. */
struct planning {
    struct tcplan_planner *planner; /**< may be NULL */
    unsigned cancelled;             /**< how often that was when it began */
    struct planner_settings settings;
    struct deadline deadline; /**< refers to this structure, which stays where it is */
};

void planning_begin(struct planning *out, struct tcplan_planner *planner);

/**
 * Ranks a problem as the planning has it: with what the store knows, as the only one in this process that times, within its time.
 *
 * @param out  receives the ranking, to be freed with tcplan_ranking_free()
 * @return as tcplan_rank()
 */
enum tcplan_status planning_rank(struct tcplan_ranking **out, const struct planning *planning, const struct tcplan_problem *problem,
                                 struct tcplan_error *error);

#endif
