/**
 * The actions of `model`. Each is a line in the table of cmd_model.c and a function; long functions
 * have separate files.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_H
#define CLI_COMMANDS_MODEL_MODEL_H

#include "cli/models.h"

/** Draws a model with its samples. */
enum exit_status model_plot(const struct options *options);

/** Draws a model's pieces over the two sizes that are not in `sizes`, coloured by error, and the
 * model's samples. */
enum exit_status model_pieces_plot(const struct options *options, const struct tcplan_model *model,
                                   const struct tcplan_model_samples *samples,
                                   const struct model_sizes *sizes);

/** Makes and stores models of the routines that the arguments name. */
enum exit_status generation_make(const struct options *options);

/**
 * Makes and stores models for `words`, with the provider, threads, seed, memory and time limit of
 * the options. Prints only progress and errors.
 */
enum exit_status generation_make_words(const struct options *options, const char *const word[],
                                       int count);

/** Measures the grids of the routines that the arguments name, and compares configurations. */
enum exit_status generation_study(const struct options *options);

/** Draws the error of each configuration over its cost into a file. */
enum exit_status study_plot(const struct tcplan_study *study, const char *path);

/** Checks the stored models that the arguments select, and stores the results. */
enum exit_status generation_check(const struct options *options);

/** Returns the words that follow the action's name; `*count` receives their number. */
const char *const *model_words(const struct options *options, int *count);

/** Returns EXIT_DONE if some model was chosen, otherwise EXIT_REFUSED after a message. */
enum exit_status model_expect_some(const struct chosen_models *chosen);

#endif
