/** `rank`, `list`, `explain` and `emit` with --processes. */
#ifndef CLI_COMMANDS_DISTRIBUTED_H
#define CLI_COMMANDS_DISTRIBUTED_H

#include "cli/options/options.h"

/** Whether a contraction is to be distributed. */
bool distributed_is_asked(const struct options *options);

/** Runs the command of the options. */
enum exit_status distributed_run(const struct options *options);

#endif
