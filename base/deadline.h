/**
 * A time by which work is to end, passed down to whatever may take long: of the monotonic clock,
 * where somebody waits, or of the thread's own CPU time, where it is the work that is not to be
 * more; other load then takes nothing of it away.
 *
 * Work in steps asks before each of them; what is begun is finished. A search that is late keeps
 * the best it has.
 */
#ifndef BASE_DEADLINE_H
#define BASE_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

/** Seconds of the monotonic clock. */
double monotonic_seconds(void);

/** Whether somebody wants the work to end now; asked wherever the time is, from the thread that
 * works. */
typedef bool deadline_cancelled_fn(const void *context);

/** Zeroed: never. */
struct deadline {
    uint64_t ns;                         /**< of the monotonic clock; 0: never */
    uint64_t cpu_ns;                     /**< of the CPU time of the thread that asks; 0: never */
    deadline_cancelled_fn *is_cancelled; /**< it is over, too, where this says so; NULL: nobody says
                                          */
    const void *context;
};

/** So many seconds from now; never where that is not above 0 or beyond what is asked for in earnest
 * (1e9 and more, NAN). */
struct deadline deadline_in(double seconds);

/** The same of CPU time: for the thread that calls this. */
struct deadline deadline_in_cpu(double seconds);

/**
 * As deadline_in(), and over as soon as `is_cancelled`, which may be NULL, returns true for
 * `context`.
 */
struct deadline deadline_or_cancelled(double seconds, deadline_cancelled_fn *is_cancelled,
                                      const void *context);

/** What comes first of both; of those that may be cancelled the first's. */
struct deadline deadline_first(struct deadline a, struct deadline b);

/** A share of what is left until a deadline, from now; that deadline itself where it is over, never
 * where there is none. It is cancelled with it. */
struct deadline deadline_share(struct deadline whole, double share);

/** Whether somebody wanted the work to end. */
bool deadline_is_cancelled(struct deadline deadline);

/** Whether the time is over, or somebody wanted that. */
bool deadline_is_over(struct deadline deadline);

/** Seconds that are left: 0 where it is over, INFINITY where there is none. */
double deadline_left_seconds(struct deadline deadline);

#endif
