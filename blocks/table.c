#include "blocks/table.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

static size_t place_of(const struct id_table *table, const int32_t key[]) {
    uint64_t hash = HASH_OF_NOTHING;
    for (int i = 0; i < table->width; i++) hash = hash_add_number(hash, (uint32_t)key[i]);
    return (size_t)hash_spread(hash) & (table->slots - 1);
}

static const int32_t *key_of(const struct id_table *table, int32_t id) {
    return table->key + (size_t)id * (size_t)table->width;
}

/** Returns the slot of a key, or the free slot where the key belongs. */
static int32_t *slot_of(const struct id_table *table, const int32_t key[]) {
    const size_t bytes = (size_t)table->width * sizeof *key;
    size_t place = place_of(table, key);
    while (table->slot[place] > 0 && memcmp(key_of(table, table->slot[place] - 1), key, bytes) != 0)
        place = (place + 1) & (table->slots - 1);
    return &table->slot[place];
}

/** Makes room for another key; returns false if memory runs out. */
static bool grow(struct id_table *table) {
    const size_t width = (size_t)(table->width > 0 ? table->width : 1);
    if (table->count < table->capacity && 2 * ((size_t)table->count + 1) <= table->slots)
        return true;
    if (table->count == INT32_MAX / 2) return false;
    const size_t slots = table->slots > 0 ? 2 * table->slots : FIRST_SLOTS;
    int32_t *slot = base_alloc_zero(slots, sizeof *slot);
    int32_t *key = base_realloc(table->key, slots / 2 * width * sizeof *key);
    if (key) table->key = key;
    if (!slot || !key) {
        base_free(slot);
        return false;
    }
    base_free(table->slot);
    table->slot = slot;
    table->slots = slots;
    table->capacity = (int32_t)(slots / 2);
    for (int32_t id = 0; id < table->count; id++) *slot_of(table, key_of(table, id)) = id + 1;
    return true;
}

int32_t id_table_find(struct id_table *table, const int32_t key[], bool adds) {
    if (table->slots > 0) {
        const int32_t found = *slot_of(table, key);
        if (found > 0) return found - 1;
    }
    if (!adds) return -1;
    if (!grow(table)) return -2;
    if (table->width > 0)
        memcpy(table->key + (size_t)table->count * (size_t)table->width, key,
               (size_t)table->width * sizeof *key);
    *slot_of(table, key) = table->count + 1;
    return table->count++;
}

void id_table_free(struct id_table *table) {
    base_free(table->key);
    base_free(table->slot);
    *table = (struct id_table){0};
}
