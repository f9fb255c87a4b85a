/**
 * Predictions of blocked algorithms: time, performance and efficiency, each as five statistics, and
 * what of the time is which kernel's.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_PREDICT_H
#define CLI_RENDER_BLOCKED_BLOCKED_PREDICT_H

#include "cli/render/blocked/blocked_view.h"

/** One prediction. */
struct blocked_predicted {
    const struct tcplan_blocked *blocked;
    struct tcplan_blocked_sizes sizes;
    struct tcplan_blocked_prediction prediction;
    int kernels;
    struct tcplan_blocked_kernel kernel[TCPLAN_BLOCKED_KERNELS];
};

/** All of it is borrowed. */
struct blocked_predictions {
    struct blocked_view view;
    size_t count; /**< at least 1 */
    const struct blocked_predicted *of;
};

/** Prints in the writer's format, between its begin and end. */
void blocked_predictions_print(struct writer *writer,
                               const struct blocked_predictions *predictions);

#endif
