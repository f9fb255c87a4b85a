/**
 * Tables for people: columns as wide as their widest cell, two spaces between them. On a terminal
 * that is narrower than the table, columns are left out.
 */
#ifndef CLI_RENDER_TEXT_TABLE_H
#define CLI_RENDER_TEXT_TABLE_H

#include "cli/render/text/terminal.h"

struct table_cell {
    char *text;
    enum terminal_style style;
};

/** Set `columns` and, where wanted, `optional`, the rest to zero. */
struct table {
    const char *columns;  /**< one letter a column, of any number: `l` aligned left, `r` right */
    const char *optional; /**< one digit a column: 0 is always shown, of others the greatest is left
                             out first; NULL: all 0 */
    bool headless;        /**< the first line is no heading */
    enum terminal_style style; /**< of the cells that are added next */
    struct table_cell *cell;   /**< row by row */
    size_t count;
    size_t capacity;
    bool no_memory;
};

/** Appends a cell, from left to right, line by line. What a terminal would obey is escaped, see
 * visible_text(). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The same with a text that is freed; NULL means that memory is out, which is noted. */
void table_add_owned(struct table *table, char *text);

/** Prints all complete lines, and how many columns were left out, and frees them; false where
 * memory ran out on the way. */
bool table_print(struct table *table, FILE *file);

#endif
