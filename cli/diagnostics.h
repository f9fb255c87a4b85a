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

/** Stores the name by which the user started the process. */
void program_set(const char *typed);

/** Returns the path that the user typed, so that commands in the output can be pasted; "tcplan" if
 * the shell found it, or if the path would need quotes. */
const char *program_name(void);

/**
 * Error of the last library call that failed. Commands pass `&failure` to the library, and the
 * functions below print it. One is enough, because a command ends at its first error.
 */
extern struct tcplan_error failure;

/** Prints "tcplan: MESSAGE" in place of a line of progress. Control characters are shown escaped.
 */
void diagnose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** diagnose() that returns `status`. */
enum exit_status diagnose_as(enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints "tcplan: MESSAGE" about a wrong command line, and how to get the help of its command;
 * returns EXIT_USAGE. */
enum exit_status options_refuse(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints "tcplan: note: MESSAGE", unless --quiet. */
void note(const struct options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Prints an error of the library.
 *
 * @param text  the parsed text, to mark the position of the error; NULL: none
 * @return EXIT_REFUSED, or EXIT_ENVIRONMENT if the input is not the cause
 */
enum exit_status diagnose_error(const struct tcplan_error *error, const char *text);

/** diagnose_error() for `failure`. */
enum exit_status diagnose_failure(const char *text);

/** Prints `failure` and, if its status is `status`, the line `advice`. Returns as diagnose_error()
 * does. */
enum exit_status diagnose_advised(enum tcplan_status status, const char *advice);

/** Ends work with progress: removes the line of progress. Returns EXIT_DONE, or what
 * diagnose_failure() returns for a failure. */
enum exit_status diagnosed(enum tcplan_status status);

/** Prints "tcplan: note: MESSAGE", and marks `length` bytes of `text` from `column`, counted from
 * 1. */
void diagnose_note(const char *text, size_t column, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Prints "out of memory"; returns EXIT_ENVIRONMENT. */
enum exit_status diagnose_no_memory(void);

#endif
