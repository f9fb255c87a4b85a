/**
 * What an experiment's report comes to.
 */
#ifndef CLI_RENDER_SAMPLING_EVALUATION_H
#define CLI_RENDER_SAMPLING_EVALUATION_H

#include "cli/render/view.h"
#include "tcplan/experiment.h"

/** What is printed. */
struct evaluated {
    const struct tcplan_evaluation *evaluation;
    unsigned statistics; /**< bits 1 << enum tcplan_statistic: columns of the text */
    bool discard_first;
};

/** Documents have every sample; CSV has a line for each value of the range and selector. */
extern const struct view evaluation_view;

#endif
