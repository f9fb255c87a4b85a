/**
 * A hash table from cache lines to numbers.
 */
#ifndef CACHESIM_LINE_TABLE_H
#define CACHESIM_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A key that no line has. */
#define LINE_NONE UINT64_MAX

struct line_entry {
    uint64_t line; /**< number of the line; LINE_NONE: the entry is free */
    int64_t value;
};

/** Open addressing with linear probing; at most half of the entries are used. */
struct line_table {
    size_t count;
    int bits; /**< the table has 2^bits entries */
    struct line_entry *entry;
};

/** Makes an empty table with room for `lines`; returns false if memory runs out. */
bool line_table_init(struct line_table *out, size_t lines);

void line_table_free(struct line_table *table);

/** Returns the value of a line, or NULL; valid until the table is changed. */
int64_t *line_table_find(const struct line_table *table, uint64_t line);

/** Adds a line that the table lacks, and returns its value. The table grows as needed. NULL if
 * memory runs out. */
int64_t *line_table_add(struct line_table *table, uint64_t line);

/** Removes a line, which must be in the table. */
void line_table_remove(struct line_table *table, uint64_t line);

#endif
