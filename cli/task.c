#include "cli/task.h"

#include "cli/node_lock.h"
#include "cli/output/cleanup.h"
#include "cli/output/printed.h"

static enum exit_status read_request(struct task *task, unsigned needs) {
    if (needs & (task->options->argument ? TASK_CONTRACTION | TASK_IF_GIVEN : TASK_CONTRACTION))
        return request_read(&task->request, task->options, needs);
    return needs & REQUEST_MACHINE ? request_read_machine(&task->request, needs) : EXIT_DONE;
}

enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work) {
    struct task task = {.options = options, .request = {.options = options}};
    enum exit_status status = read_request(&task, needs);
    if (status == EXIT_DONE && (needs & TASK_OUTPUT))
        status = output_begin(&task.out, options->output);
    if (status == EXIT_DONE && (needs & TASK_LOCK)) status = lock_hold(&task.lock, options);
    if (status == EXIT_DONE) status = work(&task);
    tcplan_node_lock_close(task.lock);
    output_file_discard(&task.out);
    request_free(&task.request);
    return status;
}

enum exit_status task_print(struct task *task, const struct view *view, const void *record) {
    return printed_into(&task->out, task->options->format, view, record);
}
