/**
 * Executes a check in one of its ways.
 */
#ifndef TORTURE_EXECUTE_H
#define TORTURE_EXECUTE_H

#include <stddef.h>

#include "torture/subject.h"

enum execute_outcome {
    EXECUTE_RIGHT,
    EXECUTE_SKIPPED, /**< tcplan says that there is no such algorithm, or it cannot run with these
                        strides, or so much memory cannot be had */
    EXECUTE_WRONG
};

/** The compiler of emitted C: how many there are here, and their names. */
int execute_compilers(const char *out[2]);

/** Executes a check; `why` receives what is wrong, or why it is skipped. */
enum execute_outcome execute(const struct subject *subject, char *why, size_t size);

/** Executes emitted checks of one provider, compiled together as the first one says: outcomes one
 * by one, up to the first that is wrong. */
void execute_emitted(const struct subject subjects[], int count, enum execute_outcome outcome[],
                     char *why, size_t size);

/** Removes from the current folder what was being compiled as processes ended: by the one that
 * asks, or by ones that are gone. */
void execute_sweep(void);

/** Is told what runs next of checks that are compiled together, so that a crash is of one of them.
 */
typedef void execute_note(const struct subject *subject);
void execute_set_note(execute_note *function);

/* For those that execute. */

/** Writes why; returns the outcome. */
enum execute_outcome execute_say(enum execute_outcome outcome, char *why, size_t size,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** The statuses that tcplan may return for any product. */
enum execute_outcome execute_refusal(enum tcplan_status status, const struct tcplan_error *error,
                                     char *why, size_t size);

#endif
