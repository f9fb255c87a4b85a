/**
 * Models, as a list or one by one with their pieces.
 */
#ifndef CLI_RENDER_SAMPLING_MODELS_H
#define CLI_RENDER_SAMPLING_MODELS_H

#include "cli/models.h"
#include "cli/render/format.h"

/** All of it is borrowed. */
struct models_listing {
    const struct chosen_models *chosen;
    bool whole;                      /**< with configurations and pieces */
    const struct model_sizes *sizes; /**< each is evaluated there; without sizes not */
};

void models_print_text(struct writer *writer, const struct models_listing *listing);

#endif
