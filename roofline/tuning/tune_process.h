/**
 * Runs invocations in new processes: a program is started for one request, answers it and ends.
 * Each process has memory at other addresses, and a crash ends only that process.
 *
 * Request and answer are structs without pointers, since both processes run the same program. They
 * are sent over a socket, which is the standard input of the started process.
 */
#ifndef ROOFLINE_TUNING_TUNE_PROCESS_H
#define ROOFLINE_TUNING_TUNE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "tcplan/status.h"

struct tune_process {
    const char *const *program; /**< path and arguments of the program, then NULL; it calls
                                   tune_process_receive() and tune_process_send() */
    double patience_seconds;    /**< seconds after which a process without an answer is killed */
    const int *processor;       /**< processors on which the process may run */
    int processors; /**< number of processors; 0: the process runs on the processors of this process
                     */
    const char *assignment; /**< assignment `NAME=VALUE` to set in the program's environment; NULL:
                               none */
    bool is_silent;         /**< whether to discard stderr; stdout is always discarded */
};

/**
 * Starts the program, sends the request and waits for the answer.
 *
 * @param lost  receives whether the process died, or was killed because it hung; `error` then has
 *     the reason
 * @return TCPLAN_OK, also if the process was lost; TCPLAN_ENVIRONMENT if it cannot be started
 */
enum tcplan_status tune_process_ask(const struct tune_process *process, const void *question,
                                    size_t question_bytes, void *answer, size_t answer_bytes,
                                    bool *lost, struct tcplan_error *error);

/** In the started program: reads the request; returns false if there is none. From then on this
 * process is killed when the requesting process ends. */
bool tune_process_receive(void *question, size_t bytes);

/** In the started program: sends the answer; returns false if the requesting process is gone. */
bool tune_process_send(const void *answer, size_t bytes);

#endif
