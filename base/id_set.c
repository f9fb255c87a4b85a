/*
 * An open-addressing hash table with linear probing. The ids are random already, so their low bits
 * are the hash. The capacity is a power of two and at most half of the slots are used, so every
 * probe ends.
 */
#include "base/id_set.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

enum { SMALLEST = 64 };

/** Returns the slot of an id, or the free slot for it; the set always has a free slot. */
static size_t find(const struct id_set *set, uint64_t id) {
    assert(set->count < set->capacity && (set->capacity & (set->capacity - 1)) == 0);
    size_t at = (size_t)id & (set->capacity - 1);
    while (set->slot[at] != 0 && set->slot[at] != id) at = (at + 1) & (set->capacity - 1);
    return at;
}

static uint64_t key_of(uint64_t id) {
    return id == 0 ? 1 : id;
}

bool id_set_has(const struct id_set *set, uint64_t id) {
    return set->capacity > 0 && set->slot[find(set, key_of(id))] != 0;
}

static bool grow(struct id_set *set) {
    struct id_set larger = {.capacity = set->capacity > 0 ? 2 * set->capacity : SMALLEST,
                            .count = set->count};
    larger.slot = base_alloc(larger.capacity * sizeof *larger.slot);
    if (!larger.slot) return false;
    memset(larger.slot, 0, larger.capacity * sizeof *larger.slot);
    for (size_t at = 0; at < set->capacity; at++) {
        if (set->slot[at] != 0) larger.slot[find(&larger, set->slot[at])] = set->slot[at];
    }
    base_free(set->slot);
    *set = larger;
    return true;
}

bool id_set_add(struct id_set *set, uint64_t id) {
    if (2 * (set->count + 1) > set->capacity && !grow(set)) return false;
    const size_t at = find(set, key_of(id));
    set->count += set->slot[at] == 0;
    set->slot[at] = key_of(id);
    return true;
}

void id_set_free(struct id_set *set) {
    base_free(set->slot);
    *set = (struct id_set){0};
}
