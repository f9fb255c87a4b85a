/**
 * Blocked algorithms as they were predicted and as they ran.
 */
#ifndef CLI_RENDER_BLOCKED_BLOCKED_MEASURE_H
#define CLI_RENDER_BLOCKED_BLOCKED_MEASURE_H

#include "cli/render/blocked/blocked_view.h"
#include "tcplan/blocked_measure.h"

/** All of it is borrowed. */
struct blocked_measurements {
    struct blocked_view view;
    size_t count;
    const struct tcplan_blocked_measured *of; /**< by sizes, among these by algorithm: alternatives
                                                 one behind the other */
    const struct tcplan_blocked_prediction *prediction; /**< of each */
    const struct tcplan_blocked_measuring *measuring;
    int64_t default_block; /**< LAPACK's */
};

/** Prints in the writer's format, between its begin and end. */
void blocked_measurements_print(struct writer *writer,
                                const struct blocked_measurements *measurements);

#endif
