/**
 * Pictures of predictions and measurements of blocked algorithms.
 *
 *   several n                       performance over n, a line for each algorithm with its best
 *                                   block size
 *   several b, one n                of one algorithm the share of each kernel over b; of several
 *                                   performance over b
 *   several n and b, one algorithm  performance over n and b as colours, with the best b of each n
 *
 * and of what was measured: performance over n or over b, predicted as a line and measured as
 * marks; over n and b the error of the predicted median.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_PLOT_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_PLOT_H

#include "cli/diagnostics.h"
#include "cli/render/blocked/blocked_measure.h"
#include "cli/render/blocked/blocked_predict.h"

/** What is drawn. All of it is borrowed. */
struct blocked_picture {
    const struct blocked_view *view;
    const struct tcplan_blocked_map *map;
    const struct tcplan_blocked_rank *rank;  /**< of each point as many as there are algorithms */
    const struct blocked_predicted *kernels; /**< of the map's places in their order; NULL: kernels
                                                are not known */
    const struct tcplan_blocked_measured *measured; /**< likewise in their order; NULL: nothing was
                                                     */
};

/** Says where a file cannot be written, or nothing changes that could be drawn over, before time is
 * spent. */
enum exit_status blocked_plot_check(const char *path, const struct tcplan_blocked_map *map);

/** Writes the picture. */
enum exit_status blocked_plot(const char *path, const struct blocked_picture *picture);

#endif
