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

#include "cli/commands/blocked/blocked_job.h"

/** What is drawn. All of it is borrowed. */
struct blocked_picture {
    const struct blocked_job *job;           /**< with its predictions and ranks */
    const struct blocked_predicted *kernels; /**< in the order of the map's places; NULL: kernels
                                                are not known */
    const struct tcplan_blocked_measured *measured; /**< likewise; NULL: nothing was */
};

/** Says, where a picture is asked for, that its file cannot be written or that nothing changes that
 * could be drawn over, before time is spent. */
enum exit_status blocked_plot_check(const struct blocked_job *job);

/** Writes the picture, if one is asked for. */
enum exit_status blocked_plot(const struct blocked_picture *picture);

#endif
