/**
 * Completion of commands, options and their values for shells.
 */
#ifndef CLI_OPTIONS_COMPLETION_H
#define CLI_OPTIONS_COMPLETION_H

#include "cli/options/options.h"

/** The command `completion`: prints a script for the shell that is named. */
enum exit_status cmd_completion(const struct options *options);

#endif
