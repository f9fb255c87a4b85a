/**
 * `tcplan model generate` and `tcplan model check`.
 */
#ifndef CLI_COMMANDS_MODEL_GENERATION_H
#define CLI_COMMANDS_MODEL_GENERATION_H

#include "cli/options/options.h"

/** Makes and stores models of the routines that the arguments after the action name. */
enum exit_status generation_make(const struct options *options);

/**
 * Makes and stores models of these words with the provider, threads, seed, memory and time limit of
 * the options, and defaults for the rest. Prints only progress and errors.
 */
enum exit_status generation_make_words(const struct options *options, const char *const word[],
                                       int count);

/** Checks the stored models that the arguments select, and stores the results with them. */
enum exit_status generation_check(const struct options *options);

#endif
