#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"

static void print(struct writer *writer, const struct options *options, const void *content) {
    (void)options;
    blocked_needs_print(writer, content);
}

enum exit_status blocked_models(const struct options *options) {
    struct blocked_job job;
    enum exit_status status = blocked_job_read(&job, options, BLOCKED_TELL);
    const struct blocked_needs needs = {.view = job.view, .needs = &job.needs};
    if (status == EXIT_DONE) status = printed_whole(options, print, &needs);
    blocked_job_free(&job);
    return status;
}
