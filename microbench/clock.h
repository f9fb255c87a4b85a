/**
 * Time.
 */
#ifndef MICROBENCH_CLOCK_H
#define MICROBENCH_CLOCK_H

#include <stdint.h>

/** Nanoseconds of the monotonic clock. */
uint64_t clock_now_ns(void);

/** Nanoseconds of CPU time of the calling thread: stands still while other processes have the core. */
uint64_t clock_thread_cpu_ns(void);

#endif
