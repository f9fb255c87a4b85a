/**
 * The actions of `blocked`: a line in the table of cmd_blocked.c and a function each, in files of
 * their own.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_H

#include "cli/commands/blocked/blocked_request.h"
#include "cli/render/format.h"

/** All operations, or the algorithms of one with their steps. */
enum exit_status blocked_list(const struct options *options);

/** The calls of an algorithm. */
enum exit_status blocked_trace(const struct options *options);

/** C for an algorithm. */
enum exit_status blocked_emit(const struct options *options);

/** Results of algorithms beside LAPACK's; EXIT_ENVIRONMENT where one differs. */
enum exit_status blocked_check(const struct options *options);

/** Algorithms ranked by windows: stretches of their own calls. */
enum exit_status blocked_windows(const struct options *options);

/** Times of an algorithm's calls inside of it and by themselves, and what a cache model makes of
 * these. */
enum exit_status blocked_cache(const struct options *options);

/** Which models an algorithm, or all of an operation, need. */
enum exit_status blocked_models(const struct options *options);

/** Time, performance and efficiency from models, with what of the time is which kernel's. */
enum exit_status blocked_predict(const struct options *options);

/** Predictions beside runs. */
enum exit_status blocked_measure(const struct options *options);

/** Algorithms and block sizes by predicted times; block sizes as C. */
enum exit_status blocked_rank(const struct options *options);

#endif
