/**
 * Numbers for texts, to find them by.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING 0xcbf29ce484222325U
#define HASH_PRIME 0x100000001b3U

/** FNV-1a: goes on with a hash over bytes. */
uint64_t hash_add(uint64_t hash, const void *bytes, size_t length);

/** Goes on with a hash over a whole number, as if it were one byte. */
static inline uint64_t hash_add_number(uint64_t hash, uint64_t number) {
    return (hash ^ number) * HASH_PRIME;
}

/** The finisher of SplitMix64: every bit depends on every bit of the hash. */
uint64_t hash_spread(uint64_t hash);

/** Of a text, spread. */
uint64_t hash_text(const char *text);

#endif
