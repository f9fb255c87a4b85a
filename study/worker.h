/**
 * A separate process that does work, so that a crash of the work does not end the program.
 *
 * The worker is forked at its first use, with a copy of this process's memory, and answers one
 * request after the other. It ends when this process ends, for whatever reason. It ignores signals
 * such as SIGINT, which this process handles. This process must not have run a BLAS or OpenMP,
 * whose threads do not survive a fork.
 */
#ifndef STUDY_WORKER_H
#define STUDY_WORKER_H

#include <sys/types.h>

#include "tcplan/rank.h"

/** The bytes of a request or an answer. */
struct worker_message {
    void *data; /**< the bytes; those of received messages must be freed with free() */
    size_t bytes;
};

/** Answers a request, in the worker; an answer of no bytes has no data. */
typedef struct worker_message worker_answer_fn(void *context, const struct worker_message *request);

/** Zero-initialise, then set the public fields. */
struct worker {
    worker_answer_fn *answer;
    void *context;                /**< first argument of `answer` */
    tcplan_progress_fn *progress; /**< called in this process for worker_progress() in the worker;
                                     NULL: not used */
    void *progress_context;
    double patience_seconds; /**< seconds in which the worker must answer or report progress,
                                otherwise it is killed; 0: no limit */
    int first_descriptor;    /**< descriptors from this one on are closed in the worker; 0: those of
                                  files opened after its first start. Workers that live at the same
                                  time need the same value; otherwise each keeps the sockets of the
                                  others open */
    pid_t process; /**< process id of the worker, 0: none; this member and all that follow are
                      private */
    int socket;    /**< this process's end of the connection; in the worker, the worker's end */
    double progress_told; /**< time at which progress was last sent, in seconds of the monotonic
                             clock */
};

enum worker_end {
    WORKER_ANSWERED,
    WORKER_DIED, /**< the worker died twice in a row, or was killed after `patience_seconds` */
    WORKER_UNAVAILABLE /**< no process could be started, or memory ran out */
};

/** Starts the process unless it runs; worker_ask() also does so. The process does not hold open
 * files that are opened later. */
enum worker_end worker_start(struct worker *worker, struct tcplan_error *error);

/**
 * Sends a request, and waits for the answer. If the worker dies, tries once more with a new one,
 * because an earlier request or another process may have been the cause.
 *
 * @param answer  receives the answer, if there is one
 * @param error   receives the reason if there is none, as `killed by SIGSEGV`
 */
enum worker_end worker_ask(struct worker *worker, const struct worker_message *request,
                           struct worker_message *answer, struct tcplan_error *error);

/** Reports progress from the worker (a tcplan_progress_fn): sends it to the other process, a few
 * times a second. `context` is the struct worker. */
void worker_progress(void *context, const char *activity, double done, double total);

/** Ends the worker, which must not be answering a request. */
void worker_stop(struct worker *worker);

#endif
