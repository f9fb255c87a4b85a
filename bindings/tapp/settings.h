/**
 * Settings of planning: the attributes of a handle, and planners with these attributes. Products
 * share the settings of their creation. If attributes change, the handle gets new settings and
 * existing products keep theirs.
 */
#ifndef TAPP_SETTINGS_H
#define TAPP_SETTINGS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <tapp/error.h>

#include "tcplan/planner.h"

enum { TAPP_MAX_THREADS = 4096 };

struct tapp_planner; /**< a planner for a number of threads */

struct tapp_settings {
    atomic_int users;
    enum tcplan_effort effort;
    double time_limit_seconds; /**< 0: none */
    int threads;
    int improving;          /**< executions in which plans improve themselves */
    char *plans;            /**< the file of stored plans, or a folder; empty: none */
    bool names_plans;       /**< an attribute names it: planning fails if it cannot be used */
    char *store;            /**< the store of data about the machine; empty: none */
    pthread_mutex_t making; /**< holds who looks for or makes a planner */
    struct tapp_planner *planners;
};

/** The settings from the environment; NULL: memory runs out, or a variable is malformed: `error` is
 * that, and noted. */
struct tapp_settings *tapp_settings_new(TAPP_error *error);

/** Settings like others, without their planners; NULL: memory runs out. */
struct tapp_settings *tapp_settings_copy(const struct tapp_settings *from);

/** Those of products without a handle: made once. One more user; NULL as tapp_settings_new(). */
struct tapp_settings *tapp_settings_usual(TAPP_error *error);

/** One more user. */
struct tapp_settings *tapp_settings_share(struct tapp_settings *settings);

/** One user less; the last one frees them. NULL is fine. */
void tapp_settings_release(struct tapp_settings *settings);

/**
 * A planner for that many threads: as long as the settings live.
 *
 * @return TCPLAN_OK, or why it cannot be made
 */
enum tcplan_status tapp_settings_planner(struct tcplan_planner **out,
                                         struct tapp_settings *settings, int threads,
                                         struct tcplan_error *error);

/** An effort by its name; false: there is none. */
bool tapp_effort_of(enum tcplan_effort *out, const char *name);

const char *tapp_effort_name(enum tcplan_effort effort);

/** Whether this process was forked from one that had settings. */
bool tapp_is_forked(void);

/** How many threads executors have at first: TCPLAN_THREADS, or 1. 0: it is malformed, which is
 * noted. */
int tapp_usual_threads(void);

#endif
