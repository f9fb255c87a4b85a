/**
 * The target of a batch's results: stdout or a pipe, or a file that the same command resumes.
 */
#ifndef CLI_OUTPUT_RESULTS_TARGET_H
#define CLI_OUTPUT_RESULTS_TARGET_H

#include "cli/options/options.h"

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
