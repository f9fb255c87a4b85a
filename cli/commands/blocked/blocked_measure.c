#include <unistd.h>

#include "base/alloc.h"
#include "base/checked.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/blocked/blocked_plot.h"
#include "cli/kept.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"

struct measuring {
    struct blocked_job job;
    struct kept kept;
    struct tcplan_node_lock *lock;
    struct tcplan_blocked_map map;
    struct tcplan_blocked_rank *rank;   /* owned, of each point */
    struct tcplan_blocked_measured *of; /* owned: by sizes, among these by algorithm and block size
                                         */
    struct tcplan_blocked_prediction *prediction; /* owned: in the same order */
    struct tcplan_blocked_measured *by_algorithm; /* owned: in the order of the map */
    size_t count;
    struct tcplan_blocked_measuring met;
};

static enum exit_status predict(struct measuring *out) {
    struct tcplan_error error;
    out->map = blocked_job_map(&out->job);
    if (tcplan_blocked_map_make(&out->map, out->job.request.models, &out->job.setup, NULL, NULL,
                                &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    out->count = (size_t)out->map.algorithms * (size_t)out->map.points *
                 (size_t)out->map.blocks; /* the map has as many */
    out->rank = base_alloc_zero((size_t)out->map.algorithms * (size_t)out->map.points + 1,
                                sizeof *out->rank);
    out->of = base_alloc_zero(out->count + 1, sizeof *out->of);
    out->by_algorithm = base_alloc_zero(out->count + 1, sizeof *out->by_algorithm);
    out->prediction = base_alloc_zero(out->count + 1, sizeof *out->prediction);
    if (!out->rank || !out->of || !out->by_algorithm || !out->prediction)
        return diagnose_no_memory();
    for (int p = 0; p < out->map.points; p++)
        tcplan_blocked_rank(out->rank + (size_t)p * (size_t)out->map.algorithms, &out->map, p,
                            TCPLAN_BLOCKED_TIE);
    return EXIT_DONE;
}

/** Visits all places by sizes: where one is in the map, and where in that order. */
static size_t place_of(const struct measuring *measuring, int algorithm, int point, int block) {
    const struct tcplan_blocked_map *map = &measuring->map;
    return ((size_t)algorithm * (size_t)map->points + (size_t)point) * (size_t)map->blocks +
           (size_t)block;
}

static void order(struct measuring *out) {
    size_t m = 0;
    for (int p = 0; p < out->map.points; p++) {
        for (int a = 0; a < out->map.algorithms; a++) {
            for (int b = 0; b < out->map.blocks; b++, m++) {
                out->of[m] = (struct tcplan_blocked_measured){.blocked = out->map.blocked[a],
                                                              .sizes = out->map.point[p]};
                out->of[m].sizes.block = out->map.block[b];
                for (int i = 0; i < TCPLAN_MAX_MATRICES; i++)
                    out->of[m].sizes.leading[i] = out->job.options->blocked.leading;
                out->prediction[m] = *tcplan_blocked_map_at(&out->map, a, p, b);
            }
        }
    }
}

static void order_by_algorithm(struct measuring *out) {
    size_t m = 0;
    for (int p = 0; p < out->map.points; p++) {
        for (int a = 0; a < out->map.algorithms; a++) {
            for (int b = 0; b < out->map.blocks; b++)
                out->by_algorithm[place_of(out, a, p, b)] = out->of[m++];
        }
    }
}

static enum exit_status run(struct measuring *out) {
    const struct options *options = out->job.options;
    struct progress progress = {.enabled = !options->quiet && isatty(STDERR_FILENO), .points = 1};
    struct tcplan_error error;
    const struct tcplan_blocked_measure_options measure = {
        .provider = (enum tcplan_provider)options->model.provider,
        .threads = options->threads,
        .repetitions = options->blocked.repetitions,
        .max_memory_bytes = options->max_memory_bytes,
        .time_limit_seconds = options->time_limit_seconds,
        .seed = options->seed,
        .good_seconds = tcplan_models_good_reference_seconds(out->job.request.models),
        .experience = out->job.request.experience,
        .progress = progress_update,
        .progress_context = &progress};
    order(out);
    const enum tcplan_status status =
        tcplan_blocked_measure(&out->met, out->of, out->count, &measure, &error);
    progress_clear(&progress);
    if (status != TCPLAN_OK) return diagnose_error(&error, NULL);
    order_by_algorithm(out);
    return kept_keep_experience(&out->job.request);
}

static void print(struct writer *writer, const struct options *options, const void *content) {
    (void)options;
    blocked_measurements_print(writer, content);
}

static enum exit_status show(struct measuring *out) {
    const struct options *options = out->job.options;
    const struct blocked_measurements measurements = {.view = out->job.view,
                                                      .count = out->count,
                                                      .of = out->of,
                                                      .prediction = out->prediction,
                                                      .measuring = &out->met,
                                                      .default_block =
                                                          out->job.of.of.default_block};
    const struct blocked_picture picture = {
        .view = &out->job.view, .map = &out->map, .rank = out->rank, .measured = out->by_algorithm};
    enum exit_status status = options->plot ? blocked_plot(options->plot, &picture) : EXIT_DONE;
    if (status != EXIT_DONE || !blocked_job_prints(options)) return status;
    return printed_whole(options, print, &measurements);
}

static enum exit_status open_all(struct measuring *out, const struct options *options) {
    enum exit_status status = blocked_job_check_output(options);
    if (status == EXIT_DONE) status = kept_open(&out->kept, &out->job.request.machine);
    if (status == EXIT_DONE) status = lock_open(&out->lock, options);
    return status == EXIT_DONE ? lock_take(out->lock, options) : status;
}

enum exit_status blocked_measure(const struct options *options) {
    struct measuring out = {.count = 0};
    enum exit_status status = blocked_job_read(&out.job, options, BLOCKED_DEMAND);
    out.map = blocked_job_map(&out.job);
    if (status == EXIT_DONE && options->plot) status = blocked_plot_check(options->plot, &out.map);
    if (status == EXIT_DONE) status = open_all(&out, options);
    if (status == EXIT_DONE) status = predict(&out);
    if (status == EXIT_DONE) status = run(&out);
    if (status == EXIT_DONE) status = show(&out);
    tcplan_node_lock_close(out.lock);
    kept_close(&out.kept);
    tcplan_blocked_map_free(&out.map);
    base_free(out.rank);
    base_free(out.of);
    base_free(out.by_algorithm);
    base_free(out.prediction);
    blocked_job_free(&out.job);
    return status;
}
