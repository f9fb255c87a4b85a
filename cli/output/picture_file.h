/**
 * Files of pictures that options name.
 */
#ifndef CLI_OUTPUT_PICTURE_FILE_H
#define CLI_OUTPUT_PICTURE_FILE_H

#include <stdbool.h>

#include "base/output_file.h"
#include "cli/diagnostics.h"

/** Says where a file, as an option names it, is not called FILE.svg or cannot be written; it is
 * opened for good when there is something to write. */
enum exit_status picture_file_check(const char *option, const char *path);

/** Ends a picture that was opened: kept where it was `printed`, thrown away and said where memory
 * was out or it cannot be written. */
enum exit_status picture_file_end(struct output_file *out, bool printed);

#endif
