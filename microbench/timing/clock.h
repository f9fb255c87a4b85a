/**
 * Time.
 */
#ifndef MICROBENCH_CLOCK_H
#define MICROBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Nanoseconds of the monotonic clock; in a thread it does not go back. */
uint64_t clock_now_ns(void);

/** Nanoseconds since then, one at least: what was done took time, also where the clock stood, and
 * rates and logarithms are made of it. */
double clock_since_ns(uint64_t start_ns);

/** Nanoseconds of CPU time of the calling thread: stands still while other processes have the core.
 */
uint64_t clock_thread_cpu_ns(void);

/** A beginning. */
struct clock_start {
    uint64_t cpu_ns;
    uint64_t wall_ns;
};

/** What passed since. */
struct timing {
    double ns;      /**< one at least, see clock_since_ns() */
    bool disturbed; /**< the thread did not have its core all the time */
};

struct clock_start clock_start(void);

/**
 * The time since `start`: the one clock of predictions, comparisons and measured references. Of a
 * thread that works `alone` it is that in which it had its core: the wall clock's, or its CPU time
 * where it lost the core. Of several threads it is the wall clock's.
 */
struct timing clock_stop(const struct clock_start *start, bool alone);

/** The same of given times. */
struct timing clock_timing(double wall_ns, double cpu_ns, bool alone);

/** Whether a thread that took `cpu_ns` of CPU time in `wall_ns` did not have its core all the time,
 * beyond what the clocks' own time explains. */
bool clock_disturbed(double wall_ns, double cpu_ns);

#endif
