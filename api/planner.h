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

/** Settings for making plans, which each plan copies. */
struct planner_settings {
    struct tcplan_rank_options options; /**< options of rankings, without the members that
                                           knowledge_give() sets */
    bool has_store;
    bool has_plans;
    int improving; /**< number of executions in which plans improve themselves */
};

struct plan_choice;
struct tcplan_plan;

struct tcplan_planner {
    pthread_mutex_t lock; /**< lock for the settings */
    struct planner_settings settings;
    atomic_uint cancelled; /**< number of cancellations so far */

    pthread_mutex_t knowing; /**< held while a thread plans with data from the store */
    struct knowledge knowledge;

    pthread_rwlock_t storing; /**< guards the name of the file and the pointer `plans`, but not the
                                 stored plans themselves */
    char *plans_file;         /**< name of the file of stored plans; NULL: none */
    struct tcplan_stored_plans *plans; /**< the stored plans, opened at their first use, because
                                          that needs the machine's fingerprint; NULL: not yet */
};

/** Returns a copy of the planner's settings; if `planner` is NULL, the settings of a new
 * planner. */
struct planner_settings planner_settings_of(struct tcplan_planner *planner);

/** A planning: one call that makes a plan and can be cancelled. */
struct planning {
    struct tcplan_planner *planner; /**< the planner; NULL: the defaults */
    unsigned cancelled; /**< number of cancellations of the planner when the call began */
    struct planner_settings settings;
    struct deadline deadline; /**< deadline of the call; it refers to this structure, which must
                                 therefore not be moved */
};

void planning_begin(struct planning *out, struct tcplan_planner *planner);

/** Returns TCPLAN_CANCELLED, with a message, if the planning was cancelled, otherwise TCPLAN_OK. */
enum tcplan_status planning_check(const struct planning *planning, struct tcplan_error *error);

/** Makes a plan as part of a planning, within its time limit. Returns a status of
 * tcplan_plan_new(). */
enum tcplan_status planning_plan(struct tcplan_plan **out, const struct planning *planning,
                                 const struct tcplan_product *product, struct tcplan_error *error);

/**
 * Finds the stored plan of a problem, if the planner has stored plans.
 *
 * @return TCPLAN_OK; TCPLAN_NOT_APPLICABLE if there is no usable plan, for whatever reason;
 *     otherwise a status of knowledge_machine() or tcplan_stored_plans_open()
 */
enum tcplan_status planning_recall(struct tcplan_found_plan *out, const struct planning *planning,
                                   const struct tcplan_problem *problem,
                                   struct tcplan_error *error);

/** Returns the planner's stored plans, opened at their first use, and keeps them open until
 * planning_give_plans(); NULL if there are none. Returns a status of tcplan_stored_plans_open(). */
enum tcplan_status planning_take_plans(struct tcplan_stored_plans **out,
                                       const struct planning *planning, struct tcplan_error *error);

/** Releases the stored plans that planning_take_plans() returned; `plans` may be NULL. */
void planning_give_plans(const struct planning *planning, const struct tcplan_stored_plans *plans);

/**
 * Returns the settings for compiling the kernels of a choice: the planning's time limit, and its
 * store if it has one. Estimates compile only the kernels that the library does not contain.
 *
 * @param code  receives the folder of stored kernels, to be freed with planning_maker_free() when
 *     the maker is no longer in use
 */
struct kernel_maker planning_maker(struct tcplan_store *code, const struct planning *planning,
                                   const struct plan_choice *choice);

void planning_maker_free(struct tcplan_store *code);

/**
 * Ranks a problem with the settings of a planning and the data of its store, within its time
 * limit, while no other thread of this process measures.
 *
 * @param out  receives the ranking, to be freed with tcplan_ranking_free()
 * @return a status of tcplan_rank()
 */
enum tcplan_status planning_rank(struct tcplan_ranking **out, const struct planning *planning,
                                 const struct tcplan_problem *problem, struct tcplan_error *error);

/**
 * Makes the options for estimates, and locks the data of the store until planning_known().
 *
 * @param out receives the options, with the shared data and the remaining time; valid until
 *     planning_known(), and as long as `planning`
 * @param knows  receives the argument for planning_known(), also on failure
 * @return a status of knowledge_give(); TCPLAN_CANCELLED
 */
enum tcplan_status planning_know(struct tcplan_rank_options *out, bool *knows,
                                 const struct planning *planning, struct tcplan_error *error);

/** Unlocks the data that planning_know() locked. */
void planning_known(const struct planning *planning, bool knows);

#endif
