/**
 * The processor's constant-rate counter: the clock with the finest resolution and the least
 * overhead. On x86-64 it is the time-stamp counter, whose rate is constant whatever the cores'
 * clock does; on 64-bit ARM the virtual counter; elsewhere the monotonic clock in nanoseconds.
 * ticks_begin() and ticks_end() serialise: earlier instructions complete before the counter is
 * read, and instructions after ticks_begin() have not begun.
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

/** Returns whether ticks come from a counter of the processor, not from the monotonic clock. */
bool ticks_are_counted(void);

/**
 * Returns the ticks per second, calibrated by the monotonic clock since the first call of this
 * function or of ticks_watch(). Waits until that call was 5 ms ago. Accuracy grows with the elapsed
 * time, because both clocks are read within some tens of nanoseconds.
 */
double ticks_hz(void);

/** Starts the calibration, so that a later ticks_hz() need not wait. */
void ticks_watch(void);

#endif
