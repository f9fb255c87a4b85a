/**
 * A number for a text, to find it by.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdint.h>

/** FNV-1a, its bits spread by the finisher of SplitMix64: every bit depends on every character. */
uint64_t hash_text(const char *text);

#endif
