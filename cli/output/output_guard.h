/** Rejects output files that are also input files of the command. */
#ifndef CLI_OUTPUT_OUTPUT_GUARD_H
#define CLI_OUTPUT_OUTPUT_GUARD_H

#include "cli/options/options.h"

/**
 * Compares the output files of the options and arguments with the inputs and with each other, by
 * device and inode, so that names and links do not matter. Files that do not exist are compared by
 * folder and name. Standard input and output are included if they are regular files.
 *
 * @return EXIT_DONE, or EXIT_USAGE after a message
 */
enum exit_status output_guard(const struct options *options, const struct command *command);

/* Where a batch writes its results: to stdout or a pipe, or to a file from which the same command
 * can resume. */

/** Returns whether results are recorded in a file, from which a batch can resume; a pipe or device
 * cannot record them. */
bool results_go_to_file(const struct options *options);

/** Returns the enum output_format that --output and --format select. */
int results_format(const struct options *options);

/** Returns the path of the file that records the results: the file of --output or, if that is not
 * XML, a file next to it. The caller frees the path; NULL if memory runs out. */
char *results_path(const struct options *options);

/** Converts a file of results to another format. On failure, writes nothing. */
enum exit_status results_convert(const char *from, const char *to, int format);

#endif
