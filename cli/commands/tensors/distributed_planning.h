/** Models of communication and planners, for planning over processes. */
#ifndef CLI_COMMANDS_TENSORS_DISTRIBUTED_PLANNING_H
#define CLI_COMMANDS_TENSORS_DISTRIBUTED_PLANNING_H

#include "cli/options/options.h"
#include "cli/page/pictures.h"
#include "tcplan/distributed.h"

/** Models and planners. Zero-initialise before use. */
struct distributed_planning {
    struct tcplan_communication *communication; /**< models of MPI's calls; NULL: assumed latency
                                                   and bandwidth */
    const char *source;                         /**< origin of the models: a file, or the store */
    struct tcplan_planner *planner;             /**< the planner for estimates */
    struct tcplan_planner *timing; /**< the planner for timing; NULL: nothing is timed */
};

/** Reads the models of --communication or of the store, and makes the planners. Returns EXIT_DONE,
 * or another status after a message. */
enum exit_status distributed_planning_open(struct distributed_planning *out,
                                           const struct options *options);

void distributed_planning_close(struct distributed_planning *planning);

/**
 * Returns the options of planning that the command line gives.
 *
 * @param algorithm  NULL: any
 */
struct tcplan_distributed_options distributed_planning_options(
    const struct distributed_planning *planning, const struct options *options,
    const char *algorithm);

/** Predicts the fastest algorithm for a number of processes. */
typedef enum tcplan_status ranks_point_fn(void *context, struct ranks_point *out, int processes);

/**
 * Draws the predicted times for 1, 2, 4, ... processes, up to `processes`, to the file of --plot.
 *
 * @param title          freed by this function; NULL: memory has run out
 * @param communication  NULL: assumed latency and bandwidth
 */
enum exit_status distributed_draw(const struct options *options, char *title, int processes,
                                  const struct tcplan_communication *communication,
                                  ranks_point_fn *rank, void *context);

#endif
