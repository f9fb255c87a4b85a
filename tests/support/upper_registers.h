/**
 * Checks whether code left the upper halves of vector registers nonzero. SSE code is then several
 * times slower, because each instruction waits for the old value of its register.
 */
#ifndef SUPPORT_UPPER_REGISTERS_H
#define SUPPORT_UPPER_REGISTERS_H

#include <stdbool.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
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

#if defined(__x86_64__)
/** Reverses eight numbers, with all halves of vector registers. */
__attribute__((target("avx2"), noinline, unused)) static void upper_reverse(double numbers[8]) {
    const __m256d low = _mm256_loadu_pd(numbers), high = _mm256_loadu_pd(numbers + 4);
    _mm256_storeu_pd(numbers + 4, _mm256_permute4x64_pd(low, 0x1B));
    _mm256_storeu_pd(numbers, _mm256_permute4x64_pd(high, 0x1B));
}
#endif

/** Returns whether the compiler clears the upper halves at the end of functions that use them. gcc
 * does from -O2 on. */
static inline bool upper_registers_are_cleared(void) {
#if defined(__x86_64__)
    double numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (!__builtin_cpu_supports("avx2")) return true;
    upper_reverse(numbers);
    return !upper_registers_are_used() && numbers[0] == 8;
#else
    return true;
#endif
}

#endif
