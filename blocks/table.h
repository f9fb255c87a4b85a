/**
 * A hash table that numbers fixed-length keys of 32-bit numbers: ids are consecutive, in the order
 * in which keys first occur. Open addressing with linear probing, at most half full.
 */
#ifndef BLOCKS_TABLE_H
#define BLOCKS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A hash table of ids. Set `width`, zero the rest. */
struct id_table {
    int width; /**< number of 32-bit numbers in a key */
    int32_t count;
    int32_t capacity; /**< number of keys for which memory is allocated */
    int32_t *key;
    size_t slots;
    int32_t *slot; /**< for each slot, the id of its key plus 1; 0: the slot is free */
};

/** Returns the id of a key. An absent key gets a new id if `adds`, otherwise -1 is returned; -2 if
 * memory runs out. */
int32_t id_table_find(struct id_table *table, const int32_t key[], bool adds);

void id_table_free(struct id_table *table);

#endif
