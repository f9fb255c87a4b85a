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

struct tapp_planner; /**< a planner for some number of threads */

struct tapp_settings {
    atomic_int users;
    enum tcplan_effort effort;
    double time_limit_seconds; /**< time limit of planning a product; 0: none */
    int threads;
    int improving;    /**< number of executions in which plans improve themselves */
    char *plans;      /**< file or folder of stored plans; empty: none */
    bool names_plans; /**< whether `plans` was set by an attribute; planning then fails if it cannot
                         be used */
    char *store;      /**< folder of the store of data about the machine; empty: none */
    pthread_mutex_t making; /**< held while a planner is looked up or made */
    struct tapp_planner *planners;
};

/** Makes settings from the environment variables. Returns NULL if out of memory or if a variable is
 * invalid; `error` then receives the code, which tapp_fail() has recorded. */
struct tapp_settings *tapp_settings_new(TAPP_error *error);

/** Copies settings without their planners; returns NULL if out of memory. */
struct tapp_settings *tapp_settings_copy(const struct tapp_settings *from);

/** Returns the settings of products without a handle, with one more user. They are made only once.
 * NULL as for tapp_settings_new(). */
struct tapp_settings *tapp_settings_usual(TAPP_error *error);

/** Increments the number of users of the settings, and returns the settings. */
struct tapp_settings *tapp_settings_share(struct tapp_settings *settings);

/** Removes a user from settings; the last one frees them. NULL is fine. */
void tapp_settings_release(struct tapp_settings *settings);

/**
 * Finds or makes a planner for this many threads, which lives as long as the settings.
 *
 * @return TCPLAN_OK, or the reason why no planner could be made
 */
enum tcplan_status tapp_settings_planner(struct tcplan_planner **out,
                                         struct tapp_settings *settings, int threads,
                                         struct tcplan_error *error);

/** Finds an effort by its name; returns false if there is none. */
bool tapp_effort_of(enum tcplan_effort *out, const char *name);

const char *tapp_effort_name(enum tcplan_effort effort);

/** Returns whether this process was forked from one that had settings. */
bool tapp_is_forked(void);

/** Returns the default number of threads: TCPLAN_THREADS, or 1. 0 if the variable is invalid, which
 * is recorded by tapp_fail(). */
int tapp_usual_threads(void);

#endif
