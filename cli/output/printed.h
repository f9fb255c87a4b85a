/**
 * What a command prints in one of the formats: begun, written by the format's own function, ended,
 * and kept.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/view.h"

struct printed {
    struct output_file *out;
    const struct format *format;
    struct writer writer;
};

/** `output_format` is one of options; the output is open and stays the caller's. A format may point
 * to the writer, which stays where it is until the end. */
void printed_begin(struct printed *printed, struct output_file *out, int output_format);

/** Ends the format and completes the file. @return EXIT_DONE, or what the message said that it
 * printed */
enum exit_status printed_end(struct printed *printed);

/** What writes the content: `writer->document` is there where the format is JSON or XML; otherwise
 * it is text, or CSV where options say so. */
typedef void printed_fn(struct writer *writer, const struct options *options, const void *content);

/** Opens the output that options name, writes and completes it. */
enum exit_status printed_whole(const struct options *options, printed_fn *print,
                               const void *content);

/** The same of a result, in the format that options name. */
enum exit_status printed_view(const struct options *options, const struct view *view,
                              const void *record);

/** Prints a result into an output that is open. */
enum exit_status printed_into(struct output_file *out, int output_format, const struct view *view,
                              const void *record);

/** Completes a file that is written by other means, likewise. */
enum exit_status printed_complete(struct output_file *out);

#endif
