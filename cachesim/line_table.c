#include "cachesim/line_table.h"

#include <assert.h>

#include "base/alloc.h"

enum { LEAST_BITS = 4 };

static size_t mask_of(const struct line_table *table) {
    return ((size_t)1 << table->bits) - 1;
}

/** Returns the preferred slot of a line: Fibonacci hashing, which spreads neighbouring lines. */
static size_t home_of(const struct line_table *table, uint64_t line) {
    return (size_t)(line * 0x9e3779b97f4a7c15U >> (64 - table->bits));
}

bool line_table_init(struct line_table *out, size_t lines) {
    *out = (struct line_table){.bits = LEAST_BITS};
    while ((size_t)1 << out->bits < 2 * lines) out->bits++;
    const size_t entries = (size_t)1 << out->bits;
    out->entry = base_alloc(entries * sizeof *out->entry);
    if (!out->entry) return false;
    for (size_t e = 0; e < entries; e++) out->entry[e].line = LINE_NONE;
    return true;
}

void line_table_free(struct line_table *table) {
    base_free(table->entry);
    *table = (struct line_table){0};
}

int64_t *line_table_find(const struct line_table *table, uint64_t line) {
    const size_t mask = mask_of(table);
    for (size_t e = home_of(table, line);; e = (e + 1) & mask) {
        if (table->entry[e].line == line) return &table->entry[e].value;
        if (table->entry[e].line == LINE_NONE) return NULL;
    }
}

static int64_t *place(struct line_table *table, uint64_t line) {
    assert(line != LINE_NONE && table->count < mask_of(table)); /* a free entry exists, so probing
                                                                   ends */
    const size_t mask = mask_of(table);
    size_t e = home_of(table, line);
    while (table->entry[e].line != LINE_NONE) e = (e + 1) & mask;
    table->entry[e].line = line;
    table->count++;
    return &table->entry[e].value;
}

static bool grow(struct line_table *table) {
    struct line_table grown;
    const size_t entries = mask_of(table) + 1;
    if (!line_table_init(&grown, entries)) return false;
    for (size_t e = 0; e < entries; e++) {
        if (table->entry[e].line != LINE_NONE)
            *place(&grown, table->entry[e].line) = table->entry[e].value;
    }
    line_table_free(table);
    *table = grown;
    return true;
}

int64_t *line_table_add(struct line_table *table, uint64_t line) {
    assert(!line_table_find(table, line));
    if (2 * (table->count + 1) > mask_of(table) + 1 && !grow(table)) return NULL;
    return place(table, line);
}

void line_table_remove(struct line_table *table, uint64_t line) {
    assert(line_table_find(table, line));
    const size_t mask = mask_of(table);
    size_t hole = home_of(table, line);
    while (table->entry[hole].line != line) hole = (hole + 1) & mask;
    /* moves back entries that probing had placed after the freed slot */
    for (size_t e = (hole + 1) & mask; table->entry[e].line != LINE_NONE; e = (e + 1) & mask) {
        const size_t wanted = home_of(table, table->entry[e].line);
        if (((e - wanted) & mask) < ((e - hole) & mask)) continue;
        table->entry[hole] = table->entry[e];
        hole = e;
    }
    table->entry[hole].line = LINE_NONE;
    table->count--;
}
