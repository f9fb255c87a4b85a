/**
 * Commands on expressions of several tensors.
 */
#ifndef CLI_COMMANDS_TENSORS_NETWORK_H
#define CLI_COMMANDS_TENSORS_NETWORK_H

#include "cli/options/options.h"
#include "cli/request.h"
#include "tcplan/advise.h"

/** Returns whether the argument is an expression of several tensors, not one product. */
bool network_is_asked(const struct options *options);

/** Searches the best order and prints it. Compares it with the order of --path, emits it with
 * --emit, and draws it with --plot. */
enum exit_status network_run(const struct options *options);

/** Explains the best order by its steps, and compares them with those of the order of --path or of
 * the order with the fewest operations. */
enum exit_status network_explain(const struct options *options);

/** Writes C for the best order, or for the order of --path. */
enum exit_status network_emit(const struct options *options);

/**
 * Adds the steps of the order with the lowest estimated time to a program of the layout adviser.
 * @param request has the machine
 */
enum exit_status network_add_layouts(struct tcplan_layout_program *program,
                                     const struct request *request);

/** Measures the best order, or the order of --path, and prints measured and predicted times. */
enum exit_status network_measure(const struct options *options);

/** Returns whether --processes is given, so that the contraction is distributed. */
bool distributed_is_asked(const struct options *options);

/** Executes `rank`, `list`, `explain`, `emit` or `measure` for a distributed contraction. */
enum exit_status distributed_run(const struct options *options);

/** Executes these commands for a distributed expression of several tensors. */
enum exit_status distributed_order_run(const struct options *options);

#endif
