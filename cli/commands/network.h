/**
 * Commands on expressions of several tensors.
 */
#ifndef CLI_COMMANDS_NETWORK_H
#define CLI_COMMANDS_NETWORK_H

#include "cli/options/options.h"
#include "cli/request.h"
#include "tcplan/advise.h"

/** Whether the argument is an expression of several tensors rather than one product of two. */
bool network_is_asked(const struct options *options);

/** Searches the best order and prints it, with that of --path if given. Emits it with --emit and
 * draws it with --plot. */
enum exit_status network_run(const struct options *options);

/** As network_run(), with the steps of the order of the fewest operations, or with --path of the
 * best. */
enum exit_status network_explain(const struct options *options);

/** Writes C for the best order, or that of --path. */
enum exit_status network_emit(const struct options *options);

/**
 * Adds the steps of the best order, by estimates, to a program of the layout adviser.
 *
 * @param request  with the machine
 */
enum exit_status network_add_layouts(struct tcplan_layout_program *program,
                                     const struct request *request);

/** Runs the best order, or that of --path, and prints measured and predicted times.
 */
enum exit_status network_measure(const struct options *options);

/* `rank`, `list`, `explain` and `emit` with --processes. */

/** Whether a contraction is to be distributed. */
bool distributed_is_asked(const struct options *options);

/** Runs the command of the options. */
enum exit_status distributed_run(const struct options *options);

#endif
