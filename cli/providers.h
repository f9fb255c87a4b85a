/**
 * The providers of kernels in commands: files of --blas, versions, wrong results.
 */
#ifndef CLI_PROVIDERS_H
#define CLI_PROVIDERS_H

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Sets the variables by which libraries choose their threads. They are read when a library is
 * loaded. */
void providers_set_environment(int threads);

/** Opens the files of --blas and --tapp; EXIT_DONE, or EXIT_REFUSED after a message. */
enum exit_status providers_open(const struct options *options);

/** Notes wrong results of opened libraries, unless --quiet. */
void providers_report_wrong(const struct options *options);

/** Notes one of them, with the text of tcplan_provider_wrong(). */
void providers_report_wrong_one(const char *text);

/** Prints a line for each available provider: `OpenBLAS 0.3.21 (SkylakeX)`. */
void providers_print(FILE *file);

#endif
