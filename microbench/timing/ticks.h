/**
 * The processor's constant counter: the finest clock there is, and the cheapest to read.
 *
 * On x86-64 the time-stamp counter, which runs at a constant rate whatever the cores' clock does;
 * on 64-bit ARM the virtual counter; elsewhere nanoseconds of the monotonic clock. ticks_begin()
 * and ticks_end() are serialised: what stands before is done before the counter is read, and what
 * stands behind ticks_begin() has not begun.
 */
#ifndef MICROBENCH_TICKS_H
#define MICROBENCH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "microbench/timing/clock.h"

#if defined(__x86_64__)

static inline uint64_t ticks_read(void) {
    return __builtin_ia32_rdtsc();
}

static inline uint64_t ticks_begin(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static inline uint64_t ticks_end(void) {
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

static inline uint64_t ticks_read(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

static inline uint64_t ticks_begin(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
}

static inline uint64_t ticks_end(void) {
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}

#else

static inline uint64_t ticks_read(void) {
    return clock_now_ns();
}

static inline uint64_t ticks_begin(void) {
    return ticks_read();
}

static inline uint64_t ticks_end(void) {
    return ticks_read();
}

#endif

/** Whether the counter is one of the processor's. */
bool ticks_are_counted(void);

/**
 * Ticks in a second, against the monotonic clock since the first call of this or of ticks_watch();
 * where that is less than 5 ms ago it waits until it is. The longer ago the more exact: the clocks
 * are read within some tens of nanoseconds of each other.
 */
double ticks_hz(void);

/** Begins to watch, so that a later ticks_hz() need not wait. */
void ticks_watch(void);

#endif
