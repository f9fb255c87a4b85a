/**
 * Errors on stderr: a message and, for invalid input, the input with the position marked.
 *
 *   tcplan: index 'z' appears in C only; every index of the result must be in A or B
 *     C_abz=A_ai*B_ib
 *         ^
 */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include "tcplan/status.h"

struct options;

/** Exit statuses of tcplan. */
enum exit_status { EXIT_DONE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

/** Records the name by which the user started the process. */
void program_set(const char *typed);

/** Returns the path that the user typed, so that commands in the output can be pasted. Returns
 * "tcplan" if the shell found the program, or if the path would need quotes. */
const char *program_name(void);

/**
 * Error of the last library call that failed. Commands pass `&failure` to the library, and the
 * functions below print it. One variable is enough, because a command ends at its first error.
 */
extern struct tcplan_error failure;

/** Prints "tcplan: MESSAGE" on stderr, after removing the line of progress. Control characters are
 * escaped. */
void diagnose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Does the same as diagnose(), and returns `status`. */
enum exit_status diagnose_as(enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints "tcplan: MESSAGE" about a wrong command line, and how to get the help of its command;
 * returns EXIT_USAGE. */
enum exit_status options_refuse(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints "tcplan: note: MESSAGE" on stderr, unless --quiet is given. */
void note(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Prints an error of the library.
 *
 * @param text  the parsed text, to mark the position of the error; NULL: none
 * @return EXIT_REFUSED, or EXIT_ENVIRONMENT if the input is not the cause
 */
enum exit_status diagnose_error(const struct tcplan_error *error, const char *text);

/** Does the same as diagnose_error() for the error `failure`. */
enum exit_status diagnose_failure(const char *text);

/** Prints `failure` and, if its status is `status`, the line `advice`. Returns the same as
 * diagnose_error(). */
enum exit_status diagnose_advised(enum tcplan_status status, const char *advice);

/** Ends work that shows progress: removes the line of progress. If `status` is an error, prints
 * `failure` and returns the result of diagnose_failure(); otherwise returns EXIT_DONE. */
enum exit_status diagnosed(enum tcplan_status status);

/** Prints "tcplan: note: MESSAGE", and the text with `length` bytes marked from `column`, counted
 * from 1. */
void diagnose_note(const char *text, size_t column, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Prints "out of memory"; returns EXIT_ENVIRONMENT. */
enum exit_status diagnose_no_memory(void);

#endif
