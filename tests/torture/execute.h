/** Executes a check of scripts/torture in the way that it selects. */
#ifndef TORTURE_EXECUTE_H
#define TORTURE_EXECUTE_H

#include <stddef.h>

#include "torture/subject.h"

enum execute_outcome {
    EXECUTE_RIGHT,
    EXECUTE_SKIPPED, /**< tcplan reports that there is no such algorithm, that it cannot run with
                        these strides, or that memory is insufficient */
    EXECUTE_WRONG
};

/** Returns the number of compilers for emitted C on this machine, and their names. */
int execute_compilers(const char *out[2]);

/** Executes a check; `why` receives the error, or why the check was skipped. */
enum execute_outcome execute(const struct subject *subject, char *why, size_t size);

/** Executes checks of emitted C for one provider, compiled together with the options of the first
 * one. Sets the outcomes in order, up to the first wrong one. */
void execute_emitted(const struct subject subjects[], int count, enum execute_outcome outcome[],
                     char *why, size_t size);

/** Removes compilation folders in the working directory that this process, or processes that no
 * longer exist, left there. */
void execute_sweep(void);

/** Receives each of several checks that are compiled together before it runs, to attribute a crash.
 */
typedef void execute_note(const struct subject *subject);
void execute_set_note(execute_note *function);

/** Writes a formatted reason to `why`; returns the outcome. */
enum execute_outcome execute_say(enum execute_outcome outcome, char *why, size_t size,
                                 const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Converts an error that tcplan may return for any product to an outcome. */
enum execute_outcome execute_refusal(enum tcplan_status status, const struct tcplan_error *error,
                                     char *why, size_t size);

#endif
