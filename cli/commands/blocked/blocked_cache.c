#include "tcplan/blocked_cache.h"

#include "cli/commands/blocked/blocked_job.h"
#include "cli/commands/blocked/cache_plot.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"

enum { SIZES_TEXT = 160 };

struct studying {
    struct blocked_job job;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_cache study;
};

/** Checks that the command line gives one algorithm, one size and one block size. */
static enum exit_status prepare(void *record) {
    struct studying *own = record;
    const enum exit_status status = blocked_request_single(&own->job.of, "cache");
    if (status != EXIT_DONE) return status;
    own->sizes = blocked_request_sizes(&own->job.of, 0, 0);
    const char *plot = own->job.options->plot;
    return plot ? picture_file_check("--plot", plot) : EXIT_DONE;
}

static enum exit_status run(void *record) {
    struct studying *own = record;
    const struct options *options = own->job.options;
    const struct tcplan_blocked_cache_options wanted = {
        .machine = &own->job.request.machine,
        .provider = options->model.provider,
        .threads = options->threads,
        .binding = own->job.request.binding,
        .level = options->blocked.level,
        .cache_bytes = options->blocked.cache_bytes,
        .repetitions = options->blocked.repetitions,
        .time_limit_seconds = options->time_limit_seconds,
        .max_memory_bytes = options->max_memory_bytes,
        .seed = options->seed,
        .progress = progress_update};
    return diagnosed(tcplan_blocked_cache_study(&own->study, own->job.of.algorithm[0], &own->sizes,
                                                &wanted, &failure));
}

/** Draws the study to the file of --plot. */
static enum exit_status draw(const struct studying *own) {
    const struct blocked_job *job = &own->job;
    const struct tcplan_blocks *blocks = tcplan_blocked_blocks(job->of.algorithm[0]);
    char sizes[SIZES_TEXT] = "";
    size_t length = 0;
    if (!job->options->plot) return EXIT_DONE;
    for (int s = 0; s < blocks->size_count && length < sizeof sizes; s++)
        length += (size_t)snprintf(sizes + length, sizeof sizes - length, "%s=%lld, ",
                                   blocks->size_name[s], (long long)own->sizes.size[s]);
    if (length < sizeof sizes)
        snprintf(sizes + length, sizeof sizes - length, "b=%lld", (long long)own->sizes.block);
    return cache_plot(&(struct cache_picture){.study = &own->study,
                                              .figure = job->options->figure,
                                              .name = tcplan_blocked_name(job->of.algorithm[0]),
                                              .sizes = sizes,
                                              .library = job->library,
                                              .threads = job->options->threads},
                      job->options->plot);
}

static enum exit_status show(void *record) {
    const struct studying *own = record;
    const enum exit_status status = draw(own);
    if (status != EXIT_DONE || !blocked_job_prints(own->job.options)) return status;
    const struct blocked_cache_studied studied = {.study = &own->study,
                                                  .blocked = own->job.of.algorithm[0],
                                                  .sizes = &own->sizes,
                                                  .threads = own->job.options->threads,
                                                  .library = own->job.library,
                                                  .binding = own->job.setup.binding,
                                                  .calls = own->job.options->all};
    return printed_view(own->job.options, &blocked_cache_view, &studied);
}

static void release(void *record) {
    tcplan_blocked_cache_free(&((struct studying *)record)->study);
}

const struct blocked_work blocked_cache_work = {.size = sizeof(struct studying),
                                                .prepare = prepare,
                                                .locks = true,
                                                .run = run,
                                                .show = show,
                                                .release = release};
