#include <stdlib.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"

struct predicting {
    struct blocked_job job;
    size_t points;
    struct windowed_point *point; /* results for each size point; owned, with their members */
    bool has_models;
    double models_spent_seconds;
};

static enum exit_status prepare(void *record) {
    struct predicting *own = record;
    struct blocked_job *job = &own->job;
    const size_t most = (size_t)job->map.blocks * (size_t)job->map.algorithms;
    const enum exit_status status =
        job->options->blocked.generate ? blocked_job_demand(job) : EXIT_DONE;
    own->points = (size_t)job->map.points;
    own->point = base_alloc_zero(own->points, sizeof *own->point);
    for (size_t p = 0; p < own->points && own->point; p++) {
        own->point[p].of = base_alloc_zero(most, sizeof *own->point[p].of);
        if (!own->point[p].of) return diagnose_no_memory();
    }
    return own->point ? status : diagnose_no_memory();
}

static enum exit_status predict(struct predicting *out, struct windowed *of, bool whole) {
    const struct options *options = out->job.options;
    const struct tcplan_blocked_windows_options wanted = {
        .provider = options->model.provider,
        .threads = options->threads,
        .binding = out->job.request.binding,
        .samples = options->blocked.repetitions,
        .time_limit_seconds = options->time_limit_seconds,
        .max_memory_bytes = options->max_memory_bytes,
        .seed = options->seed,
        .whole = whole,
        .measure = options->measure};
    return tcplan_blocked_windows(&of->windows, of->blocked, &of->sizes, &wanted, &failure) ==
                   TCPLAN_OK
               ? EXIT_DONE
               : diagnose_failure(NULL);
}

/** Also predicts by models, if models exist for all calls. */
static enum exit_status predict_by_models(struct predicting *out, struct windowed *of) {
    const double begun = monotonic_seconds();
    struct tcplan_blocked_predictor *predictor;
    if (tcplan_blocked_predictor_new(&predictor, of->blocked, out->job.request.models,
                                     &out->job.setup, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    const enum tcplan_status status =
        tcplan_blocked_predict(&of->models, NULL, NULL, predictor, &of->sizes, &failure);
    tcplan_blocked_predictor_free(predictor);
    of->has_models = status == TCPLAN_OK;
    out->has_models = out->has_models || of->has_models;
    out->models_spent_seconds += monotonic_seconds() - begun;
    return status == TCPLAN_OK || status == TCPLAN_INVALID ? EXIT_DONE : diagnose_failure(NULL);
}

static int compare(const void *a, const void *b) {
    const struct windowed *one = a, *other = b;
    const double x = one->windows.estimate.seconds, y = other->windows.estimate.seconds;
    return x != y ? (x > y) - (x < y) : one->place - other->place;
}

/** Returns the first entry that makes the same calls as `of`, possibly `of` itself. */
static struct windowed *first_of(const struct windowed_point *point, const struct windowed *of) {
    struct windowed *first = point->of;
    while (first->calls != of->calls) first++;
    return first;
}

/**
 * If some algorithm needs a measurement of whole runs, measures whole runs of all algorithms: a
 * ranking must not mix whole runs and windows.
 */
static enum exit_status sample_alike(struct predicting *out, struct windowed_point *point) {
    enum exit_status status = EXIT_DONE;
    bool any_whole = false;
    for (size_t a = 0; a < point->count; a++) any_whole = any_whole || point->of[a].windows.whole;
    for (size_t a = 0; a < point->count && any_whole && status == EXIT_DONE; a++) {
        struct windowed *of = &point->of[a];
        if (of->windows.whole || !of->is_owner) continue;
        const double spent_seconds = of->windows.spent_seconds;
        progress_update(NULL, "timing whole runs", (double)a, (double)point->count);
        tcplan_blocked_windows_free(&of->windows);
        status = predict(out, of, true);
        of->windows.spent_seconds += spent_seconds;
    }
    return status;
}

/** Sorts the entries of a size point by time. Entries that make the same calls share the times and
 * rank of the first such entry. */
static void rank(struct windowed_point *point) {
    for (size_t a = 0; a < point->count; a++) {
        struct windowed *of = &point->of[a];
        const struct windowed *first = first_of(point, of);
        of->place = (int)a;
        if (of->is_owner) continue;
        of->windows = first->windows;
        of->windows.spent_seconds = 0;
    }
    qsort(point->of, point->count, sizeof *point->of, compare);
    for (size_t a = 0; a < point->count; a++)
        point->of[a].place = (int)(first_of(point, &point->of[a]) - point->of) + 1;
}

/** Predicts all algorithms and block sizes at one size point. */
static enum exit_status predict_point(struct predicting *out, size_t number) {
    struct windowed_point *point = &out->point[number];
    const struct tcplan_blocked_map *map = &out->job.map;
    enum exit_status status = EXIT_DONE;
    for (int a = 0; a < map->algorithms && status == EXIT_DONE; a++) {
        for (int b = 0; b < map->blocks && status == EXIT_DONE; b++) {
            struct windowed *of = &point->of[point->count++];
            of->blocked = map->blocked[a];
            of->sizes = map->point[number];
            of->sizes.block = map->block[b];
            of->calls = tcplan_blocked_call_hash(of->blocked, &of->sizes);
            progress_update(NULL, "timing stretches", (double)a * map->blocks + b,
                            (double)map->algorithms * map->blocks);
            of->is_owner = first_of(point, of) == of;
            if (of->is_owner) status = predict(out, of, false);
            if (status == EXIT_DONE) status = predict_by_models(out, of);
        }
    }
    if (status == EXIT_DONE) status = sample_alike(out, point);
    if (status == EXIT_DONE) rank(point);
    return status;
}

static enum exit_status run(void *record) {
    struct predicting *own = record;
    enum exit_status status = EXIT_DONE;
    for (size_t p = 0; p < own->points && status == EXIT_DONE; p++) {
        progress_set_point((int64_t)p, (int64_t)own->points);
        status = predict_point(own, p);
    }
    progress_clear();
    return status;
}

static enum exit_status show(void *record) {
    const struct predicting *own = record;
    const struct windows_ranking ranking = {.threads = own->job.options->threads,
                                            .library = own->job.library,
                                            .binding = own->job.setup.binding,
                                            .measured = own->job.options->measure,
                                            .has_models = own->has_models,
                                            .models_spent_seconds = own->models_spent_seconds,
                                            .count = own->points,
                                            .point = own->point};
    return printed_view(own->job.options, &blocked_windows_view, &ranking);
}

static void release(void *record) {
    struct predicting *own = record;
    for (size_t p = 0; p < own->points && own->point; p++) {
        struct windowed_point *point = &own->point[p];
        for (size_t a = 0; a < point->count; a++) {
            if (point->of[a].is_owner) tcplan_blocked_windows_free(&point->of[a].windows);
        }
        base_free(point->of);
    }
    base_free(own->point);
}

const struct blocked_work blocked_windows_work = {.size = sizeof(struct predicting),
                                                  .prepare = prepare,
                                                  .locks = true,
                                                  .run = run,
                                                  .show = show,
                                                  .release = release};
