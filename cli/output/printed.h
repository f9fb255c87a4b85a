/**
 * Outputs of a command: stdout, or a file that is replaced as a whole when it is complete.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/view.h"

/** As output_file_open(); signals that end the command remove the file while it is temporary.
 * @return EXIT_DONE, or another status after a message */
enum exit_status output_begin(struct output_file *out, const char *path);

/** Completes an output if `status` is EXIT_DONE, and discards it otherwise; returns the status. */
enum exit_status output_end(struct output_file *out, enum exit_status status);

/** Completes a file with other contents. Status as output_begin(). */
enum exit_status printed_complete(struct output_file *out);

/** Writes and frees a text as a whole output. @param text  NULL: out of memory */
enum exit_status printed_text(const char *path, char *text);

/** Opens the output of the options, prints a result in their format, and completes the file. */
enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record);

/** Prints a result to an open output, which stays the caller's. Status as printed_view(). */
enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record);

/** Checks that a picture's file ends in `.svg` and can be written. @param option  such as `--plot`
 */
enum exit_status picture_file_check(const char *option, const char *path);

/** Completes a picture unless memory ran out while it was `printed`. */
enum exit_status picture_file_end(struct output_file *out, bool printed);

#endif
