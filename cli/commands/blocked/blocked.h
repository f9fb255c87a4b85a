/**
 * The actions of `blocked` that need no models. blocked_job.h has the others.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_H

#include "cli/commands/blocked/blocked_request.h"

/** Prints all operations, or the algorithms of one with their steps. */
enum exit_status blocked_list(const struct options *options);

/** Prints the calls of an algorithm. */
enum exit_status blocked_trace(const struct options *options);

/** Writes C for an algorithm. */
enum exit_status blocked_emit(const struct options *options);

/** Compares results of algorithms with LAPACK's; EXIT_ENVIRONMENT if one differs. */
enum exit_status blocked_check(const struct options *options);

#endif
