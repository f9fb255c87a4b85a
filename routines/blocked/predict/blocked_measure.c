#include "tcplan/blocked_measure.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/random.h"
#include "microbench/program/buffers.h"
#include "microbench/timing/load.h"
#include "microbench/timing/session.h"
#include "routines/blocked/calls/calls.h"
#include "routines/blocked/predict/measured.h"
#include "routines/sampler/timing/reference_calls.h"
#include "tcplan/blocked_run.h"

enum { ALIGNMENT = 4096, TRIES = 3 };

#define MEMORY_SHARE 0.8

/* Runs shorter than this follow a warm-up run that does not count, so that caches and clock depend
 * on the algorithm and not on earlier work. */
#define SHORT_SECONDS 20e-3

/* Runs wait until the core has the speed of the models: in total at most as long as the series has
 * taken otherwise, or this number of seconds. */
#define PATIENCE_SECONDS 2.0

struct series {
    const struct tcplan_blocked_measure_options *options;
    struct tcplan_blocked_measured *of;
    size_t count;
    struct measured_runs *runs; /* runs of each algorithm */
    size_t *order;
    struct random random;
    void *matrix[TCPLAN_MAX_MATRICES];
    struct queue *queue;
    struct reference_calls reference;
    double started, ended; /* time after which no run begins; INFINITY: none */
    double run_seconds;
    double waited_seconds;
    int rounds;
};

/** Returns the bytes of each matrix that the largest problem needs. */
static int64_t largest_bytes(const struct series *series, int matrix) {
    int64_t most = 0;
    for (size_t i = 0; i < series->count; i++) {
        const struct tcplan_blocked *blocked = series->of[i].blocked;
        if (matrix >= blocked->blocks.matrix_count) continue;
        const int64_t bytes = tcplan_blocked_bytes(blocked, &series->of[i].sizes, matrix);
        if (bytes > most) most = bytes;
    }
    return most;
}

static enum tcplan_status reserve(struct series *series, struct tcplan_error *error) {
    const int64_t asked = series->options->max_memory_bytes;
    const int64_t most =
        asked > 0 ? asked : (int64_t)(MEMORY_SHARE * (double)buffers_available_bytes());
    int64_t total = 0;
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) {
        if (!checked_add_i64(total, largest_bytes(series, m), &total)) total = INT64_MAX;
    }
    if (most > 0 && total > most) {
        return error_set(error, TCPLAN_INVALID,
                         "the matrices need %s of memory, but only %s may be used; take smaller "
                         "matrices",
                         quantity_bytes((double)total).text, quantity_bytes((double)most).text);
    }
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) {
        const int64_t bytes = largest_bytes(series, m);
        if (bytes == 0) continue;
        series->matrix[m] = base_aligned_alloc(ALIGNMENT, (size_t)bytes);
        if (!series->matrix[m]) return error_no_memory(error);
        memset(series->matrix[m], 0, (size_t)bytes);
    }
    return TCPLAN_OK;
}

static enum tcplan_status open_series(struct series *series, struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (size_t i = 0; i < series->count && status == TCPLAN_OK; i++)
        status = tcplan_blocked_check(series->of[i].blocked, &series->of[i].sizes, error);
    if (status != TCPLAN_OK) return status;
    series->runs = base_alloc_zero(series->count + 1, sizeof *series->runs);
    series->order = base_alloc((series->count + 1) * sizeof *series->order);
    series->queue = queue_new();
    if (!series->runs || !series->order || !series->queue) return error_no_memory(error);
    for (size_t i = 0; i < series->count; i++) series->order[i] = i;
    status = reference_calls_open(&series->reference, error);
    if (status == TCPLAN_OK)
        status = reference_calls_add(series->queue, &series->reference, 0, error);
    return status == TCPLAN_OK ? reserve(series, error) : status;
}

static void close_series(struct series *series) {
    for (int m = 0; m < TCPLAN_MAX_MATRICES; m++) base_free(series->matrix[m]);
    queue_free(series->queue);
    reference_calls_close(&series->reference);
    base_free(series->order);
    base_free(series->runs);
}

/** Returns the seconds that the reference takes at present; 0 if unknown. */
static double look(struct series *series) {
    const struct queue_options options = {.threads = series->options->threads};
    int count;
    if (queue_run(series->queue, &options, NULL) != TCPLAN_OK) return 0;
    const struct sample *sample = queue_samples(series->queue, &count);
    return reference_calls_seconds(sample, count);
}

static bool is_patient(const struct series *series, double now) {
    const double other = now - series->started - series->waited_seconds;
    return series->waited_seconds < fmax(PATIENCE_SECONDS, other) && now < series->ended;
}

/** Returns the seconds of the reference, once it is taken at the speed of the models or patience
 * ends. */
static double look_patiently(struct series *series) {
    const double good_seconds = series->options->good_seconds, began = monotonic_seconds();
    const double waited_seconds = series->waited_seconds;
    double seconds = look(series);
    while (good_seconds > 0 && !good_state_is(good_seconds, seconds) &&
           is_patient(series, monotonic_seconds())) {
        seconds = look(series);
        series->waited_seconds = waited_seconds + monotonic_seconds() - began;
    }
    return seconds;
}

static enum tcplan_status run_once(struct tcplan_blocked_outcome *out, const struct series *series,
                                   const struct tcplan_blocked_measured *of,
                                   struct tcplan_error *error) {
    tcplan_blocked_fill(of->blocked, &of->sizes, series->matrix, series->options->seed);
    const enum tcplan_status status = tcplan_blocked_run(
        out, of->blocked, &of->sizes, series->options->provider, series->matrix, error);
    if (status != TCPLAN_OK || out->end == TCPLAN_BLOCKED_COMPUTED) return status;
    return error_set(error, TCPLAN_ENVIRONMENT, "a run of %s ended early: %s, info = %lld of %.20s",
                     tcplan_blocked_name(of->blocked), tcplan_blocked_end_text(out->end),
                     (long long)out->info, out->routine ? out->routine : "a routine");
}

/**
 * Times one run between two references; repeats it a limited number of times if other load used
 * the core.
 */
static enum tcplan_status sample(struct series *series, size_t number, struct tcplan_error *error) {
    struct tcplan_blocked_measured *of = &series->of[number];
    struct measured_runs *runs = &series->runs[number];
    struct tcplan_blocked_outcome outcome = {.seconds = 0};
    enum tcplan_status status = TCPLAN_OK;
    const bool is_short = runs->count == 0 || runs->sample[0].seconds < SHORT_SECONDS;
    if (is_short) status = run_once(&outcome, series, of, error);
    for (int t = 0; t < TRIES && status == TCPLAN_OK; t++) {
        struct timed_sample timed = {.before = look_patiently(series),
                                     .at_seconds = monotonic_seconds()};
        status = run_once(&outcome, series, of, error);
        if (status != TCPLAN_OK) break;
        timed.apart_seconds = monotonic_seconds() - timed.at_seconds;
        timed.after = look(series);
        timed.seconds = outcome.seconds;
        if (outcome.disturbed && t + 1 < TRIES) continue;
        runs->sample[runs->count++] = timed;
        of->disturbed += outcome.disturbed;
        series->run_seconds += timed.seconds;
        break;
    }
    return status;
}

static void shuffle(struct series *series) {
    for (size_t i = series->count; i > 1; i--) {
        const size_t other = (size_t)random_below(&series->random, (int64_t)i),
                     swapped = series->order[i - 1];
        series->order[i - 1] = series->order[other];
        series->order[other] = swapped;
    }
}

static void report_progress(const struct series *series, int round, size_t done) {
    const struct tcplan_blocked_measure_options *options = series->options;
    if (!options->progress) return;
    options->progress(options->progress_context, "running",
                      (double)round * (double)series->count + (double)done,
                      (double)series->rounds * (double)series->count);
}

static enum tcplan_status run_rounds(struct series *series, struct tcplan_blocked_measuring *out,
                                     struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int r = 0; r < series->rounds && status == TCPLAN_OK; r++) {
        shuffle(series);
        for (size_t i = 0; i < series->count && status == TCPLAN_OK; i++) {
            out->time_over = monotonic_seconds() >= series->ended;
            if (out->time_over) return TCPLAN_OK;
            status = sample(series, series->order[i], error);
            report_progress(series, r, i + 1);
        }
    }
    return status;
}

/** Reports the algorithms that were run often enough. */
static enum tcplan_status tell(struct series *series, struct tcplan_blocked_measuring *out,
                               const struct load_mark *mark, struct tcplan_error *error) {
    const int least = series->rounds < TCPLAN_BLOCKED_LEAST_REPETITIONS
                          ? series->rounds
                          : TCPLAN_BLOCKED_LEAST_REPETITIONS;
    struct timed_point *point = base_alloc_zero(series->count + 1, sizeof *point);
    if (!point) return error_no_memory(error);
    for (size_t i = 0; i < series->count; i++) {
        point[i] = (struct timed_point){
            .flops = tcplan_blocked_flops(series->of[i].blocked, &series->of[i].sizes),
            .count = series->runs[i].count,
            .sample = series->runs[i].sample};
    }
    const struct drift drift = good_state_drift(point, (int)series->count);
    const double models = series->options->good_seconds,
                 good = models > 0 ? fmin(drift.good_seconds, models) : drift.good_seconds;
    const double elasticity = good_state_elasticity(good, point, (int)series->count);
    for (size_t i = 0; i < series->count; i++) {
        if (series->runs[i].count < least) series->runs[i].count = 0;
        measured_report(&series->of[i], &series->runs[i], good, elasticity,
                        series->options->good_seconds);
    }
    out->core = (struct tcplan_core_speed){.good_seconds = good,
                                           .share = good > 0 ? good / drift.mean_seconds : 1,
                                           .other_cores = load_end(mark).other_cores};
    base_free(point);
    return TCPLAN_OK;
}

enum tcplan_status tcplan_blocked_measure(struct tcplan_blocked_measuring *out,
                                          struct tcplan_blocked_measured of[], size_t count,
                                          const struct tcplan_blocked_measure_options *options,
                                          struct tcplan_error *error) {
    struct series series = {.options = options,
                            .of = of,
                            .count = count,
                            .random = {options->seed},
                            .started = monotonic_seconds()};
    *out = (struct tcplan_blocked_measuring){.same_state = options->good_seconds > 0};
    series.rounds = options->repetitions > 0 ? options->repetitions : TCPLAN_BLOCKED_REPETITIONS;
    if (series.rounds > TCPLAN_BLOCKED_MOST_REPETITIONS || count > INT32_MAX)
        return error_set(error, TCPLAN_INVALID,
                         "expected fewer runs than %d of each of %zu algorithms", series.rounds,
                         count);
    series.ended =
        options->time_limit_seconds > 0 ? series.started + options->time_limit_seconds : INFINITY;
    struct session session;
    const struct session_options wanted = {.threads = options->threads,
                                           .binding = &options->binding};
    /* the session begins before matrices are filled, as it binds their memory */
    enum tcplan_status status = session_begin_with(&session, &wanted, error);
    if (status == TCPLAN_OK) status = open_series(&series, error);
    if (status == TCPLAN_OK) {
        const struct load_mark mark = load_begin();
        status = run_rounds(&series, out, error);
        session_end(&session);
        if (status == TCPLAN_OK) status = tell(&series, out, &mark, error);
    } else {
        session_end(&session);
    }
    out->seconds = monotonic_seconds() - series.started;
    out->run_seconds = series.run_seconds;
    close_series(&series);
    return status;
}
