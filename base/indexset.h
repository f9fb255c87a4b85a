/** Sets of indices: bit i of a uint64_t represents index i, from 0 to INDEXSET_MOST - 1. */
#ifndef BASE_INDEXSET_H
#define BASE_INDEXSET_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { INDEXSET_MOST = 64 };

/** Returns the set of the indices below `count` (at most INDEXSET_MOST). */
static inline uint64_t indexset_below(int count) {
    return count >= INDEXSET_MOST ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static inline uint64_t indexset_of(int index) {
    return (uint64_t)1 << index;
}

static inline bool indexset_has(uint64_t set, int index) {
    return index >= 0 && index < INDEXSET_MOST && (set >> index & 1) != 0;
}

static inline int indexset_size(uint64_t set) {
    return __builtin_popcountll(set);
}

/** Returns the smallest member of a non-empty set. */
static inline int indexset_first(uint64_t set) {
    assert(set != 0);
    return __builtin_ctzll(set);
}

#endif
