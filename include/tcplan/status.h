/**
 * Status codes and error descriptions shared by every tcplan function that can fail.
 */
#ifndef TCPLAN_STATUS_H
#define TCPLAN_STATUS_H

#include <stddef.h>

#include "tcplan/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The result of a call. Every status but TCPLAN_OK fills the caller's struct tcplan_error. */
enum tcplan_status {
    TCPLAN_OK = 0,
    TCPLAN_NOT_APPLICABLE, /**< an ordinary answer: this algorithm cannot run at these sizes (for
                              example a stride beyond what its kernel takes) */
    TCPLAN_INVALID,        /**< the input was refused: notation, sizes, name */
    TCPLAN_OVERFLOW,       /**< a size, count or product does not fit its type */
    TCPLAN_NO_MEMORY,      /**< memory could not be had */
    TCPLAN_ENVIRONMENT,    /**< the world failed: file, topology, compiler */
    TCPLAN_MISMATCH, /**< results that are there have another provenance or shard than those to be
                        added */
    TCPLAN_BUSY,     /**< another process has what only one can have: the lock of this machine */
    TCPLAN_CANCELLED /**< somebody asked for that: tcplan_planner_cancel() */
};

enum { TCPLAN_MESSAGE_SIZE = 320 };

/**
 * Why a call failed. Owned by the caller; every function that takes one accepts NULL.
 *
 * `column` and `length` mark the offending text inside the string that was parsed: column is
 * 1-based and counts bytes, 0 means that no single place is to blame. `line` is 1-based where the
 * input has lines, else 0.
 */
struct tcplan_error {
    enum tcplan_status status;         /**< what the function returned */
    size_t line;                       /**< from 1; 0: the input has no lines */
    size_t column;                     /**< in bytes, from 1; 0: no single place is to blame */
    size_t length;                     /**< of the offending text, in bytes */
    char message[TCPLAN_MESSAGE_SIZE]; /**< what was found, where, and what was expected: a line
                                          without a newline */
};

/**
 * Returns a few words for a status, for callers without a struct tcplan_error: `out of memory`. A
 * constant string; `unknown status` for a number that is none.
 */
TCPLAN_API const char *tcplan_status_text(enum tcplan_status status);

#ifdef __cplusplus
}
#endif

#endif
