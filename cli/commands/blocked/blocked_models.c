#include "cli/commands/blocked/blocked_job.h"
#include "cli/output/printed.h"

static enum exit_status show(void *own) {
    const struct blocked_job *job = own;
    const struct blocked_needs needs = {&job->head, &job->needs};
    return printed_view(job->options, &blocked_models_view, &needs);
}

const struct blocked_work blocked_models_work = {.size = sizeof(struct blocked_job), .show = show};
