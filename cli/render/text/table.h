/**
 * Text tables: columns are as wide as their widest cell, with two spaces between them. Optional
 * columns are omitted if the terminal is too narrow.
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
    const char *columns;  /**< alignment of each column: `l` for left, `r` for right */
    const char *optional; /**< for each column, a digit: 0 is never omitted; the highest digits are
                             omitted first. NULL: no column is omitted */
    bool headless;        /**< whether the table has no heading */
    enum terminal_style style; /**< style of the cells that are added next */
    struct table_cell *cell;   /**< cells in the order of rows */
    size_t count;
    size_t capacity;
    bool no_memory;
};

/** Adds a cell; cells are added from left to right, line by line. Control characters are escaped,
 * see visible_text(). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Adds a text as a cell and frees it. NULL is recorded as running out of memory. */
void table_add_owned(struct table *table, char *text);

/** Prints and frees all complete lines, then a note with the number of omitted columns, if any.
 * Returns false if memory runs out. */
bool table_print(struct table *table, FILE *file);

#endif
