/**
 * The frame of a command: opens the needs in its table before its work, and always closes them
 * after it.
 */
#ifndef CLI_TASK_H
#define CLI_TASK_H

#include "base/output_file.h"
#include "cli/request.h"

struct view;

/** The needs of a task, in addition to enum request_need for its request. */
enum task_need {
    TASK_CONTRACTION = 256, /**< the whole request; without it, only the machine if needed */
    TASK_IF_GIVEN = 512,    /**< as TASK_CONTRACTION if there is an argument */
    TASK_OUTPUT = 2048,     /**< the output file or stdout */
    TASK_LOCK = 4096        /**< the lock of this machine */
};

/** The open resources of a command. */
struct task {
    const struct options *options;
    struct request request;
    struct output_file out;
    struct tcplan_node_lock *lock; /**< NULL: not needed, or --no-lock */
};

typedef enum exit_status task_fn(struct task *task);

/** Opens the needs, does the work, and closes them; returns EXIT_DONE, or another status after a
 * message. */
enum exit_status task_do(const struct options *options, unsigned needs, task_fn *work);

/** Prints a result to the open output, and completes it. */
enum exit_status task_print(struct task *task, const struct view *view, const void *record);

#endif
