/**
 * No output of a command replaces one of its inputs.
 */
#ifndef CLI_OUTPUT_OUTPUT_GUARD_H
#define CLI_OUTPUT_OUTPUT_GUARD_H

#include "cli/options/options.h"

/**
 * Compares every file that the options and arguments name to be written with every one they name to
 * be read, by their roles: as files (device and inode), whatever their names and links. Files that
 * are not there yet are compared by folder and name. Standard input and output count where they are
 * files.
 *
 * @return EXIT_DONE, or EXIT_USAGE after a message
 */
enum exit_status output_guard(const struct options *options, const struct command *command);

#endif
