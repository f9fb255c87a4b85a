/**
 * Tables of text: columns as wide as their widest cell, two spaces between them. On a narrower
 * terminal, optional columns are omitted.
 */
#ifndef CLI_RENDER_TEXT_TABLE_H
#define CLI_RENDER_TEXT_TABLE_H

#include "cli/render/text/visible.h"

struct table_cell {
    char *text;
    enum terminal_style style;
};

/** Set `columns` and, if needed, `optional`, the rest to zero. */
struct table {
    const char *columns;  /**< one letter for each column: `l` aligned left, `r` right */
    const char *optional; /**< one digit for each column: 0 is always shown, of others the largest
                             is omitted first; NULL: all 0 */
    bool headless;        /**< no heading */
    enum terminal_style style; /**< of the next cells */
    struct table_cell *cell;   /**< row by row */
    size_t count;
    size_t capacity;
    bool no_memory;
};

/** Appends a cell, from left to right, line by line. Escapes control characters, see
 * visible_text(). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Appends a text and frees it; notes NULL as out of memory. */
void table_add_owned(struct table *table, char *text);

/** Prints and frees all complete lines, and counts omitted columns; false: out of memory. */
bool table_print(struct table *table, FILE *file);

#endif
