/**
 * Reproducible pseudo-random numbers (SplitMix64: Steele, Lea, Flood 2014).
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <assert.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/** Returns the next 64 random bits. */
static inline uint64_t random_next(struct random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

/** Returns a number uniform in [0, 1). */
static inline double random_unit(struct random *random) {
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/** Returns a number uniform in [0, count), count > 0; the bias is below count / 2^64. */
static inline int64_t random_below(struct random *random, int64_t count) {
    assert(count > 0);
    return (int64_t)(random_next(random) % (uint64_t)count);
}

#endif
