/**
 * What a command prints in one of the formats: begun, written by the format's own function, ended,
 * and kept.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/view.h"

/** Opens an output, as output_open(). */
enum exit_status output_begin(struct output_file *out, const char *path);

/** Opens an output, writes a text, which is freed, and completes it. @param text  NULL: memory is
 * out */
enum exit_status printed_text(const char *path, char *text);

/** Opens the output that options name, prints a result in the format that they name, and completes
 * the file. @return EXIT_DONE, or what the message said that it printed */
enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record);

/** Prints a result into an output that is open, likewise; it stays the caller's. */
enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record);

/** Completes a file that is written by other means, likewise. */
enum exit_status printed_complete(struct output_file *out);

#endif
