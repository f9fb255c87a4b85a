/**
 * `tcplan model generate` and `tcplan model check`.
 */
#ifndef CLI_COMMANDS_MODEL_GENERATION_H
#define CLI_COMMANDS_MODEL_GENERATION_H

#include "cli/options/options.h"

/** Makes models of the routines that the arguments behind the action name, and keeps them in the
 * store. */
enum exit_status generation_make(const struct options *options);

/**
 * Makes models of these words with the provider, threads, seed, memory and time of the options, and
 * keeps them; all else is as usual. Nothing is printed but progress and what goes wrong.
 */
enum exit_status generation_make_words(const struct options *options, const char *const word[],
                                       int count);

/** Checks models of the store, those that these arguments mean, and keeps what came of it with
 * them. */
enum exit_status generation_check(const struct options *options);

#endif
