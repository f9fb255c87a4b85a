/** Rejects output files that are also input files of the command. */
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

/* Where a batch writes its results: to stdout or a pipe, or to a file that the same command
 * resumes. */

/** Returns whether results are recorded in a file, from which a batch can resume; a pipe or device
 * cannot record them. */
bool results_go_to_file(const struct options *options);

/** Returns the enum output_format that --output and --format select. */
int results_format(const struct options *options);

/** Returns the path of the file that records the results: --output or, if that is not XML, a file
 * next to it; to be freed. NULL: out of memory. */
char *results_path(const struct options *options);

/** Converts a file of results to another format, completely or not at all. */
enum exit_status results_convert(const char *from, const char *to, int format);

#endif
