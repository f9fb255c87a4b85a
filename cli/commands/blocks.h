/** Commands with --sections. */
#ifndef CLI_COMMANDS_BLOCKS_H
#define CLI_COMMANDS_BLOCKS_H

#include "cli/options/options.h"

/** Whether the tensors are block-sparse. */
bool blocks_are_asked(const struct options *options);

/** Runs the command of the options. */
enum exit_status blocks_run(const struct options *options);

#endif
