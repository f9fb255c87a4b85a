/**
 * Where the results of a batch go: to stdout or a pipe as they come, or to a file that grows, and
 * that the same command goes on with.
 */
#ifndef CLI_OUTPUT_RESULTS_TARGET_H
#define CLI_OUTPUT_RESULTS_TARGET_H

#include "cli/options/options.h"

/** Whether results are kept in a file: not where there is none, nor in a pipe or device. */
bool results_are_kept(const struct options *options);

/** The format of what --output and --format name, an enum output_format. */
int results_format(const struct options *options);

/** The file that holds the results where --output is one: that itself or, where it is no XML, one
 * beside it. To be freed; NULL when memory is out. */
char *results_kept_path(const struct options *options);

/** Writes a file of results in another format, all or nothing. */
enum tcplan_status results_convert(const char *from, const char *to, int format,
                                   struct tcplan_error *error);

#endif
