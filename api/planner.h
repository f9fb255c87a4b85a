/** The internals of a planner, and the functions that planning uses. */
#ifndef API_PLANNER_H
#define API_PLANNER_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/knowledge.h"
#include "base/deadline.h"
#include "microbench/providers/maker.h"
#include "tcplan/planner.h"
#include "tcplan/rank.h"
#include "tcplan/recall.h"

/** How plans are to be made: a value. */
struct planner_settings {
    struct tcplan_rank_options options; /**< without what knowledge has */
    bool has_store;
    bool has_plans;
    int improving; /**< executions in which plans improve themselves */
};

struct tcplan_plan;

struct tcplan_planner {
    pthread_mutex_t lock; /**< guards the settings */
    struct planner_settings settings;
    atomic_uint cancelled; /**< how often */

    pthread_mutex_t knowing; /**< held while a thread plans with data from the store */
    struct knowledge knowledge;

    pthread_rwlock_t storing;          /**< guards the pointer, not the contents */
    char *plans_file;                  /**< NULL: none */
    struct tcplan_stored_plans *plans; /**< opened at their first use, when the machine is
                                          recognised; NULL: not yet */
};

/** The settings as they are now; those of a new planner if it is NULL. */
struct planner_settings planner_settings_of(struct tcplan_planner *planner);

/** One plan being made: it may be cancelled. */
struct planning {
    struct tcplan_planner *planner; /**< may be NULL */
    unsigned cancelled;             /**< how often that was when it began */
    struct planner_settings settings;
    struct deadline deadline; /**< refers to this structure, which stays where it is */
};

void planning_begin(struct planning *out, struct tcplan_planner *planner);

/** TCPLAN_CANCELLED, with its message, where the planning was cancelled; otherwise TCPLAN_OK. */
enum tcplan_status planning_check(const struct planning *planning, struct tcplan_error *error);

/** Makes a plan as part of a planning, within its time. As tcplan_plan_new(). */
enum tcplan_status planning_plan(struct tcplan_plan **out, const struct planning *planning,
                                 const struct tcplan_product *product, struct tcplan_error *error);

/**
 * Finds the stored plan of a problem, where the planner has stored plans.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is none that can be used, whatever the reason;
 *         otherwise as knowledge_machine()
 */
enum tcplan_status planning_recall(struct tcplan_found_plan *out, const struct planning *planning,
                                   const struct tcplan_problem *problem,
                                   struct tcplan_error *error);

/**
 * For whom the kernels of an algorithm are made: within the planning's time, and kept where that
 * has a store.
 *
 * @param code  receives the folder of stored kernels, to be freed with planning_maker_free() when
 *              the maker is no longer in use
 */
struct kernel_maker planning_maker(struct tcplan_store *code, const struct planning *planning,
                                   const struct tcplan_algorithm *algorithm);

void planning_maker_free(struct tcplan_store *code);

/**
 * Ranks a problem as the planning has it: with data from the store, within its time, while no other
 * thread of this process times.
 *
 * @param out  receives the ranking, to be freed with tcplan_ranking_free()
 * @return as tcplan_rank()
 */
enum tcplan_status planning_rank(struct tcplan_ranking **out, const struct planning *planning,
                                 const struct tcplan_problem *problem, struct tcplan_error *error);

/**
 * Makes the options of estimates, while no other thread plans with data from the store.
 *
 * @param out    receives them, with the shared data and the remaining time; valid until
 *               planning_known(), `planning` included
 * @param knows  receives the argument for planning_known(), also on failure
 * @return as knowledge_give(); TCPLAN_CANCELLED
 */
enum tcplan_status planning_know(struct tcplan_rank_options *out, bool *knows,
                                 const struct planning *planning, struct tcplan_error *error);

/** Ends what planning_know() began. */
void planning_known(const struct planning *planning, bool knows);

#endif
