/**
 * Picture files of options.
 */
#ifndef CLI_OUTPUT_PICTURE_FILE_H
#define CLI_OUTPUT_PICTURE_FILE_H

#include <stdbool.h>

#include "base/output_file.h"
#include "cli/diagnostics.h"

/** Checks that the file of an option has a name FILE.svg and can be written. It is opened later. */
enum exit_status picture_file_check(const char *option, const char *path);

/** Completes an open picture if it was `printed`; otherwise, or if it cannot be written, discards
 * it with a message. */
enum exit_status picture_file_end(struct output_file *out, bool printed);

#endif
