#include "api/planner.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"

/** Returns the default settings: those of a ranking, but without measuring the speed of gemm, which
 * only listings show. */
static struct planner_settings defaults(void) {
    struct planner_settings settings = {.options = tcplan_rank_defaults()};
    settings.options.gemm_gflops = -1;
    return settings;
}

enum tcplan_status tcplan_planner_new(struct tcplan_planner **out, struct tcplan_error *error) {
    if (!out)
        return error_set(error, TCPLAN_INVALID, "expected a pointer for the planner, found NULL");
    struct tcplan_planner *planner = base_alloc_zero(1, sizeof *planner);
    if (!planner) return error_no_memory(error);
    planner->settings = defaults();
    pthread_mutex_init(&planner->lock, NULL);
    pthread_mutex_init(&planner->knowing, NULL);
    pthread_rwlock_init(&planner->storing, NULL);
    atomic_init(&planner->cancelled, 0);
    *out = planner;
    return TCPLAN_OK;
}

void tcplan_planner_free(struct tcplan_planner *planner) {
    if (!planner) return;
    knowledge_free(&planner->knowledge);
    tcplan_stored_plans_close(planner->plans);
    base_free(planner->plans_file);
    pthread_rwlock_destroy(&planner->storing);
    pthread_mutex_destroy(&planner->knowing);
    pthread_mutex_destroy(&planner->lock);
    base_free(planner);
}

struct planner_settings planner_settings_of(struct tcplan_planner *planner) {
    if (!planner) return defaults();
    pthread_mutex_lock(&planner->lock);
    const struct planner_settings settings = planner->settings;
    pthread_mutex_unlock(&planner->lock);
    return settings;
}

/* Functions that set options of a planner. */

static enum tcplan_status refuse_null(struct tcplan_error *error) {
    return error_set(error, TCPLAN_INVALID, "expected a planner, found NULL");
}

/** Locks the planner until changed() is called, and returns its options. */
static struct tcplan_rank_options *change(struct tcplan_planner *planner) {
    pthread_mutex_lock(&planner->lock);
    return &planner->settings.options;
}

static enum tcplan_status changed(struct tcplan_planner *planner) {
    pthread_mutex_unlock(&planner->lock);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_planner_set_effort(struct tcplan_planner *planner,
                                             enum tcplan_effort effort,
                                             struct tcplan_error *error) {
    const int number = (int)effort;
    if (!planner) return refuse_null(error);
    if (number < TCPLAN_EFFORT_ESTIMATE || number > TCPLAN_EFFORT_THOROUGH) {
        return error_set(error, TCPLAN_INVALID,
                         "expected an effort of enum tcplan_effort, found %d", number);
    }
    change(planner)->effort = effort;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_time_limit(struct tcplan_planner *planner, double seconds,
                                                 struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (!(seconds >= 0))
        return error_set(error, TCPLAN_INVALID,
                         "expected a time limit of 0 or more seconds, found %g", seconds);
    change(planner)->time_limit_seconds = seconds;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_threads(struct tcplan_planner *planner, int threads,
                                              struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (threads < 1 || threads > TCPLAN_MAX_THREADS) {
        return error_set(error, TCPLAN_INVALID, "expected 1 to %d threads, found %d",
                         (int)TCPLAN_MAX_THREADS, threads);
    }
    change(planner)->threads = threads;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_oversubscription(struct tcplan_planner *planner, bool allowed,
                                                       struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    change(planner)->oversubscribe = allowed;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_workspace(struct tcplan_planner *planner, int64_t bytes,
                                                struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (bytes < 0)
        return error_set(error, TCPLAN_INVALID,
                         "expected a workspace of 0 or more bytes, found %lld", (long long)bytes);
    change(planner)->max_workspace_bytes = bytes;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_alignment(struct tcplan_planner *planner, int64_t bytes,
                                                struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (bytes < 0 || (bytes & (bytes - 1)) != 0) {
        return error_set(error, TCPLAN_INVALID,
                         "expected an alignment of 0 or a power of two, found %lld",
                         (long long)bytes);
    }
    change(planner)->alignment_bytes = bytes;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_preference(struct tcplan_planner *planner,
                                                 enum tcplan_preference preference,
                                                 struct tcplan_error *error) {
    const int number = (int)preference;
    if (!planner) return refuse_null(error);
    if (number != TCPLAN_PREFER_SIMPLE && number != TCPLAN_PREFER_SPEED) {
        return error_set(error, TCPLAN_INVALID,
                         "expected a preference of enum tcplan_preference, found %d", number);
    }
    change(planner)->prefer = preference;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_progress(struct tcplan_planner *planner,
                                               tcplan_progress_fn *progress, void *context,
                                               struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    struct tcplan_rank_options *options = change(planner);
    options->progress = progress;
    options->progress_context = context;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_improving(struct tcplan_planner *planner, int executions,
                                                struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (executions < 0)
        return error_set(error, TCPLAN_INVALID, "expected 0 or more executions, found %d",
                         executions);
    change(planner);
    planner->settings.improving = executions;
    return changed(planner);
}

enum tcplan_status tcplan_planner_set_store(struct tcplan_planner *planner, const char *folder,
                                            struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (folder && !*folder)
        return error_set(error, TCPLAN_INVALID, "expected a folder or NULL, found an empty name");
    pthread_mutex_lock(&planner->knowing);
    const enum tcplan_status status = knowledge_set_folder(&planner->knowledge, folder);
    pthread_mutex_unlock(&planner->knowing);
    if (status != TCPLAN_OK) return error_no_memory(error);
    change(planner);
    planner->settings.has_store = folder != NULL;
    return changed(planner);
}

char *tcplan_store_folder(char *(*variable)(const char *name)) {
    const char *named = variable("TCPLAN_STORE"), *cache = variable("XDG_CACHE_HOME"),
               *home = variable("HOME");
    struct strbuf folder = {0};
    if (named) {
        strbuf_add(&folder, "%s", named);
    } else if (cache && *cache == '/') { /* the XDG specification says to ignore relative paths */
        strbuf_add(&folder, "%s/tcplan", cache);
    } else {
        strbuf_add(&folder, "%s%s", home && *home == '/' ? home : "",
                   home && *home == '/' ? "/.cache/tcplan" : "");
    }
    return strbuf_finish(&folder);
}

/** Checks that a path does not exist or holds stored plans. */
static enum tcplan_status check_plans(const char *file, struct tcplan_error *error) {
    const struct tcplan_store any_machine = {0}; /* any machine, because only the file's format is
                                                    checked */
    struct tcplan_stored_plans *plans = NULL;
    enum tcplan_status status = tcplan_stored_plans_open(&plans, &any_machine, file, error);
    if (status == TCPLAN_OK) status = tcplan_stored_plans_check(plans, error);
    tcplan_stored_plans_close(plans);
    return status;
}

enum tcplan_status tcplan_planner_set_plans(struct tcplan_planner *planner, const char *file,
                                            struct tcplan_error *error) {
    if (!planner) return refuse_null(error);
    if (file && !*file)
        return error_set(error, TCPLAN_INVALID,
                         "expected a file, a folder or NULL, found an empty name");
    enum tcplan_status status = file ? check_plans(file, error) : TCPLAN_OK;
    if (status != TCPLAN_OK) return status;
    char *copy = file ? base_strdup(file) : NULL;
    if (file && !copy) return error_no_memory(error);
    pthread_rwlock_wrlock(&planner->storing);
    tcplan_stored_plans_close(planner->plans);
    base_free(planner->plans_file);
    planner->plans = NULL;
    planner->plans_file = copy;
    pthread_rwlock_unlock(&planner->storing);
    change(planner);
    planner->settings.has_plans = file != NULL;
    return changed(planner);
}

void tcplan_planner_cancel(struct tcplan_planner *planner) {
    if (planner) atomic_fetch_add(&planner->cancelled, 1);
}
