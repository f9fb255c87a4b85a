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

#endif
