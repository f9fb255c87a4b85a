/**
 * The actions of `blocked` that need no models; those of blocked_job.h do.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_H

#include "cli/commands/blocked/blocked_request.h"

/** All operations, or the algorithms of one with their steps. */
enum exit_status blocked_list(const struct options *options);

/** The calls of an algorithm. */
enum exit_status blocked_trace(const struct options *options);

/** C for an algorithm. */
enum exit_status blocked_emit(const struct options *options);

/** Results of algorithms beside LAPACK's; EXIT_ENVIRONMENT where one differs. */
enum exit_status blocked_check(const struct options *options);

#endif
