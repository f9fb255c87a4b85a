/* Makes plans: only one thread measures at a time, data of the store are shared, and the time
 * limit includes all waiting. */
#include <stdint.h>
#include <time.h>

#include "api/plan.h"
#include "api/planner.h"
#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/code_stored.h"

/* Held while a thread measures: two threads that measure at once would disturb each other. */
static pthread_mutex_t timing = PTHREAD_MUTEX_INITIALIZER;

/*
 * Locks are polled, with pauses of this length, so that a cancellation or a passed deadline is
 * noticed. pthread_mutex_timedlock() waits until a time of day: an hour longer if the clock is set
 * back by one hour.
 */
enum { STEP_NS = 1000000 };

/* Remaining time for planning when the limit has passed: it must not be 0, which would mean no
 * limit, because the caller still gets a plan. */
#define LEAST_SECONDS 1e-6

static bool is_cancelled(const void *context) {
    const struct planning *planning = context;
    return planning->planner && atomic_load(&planning->planner->cancelled) != planning->cancelled;
}

void planning_begin(struct planning *out, struct tcplan_planner *planner) {
    *out = (struct planning){.planner = planner,
                             .cancelled = planner ? atomic_load(&planner->cancelled) : 0};
    out->settings = planner_settings_of(planner);
    out->deadline =
        deadline_or_cancelled(out->settings.options.time_limit_seconds, is_cancelled, out);
}

/** Locks a mutex; returns false if the deadline passes or the planning is cancelled first. */
static bool lock_until(pthread_mutex_t *mutex, struct deadline deadline) {
    const struct timespec pause = {.tv_nsec = STEP_NS};
    while (pthread_mutex_trylock(mutex) != 0) {
        if (deadline_is_over(deadline)) return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

enum tcplan_status planning_check(const struct planning *planning, struct tcplan_error *error) {
    return deadline_is_cancelled(planning->deadline)
               ? error_set(error, TCPLAN_CANCELLED, "planning was cancelled")
               : TCPLAN_OK;
}

/** Sets the remaining time of the options, and the callback for cancellation. Returns
 * TCPLAN_CANCELLED if the planning is cancelled. */
static enum tcplan_status set_remaining_time(struct tcplan_rank_options *options,
                                             const struct planning *planning,
                                             struct tcplan_error *error) {
    const double left = deadline_left_seconds(planning->deadline);
    if (planning_check(planning, error) != TCPLAN_OK) return TCPLAN_CANCELLED;
    if (options->time_limit_seconds > 0)
        options->time_limit_seconds = left > LEAST_SECONDS ? left : LEAST_SECONDS;
    options->is_cancelled = is_cancelled;
    options->cancel_context = planning;
    return TCPLAN_OK;
}

/** Ranks with options that are complete except for the remaining time. */
static enum tcplan_status rank_now(struct tcplan_ranking **out, const struct planning *planning,
                                   struct tcplan_rank_options *options,
                                   const struct tcplan_problem *problem,
                                   struct tcplan_error *error) {
    const enum tcplan_status status = set_remaining_time(options, planning, error);
    return status == TCPLAN_OK ? tcplan_rank(out, problem, options, error) : status;
}

/** Ranks while no other thread of the process measures. If others measure until the deadline, ranks
 * by estimates. */
static enum tcplan_status rank_in_turn(struct tcplan_ranking **out, const struct planning *planning,
                                       struct tcplan_rank_options *options,
                                       const struct tcplan_problem *problem,
                                       struct tcplan_error *error) {
    const bool times = options->effort != TCPLAN_EFFORT_ESTIMATE;
    const bool is_alone = times && lock_until(&timing, planning->deadline);
    if (!is_alone) options->effort = TCPLAN_EFFORT_ESTIMATE;
    const enum tcplan_status status = rank_now(out, planning, options, problem, error);
    if (is_alone) pthread_mutex_unlock(&timing);
    return status;
}

/* Stored plans. */

/** Opens the planner's plans at the first use. */
static enum tcplan_status open_plans(struct tcplan_planner *planner, struct tcplan_error *error) {
    const struct tcplan_fingerprint *fingerprint = NULL;
    enum tcplan_status status = knowledge_fingerprint(&fingerprint, error);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_store store = {.fingerprint = *fingerprint};
    pthread_rwlock_wrlock(&planner->storing);
    if (planner->plans_file && !planner->plans) {
        status = tcplan_stored_plans_open(&planner->plans, &store, planner->plans_file, error);
    }
    pthread_rwlock_unlock(&planner->storing);
    return status;
}

/** Returns the stored plans if they are open, and keeps them open until planning_give_plans(). */
static struct tcplan_stored_plans *take_plans(const struct planning *planning) {
    if (!planning->settings.has_plans) return NULL;
    pthread_rwlock_rdlock(&planning->planner->storing);
    if (planning->planner->plans) return planning->planner->plans;
    pthread_rwlock_unlock(&planning->planner->storing);
    return NULL;
}

void planning_give_plans(const struct planning *planning, const struct tcplan_stored_plans *plans) {
    if (plans) pthread_rwlock_unlock(&planning->planner->storing);
}

enum tcplan_status planning_take_plans(struct tcplan_stored_plans **out,
                                       const struct planning *planning,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    *out = take_plans(planning);
    if (!*out && planning->settings.has_plans) status = open_plans(planning->planner, error);
    if (!*out && status == TCPLAN_OK) *out = take_plans(planning);
    return status;
}

enum tcplan_status planning_recall(struct tcplan_found_plan *out, const struct planning *planning,
                                   const struct tcplan_problem *problem,
                                   struct tcplan_error *error) {
    struct tcplan_stored_plans *plans = NULL;
    enum tcplan_status status = planning_take_plans(&plans, planning, error);
    if (status != TCPLAN_OK) return status;
    status = plans ? tcplan_recall(out, plans, problem, &planning->settings.options, error)
                   : TCPLAN_NOT_APPLICABLE;
    planning_give_plans(planning, plans);
    return status == TCPLAN_OK || status == TCPLAN_NO_MEMORY ? status : TCPLAN_NOT_APPLICABLE;
}

/** Stores the choice of a ranking under the planner's options. Estimates are not stored, not even
 * those of a ranking that had to estimate because others measured until the deadline. */
static void keep_plan(const struct planning *planning, const struct tcplan_ranking *ranking) {
    struct tcplan_stored_plans *plans = take_plans(planning);
    if (plans) tcplan_recall_keep(NULL, plans, ranking, &planning->settings.options, NULL);
    planning_give_plans(planning, plans);
}

/** Sets options from the shared data. `*knows` receives whether they refer to data of the store,
 * whose lock is then held. */
static enum tcplan_status know(struct tcplan_rank_options *options, bool *knows,
                               const struct planning *planning, struct tcplan_error *error) {
    *knows =
        planning->settings.has_store && lock_until(&planning->planner->knowing, planning->deadline);
    return *knows ? knowledge_give(&planning->planner->knowledge, options, error)
                  : knowledge_machine(&options->machine, error);
}

enum tcplan_status planning_know(struct tcplan_rank_options *out, bool *knows,
                                 const struct planning *planning, struct tcplan_error *error) {
    *out = planning->settings.options;
    const enum tcplan_status status = know(out, knows, planning, error);
    return status == TCPLAN_OK ? set_remaining_time(out, planning, error) : status;
}

void planning_known(const struct planning *planning, bool knows) {
    if (knows) pthread_mutex_unlock(&planning->planner->knowing);
}

enum tcplan_status planning_rank(struct tcplan_ranking **out, const struct planning *planning,
                                 const struct tcplan_problem *problem, struct tcplan_error *error) {
    struct tcplan_rank_options options = planning->settings.options;
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct tcplan_stored_plans *plans = take_plans(planning);
    tcplan_recall_starts(&options, start, plans, problem);
    planning_give_plans(planning, plans);
    bool knows = false;
    enum tcplan_status status = know(&options, &knows, planning, error);
    if (status == TCPLAN_OK) status = rank_in_turn(out, planning, &options, problem, error);
    if (status == TCPLAN_OK && knows) knowledge_keep(&planning->planner->knowledge);
    planning_known(planning, knows);
    if (status == TCPLAN_OK) keep_plan(planning, *out);
    return status;
}

/* Settings for compiling kernels. */

struct kernel_maker planning_maker(struct tcplan_store *code, const struct planning *planning,
                                   const struct plan_choice *choice) {
    const struct tcplan_fingerprint *fingerprint = NULL;
    *code = (struct tcplan_store){0};
    if (!provider_traits_of(choice->algorithm.provider)->is_compiled)
        return (struct kernel_maker){0};
    const bool has_store =
        planning->settings.has_store && knowledge_fingerprint(&fingerprint, NULL) == TCPLAN_OK;
    if (has_store && lock_until(&planning->planner->knowing, planning->deadline)) {
        const char *folder = planning->planner->knowledge.folder;
        code->folder = folder ? base_strdup(folder) : NULL; /* a copy of the folder's name, because
                                                               another thread may change it */
        pthread_mutex_unlock(&planning->planner->knowing);
        code->fingerprint = *fingerprint;
    }
    return (struct kernel_maker){.keeper = store_code_keeper(code),
                                 .only_stored = choice->origin == TCPLAN_PLAN_ESTIMATED,
                                 .deadline = planning->deadline};
}

void planning_maker_free(struct tcplan_store *code) {
    base_free((void *)(uintptr_t)code->folder);
    *code = (struct tcplan_store){0};
}
