/** Commands on block-sparse tensors, given by --sections. */
#ifndef CLI_COMMANDS_TENSORS_BLOCKS_H
#define CLI_COMMANDS_TENSORS_BLOCKS_H

#include "cli/emission.h"
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

/** Returns whether the command is `emit`, which prints code instead of a report. */
bool blocks_emit(const struct options *options);

/** Opens the files of emitted code, if any is requested. */
enum exit_status blocks_open_emitted(struct emission *out, const struct options *options);

/** Writes the code and header of a plan, or of an expression if `plan` is NULL, to the open files.
 */
enum exit_status blocks_write_emitted(struct emission *out, const struct options *options,
                                      const struct tcplan_block_plan *plan,
                                      const struct tcplan_block_expression *expression);

/** Makes a planner with the options' effort, threads, workspace and store. */
enum exit_status blocks_make_planner(struct tcplan_planner **out, const struct options *options);

#endif
