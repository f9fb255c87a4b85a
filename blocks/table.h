/**
 * A hash table from fixed-length keys of 32-bit numbers to consecutive ids, in the order of their
 * first occurrence. Open addressing with linear probing, at most half full.
 */
#ifndef BLOCKS_TABLE_H
#define BLOCKS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The table. Zero-initialise it except for `width`. */
struct id_table {
    int width; /**< number of 32-bit numbers in a key */
    int32_t count;
    int32_t capacity; /**< number of keys for which there is memory */
    int32_t *key;
    size_t slots;
    int32_t *slot; /**< id of the key plus 1; 0: the slot is free */
};

/** Returns the id of a key, a new one if `adds`; -1 if it is absent; -2 if memory runs out. */
int32_t id_table_find(struct id_table *table, const int32_t key[], bool adds);

void id_table_free(struct id_table *table);

#endif
