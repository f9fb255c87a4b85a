#include "cli/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { COLUMNS_MAX = 16 };

static bool reserve(struct table *table) {
    if (table->count < table->capacity) return true;
    const size_t capacity = table->capacity * 2 + 64;
    char **cell = base_realloc(table->cell, capacity * sizeof *cell);
    if (!cell) return false;
    table->cell = cell;
    table->capacity = capacity;
    return true;
}

void table_add(struct table *table, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const bool formatted = reserve(table) && vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    if (formatted) {
        table->cell[table->count++] = text;
    } else {
        table->no_memory = true;
    }
}

static int width_of(const struct table *table, size_t column, size_t columns) {
    size_t width = 0;
    for (size_t i = column; i < table->count; i += columns) {
        const size_t length = strlen(table->cell[i]);
        if (length > width) width = length;
    }
    return (int)width;
}

/** A last column that is aligned left is not filled up. */
static void print_cell(const struct table *table, FILE *file, size_t i, const int widths[], size_t columns) {
    const size_t column = i % columns;
    const int width = widths[column];
    fputs(column > 0 ? "  " : "", file);
    if (table->columns[column] == 'r') {
        fprintf(file, "%*s", width, table->cell[i]);
    } else {
        fprintf(file, "%-*s", column + 1 < columns ? width : 0, table->cell[i]);
    }
}

bool table_print(struct table *table, FILE *file) {
    const size_t columns = strlen(table->columns);
    const size_t complete = table->no_memory ? 0 : table->count / columns * columns;
    int widths[COLUMNS_MAX];
    for (size_t c = 0; c < columns; c++) widths[c] = width_of(table, c, columns);
    for (size_t i = 0; i < complete; i++) {
        print_cell(table, file, i, widths, columns);
        if ((i + 1) % columns == 0) fputc('\n', file);
    }
    for (size_t i = 0; i < table->count; i++) free(table->cell[i]);
    free(table->cell);
    const bool printed = !table->no_memory;
    *table = (struct table){.columns = table->columns};
    return printed;
}

void table_add_owned(struct table *table, char *text) {
    if (text) {
        table_add(table, "%s", text);
    } else {
        table->no_memory = true;
    }
    free(text);
}
