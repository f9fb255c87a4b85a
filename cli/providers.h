/**
 * The providers of kernels as commands see them: those opened by --blas, and what each of them is.
 */
#ifndef CLI_PROVIDERS_H
#define CLI_PROVIDERS_H

#include "cli/options/options.h"
#include "tcplan/unstable.h"

/** Opens what --blas names; EXIT_DONE, or EXIT_REFUSED after a message. */
enum exit_status providers_open(const struct options *options);

/** Notes what opened libraries compute wrongly, unless nothing is to be told. */
void providers_tell_wrong(const struct options *options);

/** The same of one of them, as tcplan_provider_wrong() says it. */
void providers_tell_wrong_one(const char *text);

/** Prints a line for each provider there is: `OpenBLAS 0.3.21 (SkylakeX)`. */
void providers_print(FILE *file);

#endif
