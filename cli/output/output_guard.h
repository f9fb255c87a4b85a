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

/* The target of a batch's results: stdout or a pipe, or a file that the same command resumes. */

/** Whether results are recorded in a file, which a pipe or device cannot do. */
bool results_are_kept(const struct options *options);

/** Returns the enum output_format of --output and --format. */
int results_format(const struct options *options);

/** Returns the file that records the results: --output or, if that is not XML, a file next to it.
 * Free it; NULL: out of memory. */
char *results_kept_path(const struct options *options);

/** Writes a file of results in another format, completely or not at all. */
enum exit_status results_convert(const char *from, const char *to, int format);

#endif
