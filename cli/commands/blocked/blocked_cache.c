#include "tcplan/blocked_cache.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/commands/blocked/blocked.h"
#include "cli/node_lock.h"
#include "cli/output/printed.h"
#include "cli/output/progress.h"
#include "cli/providers.h"
#include "cli/render/blocked/blocked_cache.h"
#include "cli/request.h"

enum { LIBRARY = 128 };

struct studying {
    const struct options *options;
    struct blocked_request of;
    struct request request; /* the machine */
    struct tcplan_node_lock *lock;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_cache study;
};

static void print_study(struct writer *writer, const struct options *options, const void *content) {
    const struct studying *studying = content;
    struct tcplan_provider_info info = {0};
    char library[LIBRARY];
    tcplan_provider_info(&info, (enum tcplan_provider)options->model.provider);
    snprintf(library, sizeof library, "%s%s%s", info.name ? info.name : "?",
             info.version ? " " : "", info.version ? info.version : "");
    blocked_cache_print(writer, &studying->study,
                        &(struct blocked_cache_view){.blocked = studying->of.algorithm[0],
                                                     .sizes = &studying->sizes,
                                                     .threads = options->threads,
                                                     .library = library,
                                                     .calls = options->all});
}

/** One algorithm, one size and one block size. */
static enum exit_status expect_one(struct studying *studying) {
    const struct blocked_request *of = &studying->of;
    if (of->count > 1) {
        diagnose("blocked cache studies one algorithm, %s has %d; name one, such as %s", of->name,
                 of->count, tcplan_blocked_name(of->algorithm[0]));
        return EXIT_USAGE;
    }
    if (blocked_request_points(of) > 1 || blocked_sweep_count(&of->block) > 1) {
        diagnose("blocked cache studies one size and one block size, not a sweep");
        return EXIT_USAGE;
    }
    studying->sizes = blocked_request_sizes(of, 0, 0);
    return EXIT_DONE;
}

static enum exit_status study(struct studying *studying) {
    const struct options *options = studying->options;
    struct progress progress = {.enabled = !options->quiet && isatty(STDERR_FILENO), .points = 1};
    const struct tcplan_blocked_cache_options wanted = {
        .machine = &studying->request.machine,
        .provider = (enum tcplan_provider)options->model.provider,
        .threads = options->threads,
        .level = options->blocked.level,
        .cache_bytes = options->blocked.cache_bytes,
        .repetitions = options->blocked.repetitions,
        .time_limit_seconds = options->time_limit_seconds,
        .max_memory_bytes = options->max_memory_bytes,
        .seed = options->seed,
        .progress = progress_update,
        .progress_context = &progress};
    struct tcplan_error error;
    const enum tcplan_status status = tcplan_blocked_cache_study(
        &studying->study, studying->of.algorithm[0], &studying->sizes, &wanted, &error);
    progress_clear(&progress);
    return status == TCPLAN_OK ? EXIT_DONE : diagnose_error(&error, NULL);
}

enum exit_status blocked_cache(const struct options *options) {
    struct studying studying = {.options = options, .request = {.options = options}};
    enum exit_status status = blocked_request_read(&studying.of, options, true);
    if (status == EXIT_DONE) status = expect_one(&studying);
    if (status == EXIT_DONE) status = request_read_machine(&studying.request, 0);
    if (status == EXIT_DONE) status = lock_open(&studying.lock, options);
    if (status == EXIT_DONE) status = lock_take(studying.lock, options);
    if (status == EXIT_DONE) status = study(&studying);
    if (status == EXIT_DONE) status = printed_whole(options, print_study, &studying);
    tcplan_blocked_cache_free(&studying.study);
    tcplan_node_lock_close(studying.lock);
    request_free(&studying.request);
    blocked_request_free(&studying.of);
    return status;
}
