/**
 * What a command prints in one of the formats: begun, written by the format's own function, ended, and kept.
 */
#ifndef CLI_OUTPUT_PRINTED_H
#define CLI_OUTPUT_PRINTED_H

#include "base/output_file.h"
#include "cli/diagnostics.h"
#include "cli/render/format.h"

struct printed {
    struct output_file *out;
    const struct format *format;
    struct writer writer;
};

/** `output_format` is one of options; the output is open and stays the caller's. A format may point to the writer, which stays where it is until the end. */
void printed_begin(struct printed *printed, struct output_file *out, int output_format);

/** Ends the format and completes the file. @return EXIT_DONE, or what the message said that it printed */
enum exit_status printed_end(struct printed *printed);

/** Completes a file that is written by other means, likewise. */
enum exit_status printed_complete(struct output_file *out);

#endif
