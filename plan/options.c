#include "plan/options.h"

#include <unistd.h>

#include "base/error.h"

/** The permitted range of an integer option. */
struct number {
    const char *name;
    int64_t value;
    int64_t least;
    int64_t most;
};

enum tcplan_status tcplan_check_threads(int threads, struct tcplan_error *error) {
    const long units = sysconf(_SC_NPROCESSORS_ONLN);
    if (units < 1 || threads <= units) return TCPLAN_OK;
    return error_set(
        error, TCPLAN_INVALID,
        "expected at most %ld thread%s, the processing units of this machine, found %d", units,
        units == 1 ? "" : "s", threads);
}

enum tcplan_status rank_options_check(const struct tcplan_rank_options *options,
                                      struct tcplan_error *error) {
    const struct number numbers[] = {
        {"threads", options->threads, 1, TCPLAN_MAX_THREADS},
        {"predictor", options->predictor, 0, TCPLAN_PREDICT_REPEATED},
        {"stage", options->stage, 0, TCPLAN_STAGE_FIRST},
        {"cache", options->cache, 0, TCPLAN_CACHE_COLD},
        {"space", options->space, 0, TCPLAN_SPACE_BLAS},
        {"effort", options->effort, 0, TCPLAN_EFFORT_THOROUGH},
        {"prefer", options->prefer, 0, TCPLAN_PREFER_SPEED},
        {"setup_limit_bytes", options->setup_limit_bytes, 0, INT64_MAX},
        {"max_workspace_bytes", options->max_workspace_bytes, 0, INT64_MAX},
        {"max_memory_bytes", options->max_memory_bytes, 0, INT64_MAX}};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        const struct number *number = &numbers[n];
        if (number->value >= number->least && number->value <= number->most) continue;
        return error_set(error, TCPLAN_INVALID,
                         "expected %lld to %lld as the option %s of a ranking, found %lld",
                         (long long)number->least, (long long)number->most, number->name,
                         (long long)number->value);
    }
    const bool is_thought_of =
        options->effort == TCPLAN_EFFORT_ESTIMATE && options->machine && !options->machine->live;
    if (!is_thought_of && !options->oversubscribe) {
        const enum tcplan_status status = tcplan_check_threads(options->threads, error);
        if (status != TCPLAN_OK) return status;
    }
    if (options->effort == TCPLAN_EFFORT_ESTIMATE &&
        (options->predictor != TCPLAN_PREDICT_WINDOW || options->predict_all)) {
        return error_set(
            error, TCPLAN_INVALID,
            "the effort `estimate` times nothing: it can neither predict all algorithms nor use other predictors");
    }
    if (options->time_limit_seconds >= 0) return TCPLAN_OK;
    return error_set(error, TCPLAN_INVALID,
                     "expected 0 or more as the option time_limit_seconds of a ranking, found %g",
                     options->time_limit_seconds);
}
