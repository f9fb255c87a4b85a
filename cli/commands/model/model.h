/**
 * The actions of `model`: a line in the table of cmd_model.c and a function each, in files of their
 * own where they are long.
 */
#ifndef CLI_COMMANDS_MODEL_MODEL_H
#define CLI_COMMANDS_MODEL_MODEL_H

#include "cli/models.h"

/** The picture of one model over its samples. */
enum exit_status model_plot(const struct options *options);

/** Writes the chosen models as XML. */
enum tcplan_status models_export(FILE *file, const struct chosen_models *chosen,
                                 struct tcplan_error *error);

/** Keeps the models of an XML file, and says so. */
enum exit_status models_import(const struct tcplan_store *store, const struct options *options,
                               const char *path);

/** The words behind the action's name, and how many. */
const char *const *model_words(const struct options *options, int *count);

/** EXIT_DONE where models were chosen; otherwise EXIT_REFUSED after a message. */
enum exit_status model_expect_some(const struct chosen_models *chosen);

#endif
