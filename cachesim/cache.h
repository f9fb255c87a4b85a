/** One cache: lines in sets, with replacement of the least recently used line of a set. */
#ifndef CACHESIM_CACHE_H
#define CACHESIM_CACHE_H

#include "cachesim/line_table.h"

/** An evicted line. */
struct cache_victim {
    uint64_t line; /**< number of the line; LINE_NONE: no line was evicted */
    bool dirty;
};

struct cache_slot;

/** A cache. Its members are private: use the functions below. */
struct cache {
    int64_t sets;
    int ways; /**< number of lines per set; 0: fully associative */
    /* Caches with sets: each set's entries by recency, newest first; an entry is twice the line
     * number, plus one if the line is dirty. */
    uint64_t *entry;
    /* Fully associative caches: a ring of slots by recency through slot 0, and the slot of each
     * line. */
    struct line_table slot_of;
    struct cache_slot *slot;
    int64_t used;
    int64_t lines;
};

/**
 * Makes an empty cache of `lines` lines; returns false if memory runs out.
 *
 * @param ways  lines per set; 0, or as many as there are lines: fully associative. Lines that do
 *     not fill a whole set are omitted.
 */
bool cache_init(struct cache *out, int64_t lines, int ways);

void cache_free(struct cache *cache);

/**
 * Touches a line, which becomes the most recently used, and dirty if it is written. A missing line
 * is inserted.
 * @param victim  set on a miss: the evicted line
 * @return whether the line was present
 */
bool cache_access(struct cache *cache, uint64_t line, bool write, struct cache_victim *victim);

/** Removes a line. Returns whether it was present; `dirty` receives whether it was dirty. */
bool cache_remove(struct cache *cache, uint64_t line, bool *dirty);

/** Removes any line. Returns false if the cache is empty. */
bool cache_take(struct cache *cache, struct cache_victim *out);

#endif
