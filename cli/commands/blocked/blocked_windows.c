#include "tcplan/blocked_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/blocked/blocked_windows.h"

enum { LIBRARY = 128 };

struct predicting {
    const struct options *options;
    struct blocked_job job;
    struct tcplan_node_lock *lock;
    struct progress progress;
    size_t points;
    struct windowed_point *point; /* owned, with what it has */
    bool has_models;
    double models_spent_seconds;
    char library[LIBRARY];
};

static enum exit_status reserve(struct predicting *out) {
    const size_t blocks = (size_t)out->job.blocks, algorithms = (size_t)out->job.of.count;
    out->points = (size_t)out->job.points;
    out->point = base_alloc_zero(out->points, sizeof *out->point);
    for (size_t p = 0; p < out->points && out->point; p++) {
        out->point[p].of = base_alloc_zero(blocks * algorithms, sizeof *out->point[p].of);
        if (!out->point[p].of) return diagnose_no_memory();
    }
    return out->point ? EXIT_DONE : diagnose_no_memory();
}

static enum exit_status predict(struct predicting *out, struct windowed *of, bool whole) {
    const struct options *options = out->options;
    const struct tcplan_blocked_windows_options wanted = {
        .provider = (enum tcplan_provider)options->model.provider,
        .threads = options->threads,
        .samples = options->blocked.repetitions,
        .time_limit_seconds = options->time_limit_seconds,
        .max_memory_bytes = options->max_memory_bytes,
        .seed = options->seed,
        .whole = whole,
        .measure = options->measure};
    struct tcplan_error error;
    if (tcplan_blocked_windows(&of->windows, of->blocked, &of->sizes, &wanted, &error) == TCPLAN_OK)
        return EXIT_DONE;
    progress_clear(&out->progress);
    return diagnose_error(&error, NULL);
}

/** The same by models, where no call lacks one. */
static enum exit_status predict_by_models(struct predicting *out, struct windowed *of) {
    const double begun = monotonic_seconds();
    struct tcplan_blocked_predictor *predictor;
    struct tcplan_error error;
    if (tcplan_blocked_predictor_new(&predictor, of->blocked, out->job.request.models,
                                     &out->job.setup, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    const enum tcplan_status status =
        tcplan_blocked_predict(&of->models, NULL, NULL, predictor, &of->sizes, &error);
    tcplan_blocked_predictor_free(predictor);
    of->has_models = status == TCPLAN_OK;
    out->has_models = out->has_models || of->has_models;
    out->models_spent_seconds += monotonic_seconds() - begun;
    return status == TCPLAN_OK || status == TCPLAN_INVALID ? EXIT_DONE
                                                           : diagnose_error(&error, NULL);
}

static int compare(const void *a, const void *b) {
    const double x = ((const struct windowed *)a)->windows.estimate.seconds,
                 y = ((const struct windowed *)b)->windows.estimate.seconds;
    return (x > y) - (x < y);
}

/**
 * Has samples of all be whole runs where those of some are: what is ranked together is sampled in
 * one way.
 */
static enum exit_status sample_alike(struct predicting *out, struct windowed_point *point) {
    enum exit_status status = EXIT_DONE;
    bool any_whole = false;
    for (size_t a = 0; a < point->count; a++) any_whole = any_whole || point->of[a].windows.whole;
    for (size_t a = 0; a < point->count && any_whole && status == EXIT_DONE; a++) {
        struct windowed *of = &point->of[a];
        if (of->windows.whole) continue;
        const double spent_seconds = of->windows.spent_seconds;
        progress_update(&out->progress, "timing whole runs", (double)a, (double)point->count);
        tcplan_blocked_windows_free(&of->windows);
        status = predict(out, of, true);
        of->windows.spent_seconds += spent_seconds;
    }
    return status;
}

/** All algorithms and block sizes of a size. */
static enum exit_status predict_point(struct predicting *out, size_t number) {
    struct windowed_point *point = &out->point[number];
    const int blocks = out->job.blocks, algorithms = out->job.of.count;
    enum exit_status status = EXIT_DONE;
    for (int a = 0; a < algorithms && status == EXIT_DONE; a++) {
        for (int b = 0; b < blocks && status == EXIT_DONE; b++) {
            struct windowed *of = &point->of[point->count++];
            of->blocked = out->job.of.algorithm[a];
            of->sizes = out->job.point[number];
            of->sizes.block = out->job.block[b];
            progress_update(&out->progress, "timing stretches", (double)a * blocks + b,
                            (double)algorithms * blocks);
            status = predict(out, of, false);
            if (status == EXIT_DONE) status = predict_by_models(out, of);
        }
    }
    if (status == EXIT_DONE) status = sample_alike(out, point);
    if (status == EXIT_DONE) qsort(point->of, point->count, sizeof *point->of, compare);
    return status;
}

static enum exit_status predict_all(struct predicting *out) {
    enum exit_status status = EXIT_DONE;
    out->progress = (struct progress){.enabled = !out->options->quiet && isatty(STDERR_FILENO),
                                      .points = (int64_t)out->points};
    for (size_t p = 0; p < out->points && status == EXIT_DONE; p++) {
        out->progress.point = (int64_t)p;
        status = predict_point(out, p);
    }
    progress_clear(&out->progress);
    return status;
}

static void print(struct writer *writer, const struct options *options, const void *content) {
    const struct predicting *predicting = content;
    const struct windows_view view = {.threads = options->threads,
                                      .library = predicting->library,
                                      .measured = options->measure,
                                      .has_models = predicting->has_models,
                                      .models_spent_seconds = predicting->models_spent_seconds,
                                      .count = predicting->points,
                                      .point = predicting->point};
    blocked_windows_print(writer, &view);
}

static void close_all(struct predicting *predicting) {
    for (size_t p = 0; p < predicting->points && predicting->point; p++) {
        for (size_t a = 0; a < predicting->point[p].count; a++)
            tcplan_blocked_windows_free(&predicting->point[p].of[a].windows);
        base_free(predicting->point[p].of);
    }
    base_free(predicting->point);
    tcplan_node_lock_close(predicting->lock);
    blocked_job_free(&predicting->job);
}

enum exit_status blocked_windows(const struct options *options) {
    struct predicting predicting = {.options = options};
    struct tcplan_provider_info info = {0};
    tcplan_provider_info(&info, (enum tcplan_provider)options->model.provider);
    snprintf(predicting.library, sizeof predicting.library, "%s%s%s", info.name ? info.name : "?",
             info.version ? " " : "", info.version ? info.version : "");
    enum exit_status status = blocked_job_read(
        &predicting.job, options, options->blocked.generate ? BLOCKED_DEMAND : BLOCKED_TELL);
    if (status == EXIT_DONE) status = blocked_refuse_csv(options, "windows");
    if (status == EXIT_DONE) status = reserve(&predicting);
    if (status == EXIT_DONE) status = lock_open(&predicting.lock, options);
    if (status == EXIT_DONE) status = lock_take(predicting.lock, options);
    if (status == EXIT_DONE) status = predict_all(&predicting);
    if (status == EXIT_DONE) status = printed_whole(options, print, &predicting);
    close_all(&predicting);
    return status;
}
