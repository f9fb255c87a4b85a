/**
 * The providers of kernels as commands see them: those opened by --blas, and what each of them is.
 */
#ifndef CLI_PROVIDERS_H
#define CLI_PROVIDERS_H

#include "cli/options/options.h"
#include "cli/render/document.h"
#include "tcplan/unstable.h"

/** Opens what --blas names; EXIT_DONE, or EXIT_REFUSED after a message. */
enum exit_status providers_open(const struct options *options);

/** Prints a line for each provider there is: `OpenBLAS 0.3.21 (SkylakeX)`. */
void providers_print(FILE *file);

/** The list `providers` of a document. */
void document_providers(struct document *document);

#endif
