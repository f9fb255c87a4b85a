/**
 * The actions of `model`. Each is a line in the table of cmd_model.c and a function; long ones have
 * their own files.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_H
#define CLI_COMMANDS_MODEL_MODEL_H

#include "cli/models.h"

/** Draws one model over its samples. */
enum exit_status model_plot(const struct options *options);

/** Writes the chosen models as XML. */
enum tcplan_status models_export(FILE *file, const struct chosen_models *chosen);

/** Stores the models of an XML file, and prints how many. */
enum exit_status models_import(const struct tcplan_store *store, const struct options *options,
                               const char *path);

/** Returns the words after the action's name, and their number. */
const char *const *model_words(const struct options *options, int *count);

/** Returns EXIT_DONE if any models were chosen, else EXIT_REFUSED after a message. */
enum exit_status model_expect_some(const struct chosen_models *chosen);

#endif
