/**
 * A deadline, passed to every function that may run long. It is a time of the monotonic clock, or
 * of the thread's CPU time, which does not advance while other programs have the core.
 *
 * Functions that work in steps check the deadline before each step and complete a step that has
 * begun. A search that runs out of time returns the best result so far.
 */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/** Returns the seconds of the monotonic clock. */
double monotonic_seconds(void);

/** Returns whether the work has been cancelled. It is called at every check of the deadline, on
 * the working thread. */
typedef bool deadline_cancelled_fn(const void *context);

/** A deadline of zeros never ends. */
struct deadline {
    uint64_t ns;     /**< end, in ns of the monotonic clock; 0: none */
    uint64_t cpu_ns; /**< end, in ns of the calling thread's CPU time; 0: none */
    deadline_cancelled_fn *is_cancelled; /**< returns true to end the work early; may be NULL */
    const void *context;
};

/** Returns the deadline `seconds` from now. It never ends if `seconds` is 0 or less, 1e9 or more,
 * or NAN. */
struct deadline deadline_in(double seconds);

/** Returns the deadline after `seconds` of the calling thread's CPU time. It never ends for the
 * same values as in deadline_in(). */
struct deadline deadline_in_cpu(double seconds);

/**
 * Returns deadline_in(seconds) that also ends as soon as `is_cancelled` (may be NULL) returns true
 * for `context`.
 */
struct deadline deadline_or_cancelled(double seconds, deadline_cancelled_fn *is_cancelled,
                                      const void *context);

/** Returns the earlier of two deadlines. If both can be cancelled, the first one's callback is
 * used. */
struct deadline deadline_first(struct deadline a, struct deadline b);

/** Returns a deadline after a share of the time left until `whole`; `whole` itself if it is over or
 * never ends. A cancellation of `whole` also ends the share. */
struct deadline deadline_share(struct deadline whole, double share);

/** Returns whether the work was cancelled. */
bool deadline_is_cancelled(struct deadline deadline);

/** Returns whether the time is over or the work was cancelled. */
bool deadline_is_over(struct deadline deadline);

/** Returns the seconds left: 0 if the deadline is over, INFINITY if it never ends. */
double deadline_left_seconds(struct deadline deadline);

#endif
