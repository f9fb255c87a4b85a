#include <stdlib.h>

#include "base/alloc.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/emission.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "tcplan/blocked_measure.h"

struct ranking {
    struct blocked_job job;
    struct output_file emitted;
    double tie;
};

static struct blocked_rankings rankings_of(const struct ranking *ranking) {
    const struct blocked_job *job = &ranking->job;
    return (struct blocked_rankings){.head = &job->head,
                                     .map = &job->map,
                                     .rank = job->rank,
                                     .tie = ranking->tie,
                                     .default_block = job->of.of.default_block,
                                     .default_place = job->default_place,
                                     .lapack = job->lapack};
}

/** Checks that there is one algorithm and one varying size: the emitted C code is a table over
 * n. */
static enum exit_status check_emission(struct ranking *ranking) {
    const struct options *options = ranking->job.options;
    if (ranking->job.map.algorithms != 1 || options->blocked.m)
        return diagnose_as(
            EXIT_USAGE,
            "--emit writes the best block sizes of one algorithm as a function of n; name the "
            "algorithm, such as potrf_L3, and omit --m");
    return output_begin(&ranking->emitted, options->emit);
}

static void fill_sizes(struct tcplan_block_size size[], const struct ranking *ranking) {
    const struct blocked_rankings rankings = rankings_of(ranking);
    for (int p = 0; p < ranking->job.map.points; p++) {
        const int block = ranking->job.rank[p].block;
        const double seconds =
            tcplan_blocked_map_at(&ranking->job.map, 0, p, block)->seconds[TCPLAN_MODEL_MEDIAN];
        const struct tcplan_blocked_prediction *usual = blocked_rankings_default(&rankings, 0, p);
        size[p] = (struct tcplan_block_size){
            .n = ranking->job.map.point[p].size[0],
            .block = ranking->job.map.block[block],
            .seconds = seconds,
            .gain = usual && seconds > 0 ? usual->seconds[TCPLAN_MODEL_MEDIAN] / seconds - 1 : -1};
    }
}

static enum exit_status emit(struct ranking *ranking) {
    char *text = NULL;
    struct tcplan_block_size *size = base_alloc_zero((size_t)ranking->job.map.points, sizeof *size);
    if (!size) return diagnose_no_memory();
    fill_sizes(size, ranking);
    const struct tcplan_block_sizes sizes = {.algorithm =
                                                 tcplan_blocked_name(ranking->job.map.blocked[0]),
                                             .dtype = ranking->job.head.dtype,
                                             .threads = ranking->job.setup.threads,
                                             .library = ranking->job.setup.version,
                                             .default_block = ranking->job.of.of.default_block,
                                             .count = (size_t)ranking->job.map.points,
                                             .size = size};
    const enum tcplan_status status =
        tcplan_emit_block_sizes(&text, &sizes, ranking->job.options->function, &failure);
    base_free(size);
    return emission_put(&ranking->emitted, status, text);
}

/* The command. */

static enum exit_status prepare(void *own) {
    struct ranking *ranking = own;
    const struct options *options = ranking->job.options;
    ranking->tie = options->blocked.tie > 0 ? options->blocked.tie : TCPLAN_BLOCKED_TIE;
    enum exit_status status = blocked_job_demand(&ranking->job);
    if (status == EXIT_DONE) status = blocked_plot_check(&ranking->job);
    if (status == EXIT_DONE && options->emit) status = check_emission(ranking);
    return status == EXIT_DONE ? blocked_job_check_output(options) : status;
}

static enum exit_status run(void *own) {
    struct ranking *ranking = own;
    return blocked_job_predict(&ranking->job, ranking->tie);
}

/** Also runs the algorithms that are predicted alike. */
static enum exit_status run_and_confirm(void *own) {
    struct ranking *ranking = own;
    struct blocked_job *job = &ranking->job;
    const struct options *options = job->options;
    const struct tcplan_blocked_measure_options measure = {
        .provider = options->model.provider,
        .threads = options->threads,
        .binding = job->request.binding,
        .max_memory_bytes = options->max_memory_bytes,
        .time_limit_seconds = options->time_limit_seconds,
        .seed = options->seed,
        .good_seconds = tcplan_models_good_reference_seconds(job->request.models),
        .progress = progress_update};
    enum exit_status status = run(own);
    for (int p = 0; p < job->map.points && status == EXIT_DONE; p++) {
        progress_set_point(p, job->map.points);
        status =
            diagnosed(tcplan_blocked_confirm(job->rank + (size_t)p * (size_t)job->map.algorithms,
                                             &job->map, p, ranking->tie, &measure, &failure));
    }
    progress_clear();
    return status;
}

static enum exit_status show(void *own) {
    struct ranking *ranking = own;
    const struct options *options = ranking->job.options;
    const struct blocked_rankings rankings = rankings_of(ranking);
    enum exit_status status = blocked_plot(&(struct blocked_picture){.job = &ranking->job});
    if (status == EXIT_DONE && options->emit) status = emit(ranking);
    if (status != EXIT_DONE || !blocked_job_prints(options)) return status;
    return printed_view(options, &blocked_rank_view, &rankings);
}

static void release(void *own) {
    output_file_discard(&((struct ranking *)own)->emitted);
}

static const struct blocked_work confirmed_work = {.size = sizeof(struct ranking),
                                                   .prepare = prepare,
                                                   .locks = true,
                                                   .run = run_and_confirm,
                                                   .show = show,
                                                   .release = release};

/** Selects prediction by windows if models are missing and no option requires models, and runs of
 * the first algorithms with --measure. */
static const struct blocked_work *other_work(const struct blocked_job *job) {
    const struct options *options = job->options;
    const struct blocked_options *given = &options->blocked;
    if (given->predictor == BLOCKED_BY_WINDOWS) return &blocked_windows_work;
    if (job->needs.missing == 0 || given->predictor == BLOCKED_BY_MODELS || given->generate ||
        given->no_generate || given->extrapolate || given->tie > 0 || options->plot ||
        options->emit)
        return options->measure ? &confirmed_work : NULL;
    note(options,
         "ranked by timing stretches of calls (windows), because %zu of %zu models are missing; "
         "models make sweeps faster: see 'tcplan blocked models'",
         job->needs.missing, job->needs.count);
    return &blocked_windows_work;
}

const struct blocked_work blocked_rank_work = {.size = sizeof(struct ranking),
                                               .other = other_work,
                                               .prepare = prepare,
                                               .run = run,
                                               .show = show,
                                               .release = release};
