#include "base/hash.h"

uint64_t hash_text(const char *text) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3U;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9U;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebU;
    return hash ^ hash >> 31;
}
