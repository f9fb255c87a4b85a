/**
 * Text tables: columns are as wide as their widest cell, with two spaces between them. If the
 * terminal is narrower, optional columns are omitted.
 */
#ifndef CLI_RENDER_TEXT_TABLE_H
#define CLI_RENDER_TEXT_TABLE_H

#include "cli/render/text/visible.h"

struct table_cell {
    char *text;
    enum terminal_style style;
};

/** A text table. Set `columns` and, if needed, `optional`, all other members to zero. */
struct table {
    const char *columns;  /**< alignment of each column: `l` left, `r` right */
    const char *optional; /**< a digit for each column. 0: never omitted; columns with the highest
                             digit are omitted first. NULL: all 0 */
    bool headless;        /**< no heading */
    enum terminal_style style; /**< style of the next cells */
    struct table_cell *cell;   /**< row by row */
    size_t count;
    size_t capacity;
    bool no_memory;
};

/** Adds a cell, from left to right, line by line. Control characters are escaped, see
 * visible_text(). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds a text as a cell and frees it; NULL is recorded as out of memory. */
void table_add_owned(struct table *table, char *text);

/** Prints and frees all complete lines, and counts omitted columns; false: out of memory. */
bool table_print(struct table *table, FILE *file);

#endif
