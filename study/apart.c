#include "tcplan/study/apart.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "study/worker.h"
#include "tcplan/host.h"

/** The description of a machine that the separate process sends. Its pointers are NULL. */
struct reading {
    enum tcplan_status status;
    struct tcplan_machine machine;
    struct tcplan_error error;
};

/** Reads the machine that the request names and answers with it (a worker_answer_fn). */
static struct worker_message answer(void *context, const struct worker_message *request) {
    struct reading *reading = base_alloc_zero(1, sizeof *reading);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    (void)context;
    if (!reading) return (struct worker_message){0};
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    reading->status = tcplan_host_load_machine(&reading->machine, request->data, &reading->error);
    return (struct worker_message){.data = reading, .bytes = sizeof *reading};
}

/** Copies the machine out of an answer, and frees the answer. */
static enum tcplan_status take(struct tcplan_machine *out, const struct worker_message *message,
                               struct tcplan_error *error) {
    const struct reading *reading = message->data;
    if (message->bytes != sizeof *reading) {
        free(message->data);
        return error_no_memory(error);
    }
    const enum tcplan_status status = reading->status;
    assert(!reading->machine.ceilings && !reading->machine.costs);
    *out = reading->machine;
    if (error) *error = reading->error;
    free(message->data);
    return status;
}

static enum tcplan_status load_beside(struct tcplan_machine *out, const char *spec,
                                      struct tcplan_error *error) {
    struct worker worker = {.answer = answer};
    struct worker_message request = {.data = base_strdup(spec), .bytes = strlen(spec) + 1}, reply;
    struct tcplan_error reason;
    if (!request.data) return error_no_memory(error);
    const enum worker_end end = worker_ask(&worker, &request, &reply, &reason);
    free(request.data);
    worker_stop(&worker);
    if (end == WORKER_ANSWERED) return take(out, &reply, error);
    if (end == WORKER_DIED)
        return error_set(error, TCPLAN_INVALID, "hwloc cannot read machine '%.200s': %s", spec,
                         reason.message);
    if (error) *error = reason;
    return reason.status;
}

enum tcplan_status tcplan_machine_load_apart(struct tcplan_machine *out, const char *spec,
                                             struct tcplan_error *error) {
    return strcmp(spec, "live") == 0 ? tcplan_machine_load(out, spec, error)
                                     : load_beside(out, spec, error);
}
