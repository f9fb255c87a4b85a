/**
 * Errors on stderr: a message and, if the input is wrong, the input with the position marked.
 *
 *   tcplan: index 'z' appears in C only; every index of the result must be in A or B
 *     C_abz=A_ai*B_ib
 *         ^
 */
#ifndef CLI_DIAGNOSTICS_H
#define CLI_DIAGNOSTICS_H

#include "tcplan/status.h"

struct options;

/** The exit status of the command. */
enum exit_status { EXIT_DONE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

/** Notes the first argument of the process. */
void program_set(const char *typed);

/** Returns the path that the user typed, so that commands in the output can be pasted; "tcplan" if
 * the shell found it, or if the path would need quotes. */
const char *program_name(void);

/**
 * The error of the last library call that failed. The library receives `&failure`, and the
 * functions below print it. A command ends at its first error, so that one is enough.
 */
extern struct tcplan_error failure;

/** Prints "tcplan: MESSAGE" in place of a line of progress. Control characters are shown escaped.
 */
void diagnose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** The same; returns `status`. */
enum exit_status diagnose_as(enum exit_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The same about a wrong command line, and then the help of its command; returns EXIT_USAGE. */
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

/** The same for `failure`. */
enum exit_status diagnose_failure(const char *text);

/** Prints `failure`, and after a status also the line `advice`. Returns as diagnose_error(). */
enum exit_status diagnose_advised(enum tcplan_status status, const char *advice);

/** Ends a piece of work: removes its progress, and returns EXIT_DONE or behaves as
 * diagnose_failure() without a text. */
enum exit_status diagnosed(enum tcplan_status status);

/** Prints "tcplan: note: MESSAGE" and marks `length` bytes of `text` from `column` (from 1) on. */
void diagnose_note(const char *text, size_t column, size_t length, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Prints "out of memory"; returns EXIT_ENVIRONMENT. */
enum exit_status diagnose_no_memory(void);

#endif
