#include "base/hash.h"

#include <string.h>

uint64_t hash_add(uint64_t hash, const void *bytes, size_t length) {
    const unsigned char *byte = bytes;
    for (; length > 0; length--) hash = hash_add_number(hash, *byte++);
    return hash;
}

uint64_t hash_spread(uint64_t hash) {
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
    return hash ^ hash >> 31;
}

uint64_t hash_text(const char *text) {
    return hash_spread(hash_add(HASH_OF_NOTHING, text, strlen(text)));
}
