/**
 * The frame of a command: what its table says it needs is opened before its work and closed behind
 * it, whatever comes of it.
 */
#ifndef CLI_TASK_H
#define CLI_TASK_H

#include "base/output_file.h"
#include "cli/request.h"

struct view;

/** What a task opens, besides enum request_need, which is about its request. */
enum task_need {
    TASK_CONTRACTION = 256, /**< the request is read; else its machine alone, if it needs one */
    TASK_IF_GIVEN = 512,    /**< likewise if there is an argument */
    TASK_OUTPUT = 2048,     /**< the output that options name */
    TASK_LOCK = 4096        /**< the lock of this machine is held */
};

/** What a command works with. */
struct task {
    const struct options *options;
    struct request request;
    struct output_file out;
    struct tcplan_node_lock *lock; /**< NULL: none is held, or --no-lock */
};

typedef enum exit_status task_fn(struct task *task);

/** Opens what is needed, does the work, and closes it; EXIT_DONE, or what a message was printed
 * for. */
enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work);

/** Prints a result into the output that is open, and completes it. */
enum exit_status task_print(struct task *task, const struct view *view, const void *record);

#endif
