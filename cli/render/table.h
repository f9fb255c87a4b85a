/**
 * Tables for people: columns as wide as their widest cell, two spaces between them.
 */
#ifndef CLI_RENDER_TABLE_H
#define CLI_RENDER_TABLE_H

#include <stdbool.h>
#include <stdio.h>

/** Set `columns`, of any number, the rest to zero. */
struct table {
    const char *columns; /**< one letter a column: `l` aligned left, `r` right */
    char **cell;         /**< row by row */
    size_t count;
    size_t capacity;
    bool no_memory;
};

/** Appends a cell, from left to right, line by line. What a terminal would obey is escaped, see visible_text(). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The same with a text that is freed; NULL means that memory is out, which is noted. */
void table_add_owned(struct table *table, char *text);

/** Prints all complete lines and frees them; false where memory ran out on the way. */
bool table_print(struct table *table, FILE *file);

#endif
