#include "roofline/tuning/tune_process.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "base/process.h"
#include "base/socket.h"

/* The parent process. */

/** Returns this process's environment with an assignment added or replaced: a list to be freed,
 * with borrowed texts. NULL if out of memory. */
static char **environment_with(const char *assignment) {
    const size_t name = strcspn(assignment, "=") + 1;
    size_t count = 0, kept = 0;
    while (environ && environ[count]) count++;
    char **list = base_alloc_zero(count + 2, sizeof *list);
    if (!list) return NULL;
    for (size_t e = 0; e < count; e++) {
        if (strncmp(environ[e], assignment, name) != 0) list[kept++] = environ[e];
    }
    /* drops const, because the program receives a copy */
    memcpy(&list[kept], &assignment, sizeof assignment);
    return list;
}

static int start(pid_t *out, const struct tune_process *process,
                 const struct process_files *files) {
    if (!process->assignment)
        return process_start(out, process->program[0], process->program, files, environ, false);
    char **environment = environment_with(process->assignment);
    const int reason = environment ? process_start(out, process->program[0], process->program,
                                                   files, environment, false)
                                   : ENOMEM;
    base_free(environment);
    return reason;
}

/** Starts the program bound to its processors, which it inherits from this thread: threads that a
 * library creates while it is loaded run there too. */
static int start_bound(pid_t *out, const struct tune_process *process, int socket) {
    const struct process_files files = {socket, PROCESS_NOTHING,
                                        process->is_silent ? PROCESS_NOTHING : PROCESS_SAME};
    cpu_set_t before, wanted;
    const bool binds = process->processors > 0 && sched_getaffinity(0, sizeof before, &before) == 0;
    CPU_ZERO(&wanted);
    for (int p = 0; p < process->processors; p++) CPU_SET((size_t)process->processor[p], &wanted);
    if (binds) (void)sched_setaffinity(0, sizeof wanted, &wanted);
    const int reason = start(out, process, &files);
    if (binds) (void)sched_setaffinity(0, sizeof before, &before);
    return reason;
}

/** Reports how a process without an answer ended. */
static void report_end(int status, bool known, struct tcplan_error *error) {
    if (!known) {
        error_set(error, TCPLAN_ENVIRONMENT, "the process ended without an answer");
    } else if (WIFSIGNALED(status)) {
        error_set(error, TCPLAN_ENVIRONMENT, "killed by signal %d (%s)", WTERMSIG(status),
                  strsignal(WTERMSIG(status)));
    } else {
        error_set(error, TCPLAN_ENVIRONMENT,
                  "the process ended with status %d and without an answer", WEXITSTATUS(status));
    }
}

enum tcplan_status tune_process_ask(const struct tune_process *process, const void *question,
                                    size_t question_bytes, void *answer, size_t answer_bytes,
                                    bool *lost, struct tcplan_error *error) {
    int ends[2];
    int status = 0;
    bool late = false;
    pid_t child;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    }
    const int reason = start_bound(&child, process, ends[1]);
    close(ends[1]);
    if (reason != 0) {
        close(ends[0]);
        return error_set(error, TCPLAN_ENVIRONMENT, "cannot start '%.200s': %s",
                         process->program[0], strerror(reason));
    }
    *lost = !socket_send(ends[0], question, question_bytes) ||
            !socket_receive(ends[0], answer, answer_bytes,
                            monotonic_seconds() + process->patience_seconds, &late);
    if (late) kill(child, SIGKILL);
    close(ends[0]);
    const bool known = process_collect(&status, child);
    if (late) {
        error_set(error, TCPLAN_ENVIRONMENT, "ended, because it did not answer for %.3g s",
                  process->patience_seconds);
    } else if (*lost) {
        report_end(status, known, error);
    }
    return TCPLAN_OK;
}

/* The started process. */

bool tune_process_receive(void *question, size_t bytes) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return socket_receive(STDIN_FILENO, question, bytes, INFINITY, NULL);
}

bool tune_process_send(const void *answer, size_t bytes) {
    return socket_send(STDIN_FILENO, answer, bytes);
}
