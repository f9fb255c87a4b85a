/** Clocks. */
#ifndef MICROBENCH_CLOCK_H
#define MICROBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Returns nanoseconds of the monotonic clock; within a thread it never decreases. */
uint64_t clock_now_ns(void);

/** Returns the nanoseconds since `start_ns`, at least one: a measured time must be positive even
 * if the clock did not advance, since rates and logarithms are computed from it. */
double clock_since_ns(uint64_t start_ns);

/** Returns the CPU time of the calling thread in nanoseconds, which stops while other processes
 * have the core. */
uint64_t clock_thread_cpu_ns(void);

/** A starting point. */
struct clock_start {
    uint64_t cpu_ns;
    uint64_t wall_ns;
};

/** The time since a starting point. */
struct timing {
    double ns;      /**< elapsed nanoseconds, at least one: see clock_since_ns() */
    bool disturbed; /**< whether the thread lost its core at some time */
};

struct clock_start clock_start(void);

/**
 * Returns the time since `start`, as predictions, comparisons and references measure it. For a
 * thread that works `alone`, it is the wall time, or the CPU time if the thread lost its core. For
 * several threads, it is the wall time.
 */
struct timing clock_stop(const struct clock_start *start, bool alone);

/** Returns what clock_stop() returns for these wall and CPU times. */
struct timing clock_timing(double wall_ns, double cpu_ns, bool alone);

/** Returns whether a thread with `cpu_ns` of CPU time in `wall_ns` of wall time lost its core:
 * the difference exceeds the clocks' own overhead. */
bool clock_disturbed(double wall_ns, double cpu_ns);

#endif
