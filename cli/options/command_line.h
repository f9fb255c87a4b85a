/**
 * Finds and runs the command of a command line.
 */
#ifndef CLI_OPTIONS_COMMAND_LINE_H
#define CLI_OPTIONS_COMMAND_LINE_H

#include "cli/diagnostics.h"

/** Runs the command line; `count` and `arguments` are main's. */
enum exit_status command_line_run(int count, char *const arguments[]);

#endif
