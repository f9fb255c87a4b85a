/**
 * Files that are named by users to be read, perhaps more than once.
 */
#ifndef BASE_INPUT_FILE_H
#define BASE_INPUT_FILE_H

#include <stdbool.h>

#include "tcplan/status.h"

/**
 * Looks whether a file can be read.
 *
 * @param kind  in front of its name in messages, as `machine file `
 * @return TCPLAN_OK; TCPLAN_ENVIRONMENT where it cannot be read; TCPLAN_INVALID where it is a pipe
 *         or a device, which may have no end and cannot be read twice
 */
enum tcplan_status input_file_check(const char *kind, const char *path, struct tcplan_error *error);

/**
 * Reads a whole file.
 *
 * @param out     receives its bytes, with a 0 behind them, to be freed with base_free()
 * @param length  receives how many they are
 * @param most    a longer file is refused
 * @return as input_file_check(), TCPLAN_INVALID also where it is longer; TCPLAN_NO_MEMORY
 */
enum tcplan_status input_file_read(char **out, size_t *length, const char *kind, const char *path,
                                   size_t most, struct tcplan_error *error);

/** Whether a text that may be something else names a file: there is one of this name, or it ends in
 * `ending`. */
bool input_file_is_named(const char *text, const char *ending);

#endif
