/** Arithmetic that detects overflow. */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Computes a * b; returns false, with *out undefined, on overflow. */
static inline bool checked_mul_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** Computes a + b; returns false on overflow. */
static inline bool checked_add_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/** Returns a * b for factors >= 0; INT64_MAX on overflow. */
static inline int64_t saturated_mul_i64(int64_t a, int64_t b) {
    int64_t product;
    return checked_mul_i64(a, b, &product) ? product : INT64_MAX;
}

/** Converts a value >= 0 to an integer; INT64_MAX if it is larger. */
static inline int64_t saturated_i64(double value) {
    return value < 9223372036854775808.0 ? (int64_t)value : INT64_MAX;
}

/** Computes a * b; returns false on overflow. */
static inline bool checked_mul_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** Computes a + b; returns false on overflow. */
static inline bool checked_add_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/** Computes a * b; returns false on overflow. */
static inline bool checked_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** Returns the greatest common divisor of two numbers >= 0; gcd(a, 0) = a. */
static inline int64_t checked_common_divisor(int64_t a, int64_t b) {
    assert(a >= 0 && b >= 0);
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
