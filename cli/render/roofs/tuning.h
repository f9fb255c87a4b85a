/**
 * What `tune` found.
 */
#ifndef CLI_RENDER_ROOFS_TUNING_H
#define CLI_RENDER_ROOFS_TUNING_H

#include "cli/render/view.h"
#include "tcplan/tuning.h"

/** Of struct tcplan_tuning. */
extern const struct view tuning_view;

#endif
