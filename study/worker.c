#include "study/worker.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
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

enum { TRIES = 2, DESCRIPTORS = 1024, ACTIVITY_SIZE = 40 };
static const double progress_seconds = 0.1; /* minimum time between progress messages, because each
                                               wakes the other process during timings */

/* A message is a head, followed by as many bytes as the head states. */

enum kind { KIND_REQUEST, KIND_ANSWER, KIND_PROGRESS };

struct head {
    size_t kind; /* size_t instead of enum kind, so that the struct has no padding, which would be
                    sent uninitialised */
    size_t bytes;
};

struct progress_message {
    char activity[ACTIVITY_SIZE];
    double done;
    double total;
};

static bool send_message(int socket, enum kind kind, const void *data, size_t bytes) {
    const struct head head = {.kind = kind, .bytes = bytes};
    return socket_send(socket, &head, sizeof head) && socket_send(socket, data, bytes);
}

/** Receives a message; returns false if the other process has ended or memory runs out. */
static bool receive_message(int socket, enum kind *kind, struct worker_message *out) {
    struct head head;
    if (!socket_receive(socket, &head, sizeof head, INFINITY, NULL)) return false;
    *kind = (enum kind)head.kind;
    *out = (struct worker_message){.data = base_alloc(head.bytes + 1), .bytes = head.bytes};
    if (out->data && socket_receive(socket, out->data, head.bytes, INFINITY, NULL)) return true;
    free(out->data);
    return false;
}

/** Ends the worker at once; registered with atexit(). Otherwise exit() would flush files of the
 * other process, seek in its input, and remove its temporary files. */
static _Noreturn void leave(void) {
    _exit(EXIT_SUCCESS);
}

/** Ignores signals that are sent to the whole program. They end the other process, and its end ends
 * the worker. If a signal killed the worker first, its work would seem to be the cause. */
static void leave_signals(void) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) signal(signals[s], SIG_IGN);
}

/** Closes the files of the other process, such as locks, which must not stay open longer than in
 * that process. */
static void close_files(const struct worker *worker) {
    for (int descriptor = worker->first_descriptor; descriptor < DESCRIPTORS; descriptor++) {
        if (descriptor != worker->socket) close(descriptor);
    }
}

static _Noreturn void serve(struct worker *worker, pid_t parent) {
    struct worker_message request;
    enum kind kind;
    leave_signals();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || atexit(leave) != 0) _exit(EXIT_FAILURE);
    close_files(worker);
    while (receive_message(worker->socket, &kind, &request)) {
        const struct worker_message answer = worker->answer(worker->context, &request);
        if (!send_message(worker->socket, KIND_ANSWER, answer.data, answer.bytes)) break;
        free(answer.data);
        free(request.data);
    }
    fflush(stdout); /* flushes output that a library may have written */
    leave();
}

void worker_progress(void *context, const char *activity, double done, double total) {
    struct worker *worker = context;
    struct progress_message message = {.done = done, .total = total};
    const double now = monotonic_seconds();
    if (now - worker->progress_told < progress_seconds) return;
    worker->progress_told = now;
    snprintf(message.activity, sizeof message.activity, "%s", activity);
    send_message(worker->socket, KIND_PROGRESS, &message, sizeof message);
}

/* Functions that the process which uses the worker calls. */

static enum worker_end unavailable(struct tcplan_error *error) {
    error_set(error, TCPLAN_ENVIRONMENT, "cannot start a process: %s", strerror(errno));
    return WORKER_UNAVAILABLE;
}

enum worker_end worker_start(struct worker *worker, struct tcplan_error *error) {
    const pid_t parent = getpid();
    int ends[2];
    if (worker->process > 0) return WORKER_ANSWERED;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return unavailable(error);
    if (worker->first_descriptor == 0) worker->first_descriptor = ends[0];
    signal(SIGCHLD, SIG_DFL); /* if SIGCHLD is ignored, the cause of a process's death is lost */
    fflush(stdout);
    worker->process = fork();
    worker->socket = ends[worker->process == 0];
    close(ends[worker->process != 0]);
    if (worker->process == 0) serve(worker, parent);
    if (worker->process > 0) return WORKER_ANSWERED;
    worker->process = 0;
    const enum worker_end end = unavailable(error);
    close(ends[0]);
    return end;
}

/** Closes the connection, waits until the worker has ended, and returns its exit status. */
static int collect(struct worker *worker) {
    int status = 0;
    close(worker->socket);
    process_collect(&status, worker->process);
    worker->process = 0;
    return status;
}

void worker_stop(struct worker *worker) {
    if (worker->process > 0) collect(worker);
}

static const char *signal_name(int number) {
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGILL, "SIGILL"},   {SIGFPE, "SIGFPE"},
                 {SIGBUS, "SIGBUS"},   {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"},
                 {SIGSYS, "SIGSYS"},   {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"},
                 {SIGXFSZ, "SIGXFSZ"}};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (names[n].number == number) return names[n].name;
    }
    return NULL;
}

/** Describes the cause of a process's death. */
static enum worker_end died(int status, struct tcplan_error *error) {
    const char *name = WIFSIGNALED(status) ? signal_name(WTERMSIG(status)) : NULL;
    if (!WIFSIGNALED(status)) {
        error_set(error, TCPLAN_ENVIRONMENT,
                  "the process exited by itself, for example by calling exit()");
    } else if (!name) {
        error_set(error, TCPLAN_ENVIRONMENT, "killed by signal %d", WTERMSIG(status));
    } else {
        error_set(error, TCPLAN_ENVIRONMENT, "killed by %s%s", name,
                  WTERMSIG(status) == SIGKILL ? ", possibly because memory ran out" : "");
    }
    return WORKER_DIED;
}

/** Returns whether a message or the end of the process arrived within the patience of the worker.
 * Waits in slices of at most a second, so that time during which both processes are stopped hardly
 * counts. */
static bool is_patient(const struct worker *worker) {
    const double slice = worker->patience_seconds > 0 ? fmin(worker->patience_seconds, 1) : 1;
    struct pollfd descriptor = {.fd = worker->socket, .events = POLLIN};
    for (double waited = 0; worker->patience_seconds <= 0 || waited < worker->patience_seconds;
         waited += slice) {
        const int timeout_ms = worker->patience_seconds > 0 ? (int)ceil(1000 * slice) : -1;
        const int ready = poll(&descriptor, 1, timeout_ms);
        if (ready > 0) return true;
    }
    return false;
}

static void pass_on(const struct worker *worker, const struct worker_message *message) {
    struct progress_message progress;
    if (!worker->progress || message->bytes != sizeof progress) return;
    memcpy(&progress, message->data, sizeof progress);
    progress.activity[ACTIVITY_SIZE - 1] = '\0';
    worker->progress(worker->progress_context, progress.activity, progress.done, progress.total);
}

/** Waits for the answer, and passes on progress. Returns false if the process ended, or did not
 * answer in time (`late`). */
static bool await(const struct worker *worker, struct worker_message *answer, bool *late) {
    enum kind kind;
    for (;;) {
        *late = !is_patient(worker);
        if (*late || !receive_message(worker->socket, &kind, answer)) return false;
        if (kind == KIND_ANSWER) return true;
        pass_on(worker, answer);
        free(answer->data);
    }
}

static enum worker_end ask_once(struct worker *worker, const struct worker_message *request,
                                struct worker_message *answer, bool *late,
                                struct tcplan_error *error) {
    const enum worker_end started = worker_start(worker, error);
    *late = false;
    if (started != WORKER_ANSWERED) return started;
    if (send_message(worker->socket, KIND_REQUEST, request->data, request->bytes) &&
        await(worker, answer, late))
        return WORKER_ANSWERED;
    kill(worker->process, SIGKILL); /* no effect if the process is already ending */
    const int status = collect(worker);
    if (!*late) return died(status, error);
    error_set(error, TCPLAN_ENVIRONMENT, "ended: no progress for %.3g s", worker->patience_seconds);
    return WORKER_DIED;
}

enum worker_end worker_ask(struct worker *worker, const struct worker_message *request,
                           struct worker_message *answer, struct tcplan_error *error) {
    enum worker_end end = WORKER_DIED;
    bool late = false;
    for (int try = 0; try < TRIES && end == WORKER_DIED && !late; try++)
        end = ask_once(worker, request, answer, &late, error);
    return end;
}
