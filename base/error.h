/** Fills a caller's struct tcplan_error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "tcplan/status.h"

/** Stores a status and a message without a position; returns `status`. `error` may be NULL. */
enum tcplan_status error_set(struct tcplan_error *error, enum tcplan_status status,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));

/** Stores an error like error_set() and marks `length` bytes at 0-based `offset` of the parsed
 * text. */
enum tcplan_status error_at(struct tcplan_error *error, enum tcplan_status status, size_t offset,
                            size_t length, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** Stores and returns TCPLAN_NO_MEMORY. */
enum tcplan_status error_no_memory(struct tcplan_error *error);

#endif
