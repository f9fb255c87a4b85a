/**
 * A set of ids: 64-bit numbers that are as good as random.
 */
#ifndef BASE_ID_SET_H
#define BASE_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Zero-initialise before use. */
struct id_set {
    uint64_t *slot; /* 0: free; the id 0 counts as 1 */
    size_t capacity;
    size_t count;
};

bool id_set_has(const struct id_set *set, uint64_t id);

/** Adds an id, which may be there already; false when memory is out. */
bool id_set_add(struct id_set *set, uint64_t id);

void id_set_free(struct id_set *set);

#endif
