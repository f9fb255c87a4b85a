/**
 * One cache: lines in sets, the least recently used of a set leaves first.
 */
#ifndef CACHESIM_CACHE_H
#define CACHESIM_CACHE_H

#include "cachesim/line_table.h"

/** An evicted line. */
struct cache_victim {
    uint64_t line; /**< LINE_NONE: none */
    bool dirty;
};

struct cache_slot;

/** Private but for its creation and use by the functions below. */
struct cache {
    int64_t sets;
    int ways; /**< of a set; 0: fully associative */
    /* Sets by recency, newest first; an entry is twice the line number, plus one if it is dirty. */
    uint64_t *entry;
    /* Fully associative: a ring of slots by recency through slot 0, and the slot of each line. */
    struct line_table slot_of;
    struct cache_slot *slot;
    int64_t used;
    int64_t lines;
};

/**
 * An empty cache of `lines` lines; false if out of memory.
 *
 * @param ways  of a set; 0 or as many as there are lines: fully associative. Lines that fill no
 *              whole set are left out.
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

/** Takes a line out. Returns whether it was there; `dirty` receives whether it was dirty. */
bool cache_remove(struct cache *cache, uint64_t line, bool *dirty);

/** Takes some line out, for as long as there is one. */
bool cache_take(struct cache *cache, struct cache_victim *out);

#endif
