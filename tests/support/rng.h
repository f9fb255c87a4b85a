/** Random numbers that are the same on every machine: splitmix64. */
#ifndef SUPPORT_RNG_H
#define SUPPORT_RNG_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t rng_next(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

/** Returns a number from 0 to count - 1. */
static inline int rng_below(uint64_t *state, int count) {
    return (int)(rng_next(state) % (uint64_t)count);
}

/** Returns true once in `times` calls on average. */
static inline bool rng_once_in(uint64_t *state, int times) {
    return rng_below(state, times) == 0;
}

/** Returns a number uniform in [-1, 1). */
static inline double rng_real(uint64_t *state) {
    return (double)(rng_next(state) >> 11) * 0x1p-52 - 1.0;
}

#endif
