/** `rank` and `explain` for block-sparse tensors, given by --sections. */
#ifndef CLI_COMMANDS_BLOCKS_H
#define CLI_COMMANDS_BLOCKS_H

#include "cli/options/options.h"

/** Returns whether --sections is given, so that the tensors are block-sparse. */
bool blocks_are_asked(const struct options *options);

/** Executes `rank` or `explain`. */
enum exit_status blocks_run(const struct options *options);

#endif
