/**
 * A separate process that does the work: what kills it does not end the program.
 *
 * It is forked when it is needed, so that it knows all that this process knew then, and answers one
 * request after the other. It ends when this process ends, however that happens. Signals for the
 * program are left to this process. This process must not have run a BLAS or OpenMP: their threads
 * do not survive a fork.
 */
#ifndef STUDY_WORKER_H
#define STUDY_WORKER_H

#include <sys/types.h>

#include "tcplan/rank.h"

/** Bytes on their way between the processes. */
struct worker_message {
    void *data; /**< for received data: to be freed with free() */
    size_t bytes;
};

/** Answers a request, in the worker; an answer of no bytes has no data. */
typedef struct worker_message worker_answer_fn(void *context, const struct worker_message *request);

/** Zero-initialise, then set the public fields. */
struct worker {
    worker_answer_fn *answer;
    void *context;                /**< of `answer` */
    tcplan_progress_fn *progress; /**< called in this process for worker_progress() in the worker;
                                     NULL: not used */
    void *progress_context;
    double patience_seconds; /**< a worker that neither answers nor makes progress for so long is
                                ended; 0: however long it takes */
    int first_descriptor;    /**< descriptors from this one on are closed in the worker; 0: those of
                                files opened after its start. Workers that live at the same time
                                need a common one: each would keep the others' sockets open */
    pid_t process;           /**< private from here on; 0: none */
    int socket;              /**< the end that is this process's; in the worker the worker's */
    double progress_told; /**< when progress was passed on last, in seconds of the monotonic clock
                           */
};

enum worker_end {
    WORKER_ANSWERED,
    WORKER_DIED,       /**< twice, each time in a process of its own, or without an end */
    WORKER_UNAVAILABLE /**< there is no process, or no memory */
};

/** Starts the process, unless it is there; worker_ask() does so too. Files that are opened later
 * are not kept open by it. */
enum worker_end worker_start(struct worker *worker, struct tcplan_error *error);

/**
 * Has a request answered. Where the process dies, it is tried once more in a fresh one: an earlier
 * request, or another process, may be the cause.
 *
 * @param answer  receives the answer, if there is one
 * @param error   receives the reason if there is none, as `killed by SIGSEGV`
 */
enum worker_end worker_ask(struct worker *worker, const struct worker_message *request,
                           struct worker_message *answer, struct tcplan_error *error);

/** A tcplan_progress_fn for the worker: passes the progress on to the other process, a few
 * times a second. `context` is the struct worker. */
void worker_progress(void *context, const char *activity, double done, double total);

/** Ends the process, which must not be at work. */
void worker_stop(struct worker *worker);

#endif
