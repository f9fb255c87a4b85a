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
    TCPLAN_NOT_APPLICABLE, /**< not an error: this algorithm cannot run at these sizes; for example,
                              a stride exceeds the limit of its kernel */
    TCPLAN_INVALID,        /**< invalid input, such as notation, sizes or a name */
    TCPLAN_OVERFLOW,       /**< a size, count or product does not fit its type */
    TCPLAN_NO_MEMORY,      /**< out of memory */
    TCPLAN_ENVIRONMENT,    /**< failure of the environment: a file, the topology or the compiler */
    TCPLAN_MISMATCH, /**< existing results have another provenance (version, machine, libraries) or
                        shard than those to be added */
    TCPLAN_BUSY,     /**< another process has a resource that only one process can have, such as the
                        lock of this machine */
    TCPLAN_CANCELLED /**< cancelled by tcplan_planner_cancel() */
};

enum { TCPLAN_MESSAGE_SIZE = 320 };

/**
 * Why a call failed. Owned by the caller; every function that takes one accepts NULL.
 *
 * `column` and `length` mark the offending text inside the string that was parsed.
 */
struct tcplan_error {
    enum tcplan_status status; /**< the status that the function returned */
    size_t line;               /**< line of the error, from 1; 0: the input has no lines */
    size_t column; /**< column of the offending text in bytes, from 1; 0: no single place is wrong
                    */
    size_t length; /**< length of the offending text in bytes */
    char message[TCPLAN_MESSAGE_SIZE]; /**< one line without a newline: the value found, its place,
                                          and the expected value */
};

/**
 * Returns a short description of a status, such as `out of memory`, for callers without a struct
 * tcplan_error. A constant string; `unknown status` for an invalid number.
 */
TCPLAN_API const char *tcplan_status_text(enum tcplan_status status);

#ifdef __cplusplus
}
#endif

#endif
