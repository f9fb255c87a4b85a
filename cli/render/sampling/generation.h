/**
 * What `model generate` made, and what `model check` says, in every format that has it: text, JSON,
 * XML.
 */
#ifndef CLI_RENDER_SAMPLING_GENERATION_H
#define CLI_RENDER_SAMPLING_GENERATION_H

#include "cli/render/format.h"
#include "tcplan/generation.h"

/** What is printed beside the results. */
struct generation_view {
    const struct tcplan_generation_options *options;
    const char *samples; /**< the file of samples; NULL: none */
};

/** Prints in the writer's format, between its begin and end. */
void generation_print(struct writer *writer, const struct tcplan_generation *generation,
                      const struct generation_view *view);
void generation_print_check(struct writer *writer, const struct tcplan_models_check *check,
                            const struct generation_view *view);

#endif
