/** Commands on block-sparse tensors, given by --sections. */
#ifndef CLI_COMMANDS_BLOCKS_H
#define CLI_COMMANDS_BLOCKS_H

#include "cli/options/options.h"
#include "tcplan/blocksparse.h"

/** Returns whether --sections is given, so that the tensors are block-sparse. */
bool blocks_are_asked(const struct options *options);

/** Executes the command for a product of two tensors. */
enum exit_status blocks_run(const struct options *options);

/** Executes the command for an expression of several tensors. */
enum exit_status block_order_run(const struct options *options);

/** Reads the lists of --blocks. `name` has the names of `count` tensors; a list that --blocks does
 * not give stays NULL. The caller frees the lists with base_free(). */
enum exit_status blocks_read_lists(char *list[], const char *const name[], int count,
                                   const struct options *options);

/** Makes a planner with the options' effort, threads, workspace and store. */
enum exit_status blocks_make_planner(struct tcplan_planner **out, const struct options *options);

#endif
