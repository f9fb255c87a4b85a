/** Input files named by users, which may be read more than once. */
#ifndef BASE_INPUT_FILE_H
#define BASE_INPUT_FILE_H

#include <stdbool.h>

#include "tcplan/status.h"

/**
 * Checks that a file can be read.
 * @param kind text before the file's name in messages, such as `machine file `
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT if it cannot be read; TCPLAN_INVALID for a pipe or a
 *   device, which may be endless and cannot be read twice
 */
enum tcplan_status input_file_check(const char *kind, const char *path, struct tcplan_error *error);

/**
 * Reads a whole file.
 *
 * @param out     receives the bytes of the file, terminated by a 0; free with base_free()
 * @param length  receives the number of bytes
 * @param most    rejects a longer file
 * @return a status of input_file_check(); TCPLAN_INVALID also if the file is too long;
 *         TCPLAN_NO_MEMORY
 */
enum tcplan_status input_file_read(char **out, size_t *length, const char *kind, const char *path,
                                   size_t most, struct tcplan_error *error);

/** Returns whether an argument that may mean something else names a file: the file exists, or
 * the name ends in `ending`. */
bool input_file_is_named(const char *text, const char *ending);

#endif
