/**
 * Arithmetic that says when a result does not fit.
 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** *out = a * b; false (and *out undefined) on overflow. */
static inline bool checked_mul_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** *out = a + b; false on overflow. */
static inline bool checked_add_i64(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/** a * b, neither negative; INT64_MAX where that is larger. */
static inline int64_t saturated_mul_i64(int64_t a, int64_t b) {
    int64_t product;
    return checked_mul_i64(a, b, &product) ? product : INT64_MAX;
}

/** A value that is not negative as an integer; INT64_MAX where it is larger. */
static inline int64_t saturated_i64(double value) {
    return value < 9223372036854775808.0 ? (int64_t)value : INT64_MAX;
}

/** *out = a * b; false on overflow. */
static inline bool checked_mul_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** *out = a + b; false on overflow. */
static inline bool checked_add_u64(uint64_t a, uint64_t b, uint64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/** *out = a * b; false on overflow. */
static inline bool checked_mul_size(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

/** The greatest common divisor of two numbers that are not negative; of a and 0 it is a. */
static inline int64_t checked_common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

#endif
