/**
 * Invocations in processes of their own: a program is started for one question, answers it and
 * ends. Its memory has other addresses than that of the previous one, and a crash ends only it.
 *
 * Question and answer are structs without pointers: both processes run the same program. They
 * travel on one socket, the standard input of the started process.
 */
#ifndef ROOFLINE_TUNING_TUNE_PROCESS_H
#define ROOFLINE_TUNING_TUNE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

struct tune_process {
    const char *const *program; /**< path and arguments, ended by NULL; it calls
                                   tune_process_receive() and tune_process_send() */
    double patience_seconds;    /**< after which a process that has not answered is ended */
    const int *processor;       /**< that it may run on from its start */
    int processors;             /**< 0: those of this process */
    const char *assignment;     /**< `NAME=VALUE`, set in the program's environment; NULL: none */
    bool is_silent;             /**< discards its stderr, as its stdout always is */
};

/**
 * Starts the program, sends the request and waits.
 *
 * @param lost   whether the process died, or was ended as it hung; `error` then gives the cause
 * @return TCPLAN_OK, also if the process was lost; TCPLAN_ENVIRONMENT if it cannot be started
 */
enum tcplan_status tune_process_ask(const struct tune_process *process, const void *question,
                                    size_t question_bytes, void *answer, size_t answer_bytes,
                                    bool *lost, struct tcplan_error *error);

/** In the started program: reads the question; false if there is no request. From then on the
 * process ends when the one that asked does. */
bool tune_process_receive(void *question, size_t bytes);

/** In the started program: answers. */
bool tune_process_send(const void *answer, size_t bytes);

#endif
