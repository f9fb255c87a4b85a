/**
 * Models, as a list or one by one with their pieces.
 */
#ifndef CLI_RENDER_SAMPLING_MODELS_H
#define CLI_RENDER_SAMPLING_MODELS_H

#include "cli/models.h"
#include "cli/render/view.h"

/** All of it is borrowed. */
struct models_listing {
    const struct chosen_models *chosen;
    bool whole;                      /**< with configurations and pieces */
    const struct model_sizes *sizes; /**< each is evaluated there; without sizes not */
};

extern const struct view models_view;

/** A domain as text: `[24,536]x[24,4152]`. */
struct field_value model_domain_value(const struct tcplan_model_domain *domain);

#endif
