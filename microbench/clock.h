/**
 * Time.
 */
#ifndef MICROBENCH_CLOCK_H
#define MICROBENCH_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/** Nanoseconds of the monotonic clock. */
uint64_t clock_now_ns(void);

/** Nanoseconds of CPU time of the calling thread: stands still while other processes have the core. */
uint64_t clock_thread_cpu_ns(void);

/** Whether a thread that took `cpu_ns` of CPU time in `wall_ns` did not have its core all the time, beyond what the clocks' own time explains. */
bool clock_disturbed(double wall_ns, double cpu_ns);

#endif
