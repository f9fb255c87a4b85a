#include "cli/commands/blocked/blocked.h"
#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"

static enum exit_status show(void *own) {
    const struct blocked_job *job = own;
    const struct blocked_needs needs = {&job->head, &job->needs};
    return printed_view(job->options, &blocked_models_view, &needs);
}

enum exit_status blocked_models(const struct options *options) {
    static const struct blocked_work work = {.size = sizeof(struct blocked_job), .show = show};
    return blocked_job_do(options, &work);
}
