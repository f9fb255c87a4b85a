#include "bindings/tapp/settings.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/tapp/errors.h"

struct tapp_planner {
    struct tapp_planner *next;
    int threads;
    struct tcplan_planner *planner;
};

static const char *const efforts[] = {[TCPLAN_EFFORT_ESTIMATE] = "estimate",
                                      [TCPLAN_EFFORT_QUICK] = "quick",
                                      [TCPLAN_EFFORT_NORMAL] = "normal",
                                      [TCPLAN_EFFORT_THOROUGH] = "thorough"};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

bool tapp_effort_of(enum tcplan_effort *out, const char *name) {
    int effort = 0;
    while (effort < EFFORTS && strcmp(efforts[effort], name) != 0) effort++;
    if (effort < EFFORTS) *out = (enum tcplan_effort)effort;
    return effort < EFFORTS;
}

const char *tapp_effort_name(enum tcplan_effort effort) {
    return efforts[effort];
}

/* Functions that make settings from environment variables. */

static char *copy_text(const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy) memcpy(copy, text, bytes);
    return copy;
}

/** Appends a name to a folder; returns NULL if out of memory. */
static char *join(const char *folder, const char *name) {
    const size_t length = strlen(folder), bytes = strlen(name) + 1;
    char *text = malloc(length + bytes);
    if (!text) return NULL;
    snprintf(text, length + bytes, "%s%s", folder, name);
    return text;
}

/** Returns the place of stored plans: TCPLAN_PLANS or, if it is not set, the store, with a slash at
 * the end. NULL if out of memory. */
static char *find_plans(const char *store) {
    const char *named = getenv("TCPLAN_PLANS");
    if (named) return copy_text(named);
    return *store ? join(store, "/") : copy_text("");
}

int tapp_usual_threads(void) {
    const char *text = getenv("TCPLAN_THREADS");
    if (!text || !*text) return 1;
    char *end = NULL;
    const long threads = strtol(text, &end, 10);
    if (*end == '\0' && *text >= '0' && *text <= '9' && threads >= 1 && threads <= TAPP_MAX_THREADS)
        return (int)threads;
    tapp_fail(TAPP_TCPLAN_ENVIRONMENT, "The variable TCPLAN_THREADS is '%.40s': expected 1 to %d.",
              text, (int)TAPP_MAX_THREADS);
    return 0;
}

static bool read_effort(enum tcplan_effort *out) {
    const char *text = getenv("TCPLAN_EFFORT");
    if (!text || !*text || tapp_effort_of(out, text)) return true;
    tapp_fail(
        TAPP_TCPLAN_ENVIRONMENT,
        "The variable TCPLAN_EFFORT is '%.40s': expected estimate, quick, normal or thorough.",
        text);
    return false;
}

/* Forks. */

static atomic_bool is_forked;

static void note_fork(void) {
    atomic_store(&is_forked, true);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, note_fork);
}

bool tapp_is_forked(void) {
    return atomic_load(&is_forked);
}

/* Settings. */

/** Makes settings with one user. They own the texts, which are freed if out of memory. */
static struct tapp_settings *make(const struct tapp_settings *like, char *plans, char *store) {
    struct tapp_settings *settings = plans && store ? calloc(1, sizeof *settings) : NULL;
    if (!settings) {
        free(plans);
        free(store);
        return NULL;
    }
    atomic_init(&settings->users, 1);
    settings->effort = like->effort;
    settings->time_limit_seconds = like->time_limit_seconds;
    settings->threads = like->threads;
    settings->improving = like->improving;
    settings->plans = plans;
    settings->names_plans = like->names_plans;
    settings->store = store;
    pthread_mutex_init(&settings->making, NULL);
    return settings;
}

struct tapp_settings *tapp_settings_new(TAPP_error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    struct tapp_settings like = {.effort = TCPLAN_EFFORT_ESTIMATE, .threads = tapp_usual_threads()};
    *error = TAPP_TCPLAN_ENVIRONMENT;
    if (like.threads == 0 || !read_effort(&like.effort)) return NULL;
    char *store = tcplan_store_folder(getenv);
    struct tapp_settings *settings = make(&like, store ? find_plans(store) : NULL, store);
    *error = settings ? TAPP_TCPLAN_SUCCESS : tapp_fail(TAPP_TCPLAN_NO_MEMORY, NULL);
    return settings;
}

struct tapp_settings *tapp_settings_copy(const struct tapp_settings *from) {
    return make(from, copy_text(from->plans), copy_text(from->store));
}

struct tapp_settings *tapp_settings_usual(TAPP_error *error) {
    static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
    static struct tapp_settings *usual;
    *error = TAPP_TCPLAN_SUCCESS;
    pthread_mutex_lock(&changing);
    if (!usual) usual = tapp_settings_new(error);
    struct tapp_settings *settings = usual ? tapp_settings_share(usual) : NULL;
    pthread_mutex_unlock(&changing);
    return settings;
}

struct tapp_settings *tapp_settings_share(struct tapp_settings *settings) {
    atomic_fetch_add(&settings->users, 1);
    return settings;
}

void tapp_settings_release(struct tapp_settings *settings) {
    if (!settings || atomic_fetch_sub(&settings->users, 1) > 1) return;
    while (settings->planners) {
        struct tapp_planner *planner = settings->planners;
        settings->planners = planner->next;
        tcplan_planner_free(planner->planner);
        free(planner);
    }
    pthread_mutex_destroy(&settings->making);
    free(settings->plans);
    free(settings->store);
    free(settings);
}

/* Planners. */

static enum tcplan_status set_up(struct tcplan_planner *planner,
                                 const struct tapp_settings *settings, int threads) {
    enum tcplan_status status = tcplan_planner_set_effort(planner, settings->effort, NULL);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_time_limit(planner, settings->time_limit_seconds, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_threads(planner, threads, NULL);
    if (status == TCPLAN_OK) status = tcplan_planner_set_oversubscription(planner, true, NULL);
    if (status == TCPLAN_OK)
        status = tcplan_planner_set_improving(planner, settings->improving, NULL);
    if (status == TCPLAN_OK && *settings->store)
        status = tcplan_planner_set_store(planner, settings->store, NULL);
    if (status != TCPLAN_OK || !*settings->plans) return status;
    status = tcplan_planner_set_plans(planner, settings->plans, NULL);
    return settings->names_plans || status == TCPLAN_NO_MEMORY
               ? status
               : TCPLAN_OK; /* if the stored plans cannot be used, planning works without them */
}

/** Adds a planner. The caller holds the lock. */
static enum tcplan_status add(struct tapp_settings *settings, int threads,
                              struct tcplan_error *error) {
    struct tapp_planner *made = calloc(1, sizeof *made);
    if (!made) return TCPLAN_NO_MEMORY;
    enum tcplan_status status = tcplan_planner_new(&made->planner, error);
    if (status == TCPLAN_OK) status = set_up(made->planner, settings, threads);
    if (status != TCPLAN_OK) {
        tcplan_planner_free(made->planner);
        free(made);
        return status;
    }
    made->threads = threads;
    made->next = settings->planners;
    settings->planners = made;
    return TCPLAN_OK;
}

enum tcplan_status tapp_settings_planner(struct tcplan_planner **out,
                                         struct tapp_settings *settings, int threads,
                                         struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    pthread_mutex_lock(&settings->making);
    struct tapp_planner *found = settings->planners;
    while (found && found->threads != threads) found = found->next;
    if (!found) {
        status = add(settings, threads, error);
        found = settings->planners;
    }
    if (status == TCPLAN_OK) *out = found->planner;
    pthread_mutex_unlock(&settings->making);
    return status;
}
