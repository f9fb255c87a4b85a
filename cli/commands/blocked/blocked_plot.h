/**
 * Pictures of predictions and measurements of blocked algorithms.
 *
 *   several n                       performance over n, a line for each algorithm with its best
 *                                   block size
 *   several b, one n                one algorithm: the share of each kernel over b; several:
 *                                   performance over b
 *   several n and b, one algorithm  performance over n and b as colours, with the best b of each n
 *
 * Measurements add marks to the predicted lines; over n and b, the colours then show the error of
 * the predicted median.
 */
#ifndef CLI_COMMANDS_BLOCKED_BLOCKED_PLOT_H
#define CLI_COMMANDS_BLOCKED_BLOCKED_PLOT_H

#include "cli/commands/blocked/blocked_job.h"

/** The data to draw, all borrowed. */
struct blocked_picture {
    const struct blocked_job *job;           /**< with its predictions and ranks */
    const struct blocked_predicted *kernels; /**< in the order of the map's places; NULL: unknown */
    const struct tcplan_blocked_measured *measured; /**< in the same order; NULL: not measured */
};

/** With --plot, checks that the file can be written and that a size or block size varies, before
 * the expensive steps. */
enum exit_status blocked_plot_check(const struct blocked_job *job);

/** Writes the picture with --plot. */
enum exit_status blocked_plot(const struct blocked_picture *picture);

#endif
