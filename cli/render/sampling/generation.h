/**
 * What `model generate` made, and what `model check` says.
 */
#ifndef CLI_RENDER_SAMPLING_GENERATION_H
#define CLI_RENDER_SAMPLING_GENERATION_H

#include "cli/render/view.h"
#include "tcplan/generation.h"

/** All of it is borrowed; one of the results is set. */
struct generation_result {
    const struct tcplan_generation_options *options;
    const char *samples; /**< the file of samples; NULL: none */
    const struct tcplan_generation *generation;
    const struct tcplan_models_check *check;
};

extern const struct view generation_view, models_check_view;

#endif
