#include "tcplan/blocked_cache.h"

#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"

struct studying {
    struct blocked_job job;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_cache study;
};

/** Checks that the command line gives one algorithm, one size and one block size. */
static enum exit_status prepare(void *record) {
    struct studying *own = record;
    const enum exit_status status = blocked_request_single(&own->job.of, "cache");
    if (status == EXIT_DONE) own->sizes = blocked_request_sizes(&own->job.of, 0, 0);
    return status;
}

static enum exit_status run(void *record) {
    struct studying *own = record;
    const struct options *options = own->job.options;
    const struct tcplan_blocked_cache_options wanted = {
        .machine = &own->job.request.machine,
        .provider = options->model.provider,
        .threads = options->threads,
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

static enum exit_status show(void *record) {
    const struct studying *own = record;
    const struct blocked_cache_studied studied = {.study = &own->study,
                                                  .blocked = own->job.of.algorithm[0],
                                                  .sizes = &own->sizes,
                                                  .threads = own->job.options->threads,
                                                  .library = own->job.library,
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
