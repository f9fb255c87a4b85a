/**
 * Rejects outputs of a command that would replace one of its inputs.
 */
#ifndef CLI_OUTPUT_OUTPUT_GUARD_H
#define CLI_OUTPUT_OUTPUT_GUARD_H

#include "cli/options/options.h"

/**
 * Compares the output files of the options and arguments with the inputs and with each other, by
 * device and inode, whatever their names and links. Missing files are compared by folder and name.
 * Standard input and output are included if they are files.
 *
 * @return EXIT_DONE, or EXIT_USAGE after a message
 */
enum exit_status output_guard(const struct options *options, const struct command *command);

#endif
