/** Hashes of text, for lookup. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING 0xcbf29ce484222325U
#define HASH_PRIME 0x100000001b3U

/** Extends an FNV-1a hash by bytes. */
uint64_t hash_add(uint64_t hash, const void *bytes, size_t length);

/** Extends a hash by a number, in a single step as for one byte. */
static inline uint64_t hash_add_number(uint64_t hash, uint64_t number) {
    return (hash ^ number) * HASH_PRIME;
}

/** Applies the finisher of SplitMix64: every bit of the result depends on every bit of the hash. */
uint64_t hash_spread(uint64_t hash);

/** Hashes a text and spreads the bits. */
uint64_t hash_text(const char *text);

#endif
