/**
 * Checks whether code left the upper halves of vector registers nonzero. SSE code is then several
 * times slower, because each instruction waits for the old value of its register.
 */
#ifndef SUPPORT_UPPER_REGISTERS_H
#define SUPPORT_UPPER_REGISTERS_H

#include <stdbool.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/** Returns whether the upper halves are in use, by XGETBV; false on processors that do not report
 * it. */
static inline bool upper_registers_are_used(void) {
#if defined(__x86_64__)
    const unsigned upper =
        1U << 2 | 1U << 6; /* bits of XGETBV for the upper halves of ymm and zmm registers */
    unsigned a, b, c, d;
    if (!__get_cpuid_count(0xD, 1, &a, &b, &c, &d) || !(a & 4)) return false;
    __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return (a & upper) != 0;
#else
    return false;
#endif
}

#endif
