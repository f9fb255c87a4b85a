#include "cachesim/cache.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

struct cache_slot {
    uint64_t line;
    uint32_t newer;
    uint32_t older;
    bool dirty;
};

static bool init_sets(struct cache *cache) {
    const size_t entries = (size_t)cache->sets * (size_t)cache->ways;
    cache->entry = base_alloc(entries * sizeof *cache->entry);
    if (!cache->entry) return false;
    for (size_t e = 0; e < entries; e++) cache->entry[e] = LINE_NONE;
    return true;
}

static bool init_ring(struct cache *cache) {
    if (!line_table_init(&cache->slot_of, (size_t)cache->lines + 1)) return false;
    cache->slot = base_alloc((size_t)(cache->lines + 1) * sizeof *cache->slot);
    if (!cache->slot) return false;
    cache->slot[0] = (struct cache_slot){.line = LINE_NONE};
    return true;
}

bool cache_init(struct cache *out, int64_t lines, int ways) {
    assert(lines > 0 && lines < UINT32_MAX);
    const bool in_sets = ways > 0 && ways < lines;
    *out = (struct cache){
        .sets = in_sets ? lines / ways : 1, .ways = in_sets ? ways : 0, .lines = lines};
    if (in_sets ? init_sets(out) : init_ring(out)) return true;
    cache_free(out);
    return false;
}

void cache_free(struct cache *cache) {
    base_free(cache->entry);
    base_free(cache->slot);
    line_table_free(&cache->slot_of);
    *cache = (struct cache){0};
}

/* Caches with sets. */

static uint64_t *set_of(const struct cache *cache, uint64_t line) {
    const uint64_t sets = (uint64_t)cache->sets;
    const uint64_t set = (sets & (sets - 1)) == 0 ? line & (sets - 1) : line % sets;
    return cache->entry + set * (uint64_t)cache->ways;
}

static bool is_line(uint64_t entry, uint64_t line) {
    return (entry ^ line << 1) <= 1;
}

static struct cache_victim victim_of(uint64_t entry) {
    return entry == LINE_NONE
               ? (struct cache_victim){.line = LINE_NONE}
               : (struct cache_victim){.line = entry >> 1, .dirty = (entry & 1) != 0};
}

static bool set_access(const struct cache *cache, uint64_t line, bool write,
                       struct cache_victim *victim) {
    uint64_t *const set = set_of(cache, line);
    if (is_line(set[0], line)) {
        set[0] |= write;
        return true;
    }
    const int ways = cache->ways;
    /* moves lines that were used more recently one place back: up to the place of the accessed
     * line, or all lines of the set if that line was absent */
    uint64_t moved = set[0];
    for (int way = 1; way < ways; way++) {
        const uint64_t entry = set[way];
        set[way] = moved;
        if (is_line(entry, line)) {
            set[0] = entry | write;
            return true;
        }
        moved = entry;
    }
    set[0] = line << 1 | write;
    *victim = victim_of(moved);
    return false;
}

static bool set_remove(const struct cache *cache, uint64_t line, bool *dirty) {
    uint64_t *const set = set_of(cache, line);
    for (int way = 0; way < cache->ways; way++) {
        if (!is_line(set[way], line)) continue;
        *dirty = (set[way] & 1) != 0;
        memmove(set + way, set + way + 1, (size_t)(cache->ways - 1 - way) * sizeof *set);
        set[cache->ways - 1] = LINE_NONE;
        return true;
    }
    return false;
}

/* Fully associative caches: a ring of slots. Slot 0 holds no line: its `older` is the newest line,
 * its `newer` the oldest. */

static void unlink_slot(struct cache *cache, uint32_t slot) {
    assert(slot != 0 && (int64_t)slot <= cache->used);
    const struct cache_slot *gone = &cache->slot[slot];
    cache->slot[gone->newer].older = gone->older;
    cache->slot[gone->older].newer = gone->newer;
}

static void link_newest(struct cache *cache, uint32_t slot) {
    assert(slot != 0 && (int64_t)slot <= cache->used);
    struct cache_slot *ring = &cache->slot[0];
    cache->slot[slot].newer = 0;
    cache->slot[slot].older = ring->older;
    cache->slot[ring->older].newer = slot;
    ring->older = slot;
}

/** Returns a free slot: a new one, or that of the oldest line, which is evicted. */
static uint32_t free_slot(struct cache *cache, struct cache_victim *victim) {
    *victim = (struct cache_victim){.line = LINE_NONE};
    if (cache->used < cache->lines) return (uint32_t)++cache->used;
    const uint32_t oldest = cache->slot[0].newer;
    assert(oldest != 0); /* a full ring contains a line */
    *victim =
        (struct cache_victim){.line = cache->slot[oldest].line, .dirty = cache->slot[oldest].dirty};
    line_table_remove(&cache->slot_of, victim->line);
    unlink_slot(cache, oldest);
    return oldest;
}

static bool ring_access(struct cache *cache, uint64_t line, bool write,
                        struct cache_victim *victim) {
    const int64_t *found = line_table_find(&cache->slot_of, line);
    if (found) {
        const uint32_t slot = (uint32_t)*found;
        cache->slot[slot].dirty = cache->slot[slot].dirty || write;
        if (cache->slot[slot].newer == 0) return true;
        unlink_slot(cache, slot);
        link_newest(cache, slot);
        return true;
    }
    const uint32_t slot = free_slot(cache, victim);
    cache->slot[slot].line = line;
    cache->slot[slot].dirty = write;
    link_newest(cache, slot);
    int64_t *value = line_table_add(&cache->slot_of, line);
    assert(value); /* the table has room for all lines, so insertion cannot fail */
    *value = slot;
    return false;
}

/** Moves the last used slot into `slot`, so that used slots stay together. */
static void fill_gap(struct cache *cache, uint32_t slot) {
    assert(slot != 0 && (int64_t)slot <= cache->used);
    const uint32_t last = (uint32_t)cache->used--;
    if (slot == last) return;
    cache->slot[slot] = cache->slot[last];
    cache->slot[cache->slot[slot].newer].older = slot;
    cache->slot[cache->slot[slot].older].newer = slot;
    *line_table_find(&cache->slot_of, cache->slot[slot].line) = slot;
}

static bool ring_remove(struct cache *cache, uint64_t line, bool *dirty) {
    const int64_t *found = line_table_find(&cache->slot_of, line);
    if (!found) return false;
    const uint32_t slot = (uint32_t)*found;
    *dirty = cache->slot[slot].dirty;
    line_table_remove(&cache->slot_of, line);
    unlink_slot(cache, slot);
    fill_gap(cache, slot);
    return true;
}

/* Both kinds of caches. */

bool cache_access(struct cache *cache, uint64_t line, bool write, struct cache_victim *victim) {
    assert(line < LINE_NONE >> 1); /* in caches with sets, one bit of an entry marks dirty lines */
    return cache->ways > 0 ? set_access(cache, line, write, victim)
                           : ring_access(cache, line, write, victim);
}

bool cache_remove(struct cache *cache, uint64_t line, bool *dirty) {
    return cache->ways > 0 ? set_remove(cache, line, dirty) : ring_remove(cache, line, dirty);
}

/** Returns any line of a cache with sets; LINE_NONE if there is none. Entries before number `used`
 * are known to be empty. */
static uint64_t some_set_line(struct cache *cache) {
    const int64_t entries = cache->sets * cache->ways;
    while (cache->used < entries && cache->entry[cache->used] == LINE_NONE) cache->used++;
    return cache->used < entries ? cache->entry[cache->used] >> 1 : LINE_NONE;
}

bool cache_take(struct cache *cache, struct cache_victim *out) {
    const uint64_t line =
        cache->ways > 0 ? some_set_line(cache) : cache->slot[cache->slot[0].newer].line;
    *out = (struct cache_victim){.line = line};
    if (line != LINE_NONE) return cache_remove(cache, line, &out->dirty);
    if (cache->ways > 0) cache->used = 0;
    return false;
}
