/**
 * A set of 64-bit ids that are as good as random: an open-addressing hash table without a hash
 * function.
 */
#ifndef BASE_ID_SET_H
#define BASE_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise before use. */
struct id_set {
    uint64_t *slot; /* ids; 0: the slot is free; id 0 is stored as 1 */
    size_t capacity;
    size_t count;
};

bool id_set_has(const struct id_set *set, uint64_t id);

/** Adds an id, which may already be present; false if out of memory. */
bool id_set_add(struct id_set *set, uint64_t id);

void id_set_free(struct id_set *set);

#endif
