#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/blocked/blocked_plot.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/render/blocked/blocked_rank.h"

struct ranking {
    struct blocked_job job;
    struct output_file emitted;
    struct tcplan_blocked_map map;
    struct tcplan_blocked_rank *rank; /* owned, of each point */
    double tie;
};

static enum exit_status rank_all(struct ranking *out) {
    struct progress progress = {.enabled = !out->job.options->quiet && isatty(STDERR_FILENO),
                                .points = 1};
    struct tcplan_error error;
    out->rank = base_alloc_zero((size_t)out->map.algorithms * (size_t)out->map.points + 1,
                                sizeof *out->rank);
    if (!out->rank) return diagnose_no_memory();
    const enum tcplan_status status = tcplan_blocked_map_make(
        &out->map, out->job.request.models, &out->job.setup, progress_update, &progress, &error);
    progress_clear(&progress);
    if (status != TCPLAN_OK) return diagnose_error(&error, NULL);
    for (int p = 0; p < out->map.points; p++)
        tcplan_blocked_rank(out->rank + (size_t)p * (size_t)out->map.algorithms, &out->map, p,
                            out->tie);
    return EXIT_DONE;
}

static struct blocked_rankings rankings_of(const struct ranking *ranking) {
    return (struct blocked_rankings){.view = ranking->job.view,
                                     .map = &ranking->map,
                                     .rank = ranking->rank,
                                     .tie = ranking->tie,
                                     .default_block = ranking->job.of.of.default_block,
                                     .default_place = ranking->job.default_place,
                                     .lapack = ranking->job.lapack};
}

/* Block sizes as C. */

/** One algorithm over one size: what a table of n can have. */
static enum exit_status check_emission(struct ranking *ranking) {
    struct tcplan_error error;
    const struct options *options = ranking->job.options;
    if (ranking->map.algorithms != 1 || options->blocked.m) {
        diagnose(
            "--emit writes block sizes of one algorithm by n: name one, such as potrf_L3, and leave --m out");
        return EXIT_USAGE;
    }
    return output_open(&ranking->emitted, options->emit, &error) == TCPLAN_OK
               ? EXIT_DONE
               : diagnose_error(&error, NULL);
}

static void fill_sizes(struct tcplan_block_size size[], const struct ranking *ranking) {
    const struct blocked_rankings rankings = rankings_of(ranking);
    for (int p = 0; p < ranking->map.points; p++) {
        const int block = ranking->rank[p].block;
        const double seconds =
            tcplan_blocked_map_at(&ranking->map, 0, p, block)->seconds[TCPLAN_MODEL_MEDIAN];
        const struct tcplan_blocked_prediction *usual = blocked_rankings_default(&rankings, 0, p);
        size[p] = (struct tcplan_block_size){
            .n = ranking->map.point[p].size[0],
            .block = ranking->map.block[block],
            .seconds = seconds,
            .gain = usual && seconds > 0 ? usual->seconds[TCPLAN_MODEL_MEDIAN] / seconds - 1 : -1};
    }
}

static enum exit_status emit(struct ranking *ranking) {
    struct tcplan_error error;
    char *text = NULL;
    struct tcplan_block_size *size = base_alloc_zero((size_t)ranking->map.points, sizeof *size);
    if (!size) return diagnose_no_memory();
    fill_sizes(size, ranking);
    const struct tcplan_block_sizes sizes = {.algorithm =
                                                 tcplan_blocked_name(ranking->map.blocked[0]),
                                             .dtype = ranking->job.view.dtype,
                                             .threads = ranking->job.setup.threads,
                                             .library = ranking->job.setup.version,
                                             .default_block = ranking->job.of.of.default_block,
                                             .count = (size_t)ranking->map.points,
                                             .size = size};
    enum tcplan_status status =
        tcplan_emit_block_sizes(&text, &sizes, ranking->job.options->function, &error);
    base_free(size);
    if (status == TCPLAN_OK) {
        fputs(text, ranking->emitted.file);
        status = output_file_commit(&ranking->emitted, &error);
    }
    free(text);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

/* The command. */

static void print(struct writer *writer, const struct options *options, const void *content) {
    (void)options;
    blocked_rankings_print(writer, content);
}

static enum exit_status show(struct ranking *ranking) {
    const struct options *options = ranking->job.options;
    const struct blocked_rankings rankings = rankings_of(ranking);
    const struct blocked_picture picture = {
        .view = &ranking->job.view, .map = &ranking->map, .rank = ranking->rank};
    enum exit_status status = options->plot ? blocked_plot(options->plot, &picture) : EXIT_DONE;
    if (status == EXIT_DONE && options->emit) status = emit(ranking);
    if (status != EXIT_DONE || !blocked_job_prints(options)) return status;
    return printed_whole(options, print, &rankings);
}

/** Whether models are missing, and nothing that is asked for needs them. */
static bool uses_windows(const struct blocked_job *job) {
    const struct options *options = job->options;
    const bool needs_models = options->blocked.predictor == BLOCKED_BY_MODELS ||
                              options->blocked.generate || options->blocked.no_generate ||
                              options->blocked.tie > 0 || options->plot || options->emit ||
                              options->format == OUTPUT_CSV;
    if (job->needs.missing == 0 || needs_models) return false;
    if (!options->quiet)
        diagnose(
            "note: ranked by windows, as %zu of %zu models are missing; with models sweeps would take less time: see 'tcplan blocked models'",
            job->needs.missing, job->needs.count);
    return true;
}

enum exit_status blocked_rank(const struct options *options) {
    if (options->blocked.predictor == BLOCKED_BY_WINDOWS) return blocked_windows(options);
    struct ranking ranking = {.tie = options->blocked.tie > 0 ? options->blocked.tie
                                                              : TCPLAN_BLOCKED_TIE};
    enum exit_status status = blocked_job_read(&ranking.job, options, BLOCKED_TELL);
    if (status == EXIT_DONE && uses_windows(&ranking.job)) {
        blocked_job_free(&ranking.job);
        return blocked_windows(options);
    }
    if (status == EXIT_DONE) status = blocked_job_demand(&ranking.job);
    ranking.map = blocked_job_map(&ranking.job);
    if (status == EXIT_DONE && options->plot)
        status = blocked_plot_check(options->plot, &ranking.map);
    if (status == EXIT_DONE && options->emit) status = check_emission(&ranking);
    if (status == EXIT_DONE) status = blocked_job_check_output(options);
    if (status == EXIT_DONE) status = rank_all(&ranking);
    if (status == EXIT_DONE) status = show(&ranking);
    output_file_discard(&ranking.emitted);
    tcplan_blocked_map_free(&ranking.map);
    base_free(ranking.rank);
    blocked_job_free(&ranking.job);
    return status;
}
