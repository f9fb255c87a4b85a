/**
 * Prints the result of a command in one of the formats, to stdout or a file.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/view.h"

/** Opens an output, as output_open(). */
enum exit_status output_begin(struct output_file *out, const char *path);

/** Opens an output, writes and frees a text, and completes the output. @param text  NULL: out of
 * memory */
enum exit_status printed_text(const char *path, char *text);

/** Opens the output of the options, prints a result in their format, and completes the file.
 * @return EXIT_DONE, or another status after a message */
enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record);

/** Prints a result to an open output, which stays the caller's. Status as printed_view(). */
enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record);

/** Completes a file with other contents. Status as printed_view(). */
enum exit_status printed_complete(struct output_file *out);

#endif
