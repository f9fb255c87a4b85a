
#include "base/alloc.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/stored.h"

struct measuring {
    struct blocked_job job;
    struct stored stored;
    bool predicted;
    struct tcplan_blocked_measured *of; /* measurements sorted by size, then by algorithm and block
                                           size; owned */
    struct tcplan_blocked_prediction *prediction; /* predictions in the order of `of`; owned */
    struct tcplan_blocked_measured *by_algorithm; /* measurements in the order of the prediction
                                                     map; owned */
    struct tcplan_blocked_measuring met;
};

/** Finds the models for predictions, which only plots need. */
static enum exit_status find_models(struct blocked_job *job) {
    const struct options *options = job->options;
    if (job->needs.missing == 0 || options->blocked.generate || options->blocked.extrapolate ||
        options->plot)
        return blocked_job_demand(job);
    note(
        options,
        "no predictions: %zu of %zu models are missing; generate them with --generate, see 'tcplan blocked models'",
        job->needs.missing, job->needs.count);
    return EXIT_DONE;
}

static enum exit_status prepare(void *record) {
    struct measuring *own = record;
    struct blocked_job *job = &own->job;
    enum exit_status status = find_models(job);
    own->predicted = job->needs.missing == 0 || job->options->blocked.extrapolate;
    if (status == EXIT_DONE) status = blocked_plot_check(job);
    if (status == EXIT_DONE) status = blocked_job_check_output(job->options);
    return status == EXIT_DONE ? stored_open(&own->stored, &job->request.machine) : status;
}

static enum exit_status predict(struct measuring *own) {
    struct blocked_job *job = &own->job;
    const enum exit_status status = own->predicted ? blocked_job_predict(job, TCPLAN_BLOCKED_TIE)
                                                   : blocked_job_reserve(job, true);
    if (status != EXIT_DONE) return status;
    own->of = base_alloc_zero(job->count + 1, sizeof *own->of);
    own->by_algorithm = base_alloc_zero(job->count + 1, sizeof *own->by_algorithm);
    own->prediction = base_alloc_zero(job->count + 1, sizeof *own->prediction);
    return own->of && own->by_algorithm && own->prediction ? EXIT_DONE : diagnose_no_memory();
}

/** Sorts the measurements by size point. */
static void order(struct measuring *own) {
    const struct tcplan_blocked_map *map = &own->job.map;
    size_t m = 0;
    for (int p = 0; p < map->points; p++) {
        for (int a = 0; a < map->algorithms; a++) {
            for (int b = 0; b < map->blocks; b++, m++) {
                struct tcplan_blocked_measured *of = &own->of[m];
                of->blocked = map->blocked[a];
                of->sizes = map->point[p];
                of->sizes.block = map->block[b];
                for (int i = 0; i < TCPLAN_MAX_MATRICES; i++)
                    of->sizes.leading[i] = own->job.options->blocked.leading;
                own->prediction[m] = *tcplan_blocked_map_at(map, a, p, b);
                if (!own->predicted)
                    own->prediction[m].flops = tcplan_blocked_flops(of->blocked, &of->sizes);
            }
        }
    }
}

static void order_by_algorithm(struct measuring *own) {
    const struct tcplan_blocked_map *map = &own->job.map;
    size_t m = 0;
    for (int p = 0; p < map->points; p++) {
        for (int a = 0; a < map->algorithms; a++) {
            for (int b = 0; b < map->blocks; b++)
                own->by_algorithm[blocked_job_place(&own->job, a, p, b)] = own->of[m++];
        }
    }
}

static enum exit_status run(void *record) {
    struct measuring *own = record;
    struct blocked_job *job = &own->job;
    const struct options *options = job->options;
    struct tcplan_blocked_measure_options measure = {
        .provider = options->model.provider,
        .threads = options->threads,
        .binding = job->request.binding,
        .repetitions = options->blocked.repetitions,
        .max_memory_bytes = options->max_memory_bytes,
        .time_limit_seconds = options->time_limit_seconds,
        .seed = options->seed,
        .good_seconds = tcplan_models_good_reference_seconds(job->request.models),
        .progress = progress_update};
    const enum exit_status predicted = predict(own);
    if (predicted != EXIT_DONE) return predicted;
    order(own);
    const enum exit_status status =
        diagnosed(tcplan_blocked_measure(&own->met, own->of, job->count, &measure, &failure));
    if (status == EXIT_DONE) order_by_algorithm(own);
    return status;
}

static enum exit_status show(void *record) {
    const struct measuring *own = record;
    const struct blocked_job *job = &own->job;
    const struct blocked_measurements measurements = {.head = &job->head,
                                                      .predicted = own->predicted,
                                                      .count = job->count,
                                                      .of = own->of,
                                                      .prediction = own->prediction,
                                                      .measuring = &own->met,
                                                      .default_block = job->of.of.default_block};
    const enum exit_status status =
        blocked_plot(&(struct blocked_picture){.job = job, .measured = own->by_algorithm});
    if (status != EXIT_DONE || !blocked_job_prints(job->options)) return status;
    return printed_view(job->options, &blocked_measure_view, &measurements);
}

static void release(void *record) {
    struct measuring *own = record;
    stored_close(&own->stored);
    base_free(own->of);
    base_free(own->by_algorithm);
    base_free(own->prediction);
}

const struct blocked_work blocked_measure_work = {.size = sizeof(struct measuring),
                                                  .prepare = prepare,
                                                  .locks = true,
                                                  .run = run,
                                                  .show = show,
                                                  .release = release};
