#include "cli/render/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/render/visible.h"

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
    const bool formatted = vasprintf(&text, format, arguments) >= 0;
    va_end(arguments);
    char *cell = formatted && reserve(table) ? visible_text(text) : NULL;
    if (cell) {
        table->cell[table->count++] = cell;
    } else {
        table->no_memory = true;
    }
    if (formatted) free(text);
}

static int width_of(const struct table *table, size_t column, size_t columns) {
    size_t width = 0;
    for (size_t i = column; i < table->count; i += columns) {
        const size_t length = visible_width(table->cell[i]);
        if (length > width) width = length;
    }
    return (int)width;
}

/** A last column that is aligned left is not filled up. */
static void print_cell(const struct table *table, FILE *file, size_t i, const int widths[], size_t columns) {
    const size_t column = i % columns;
    const int room = widths[column] - (int)visible_width(table->cell[i]);
    fputs(column > 0 ? "  " : "", file);
    if (table->columns[column] == 'r') {
        fprintf(file, "%*s%s", room, "", table->cell[i]);
    } else {
        fprintf(file, "%s%*s", table->cell[i], column + 1 < columns ? room : 0, "");
    }
}

static void print_lines(const struct table *table, FILE *file, int widths[], size_t columns) {
    assert(columns > 0);
    for (size_t c = 0; c < columns; c++) widths[c] = width_of(table, c, columns);
    for (size_t i = 0; i < table->count / columns * columns; i++) {
        print_cell(table, file, i, widths, columns);
        if ((i + 1) % columns == 0) fputc('\n', file);
    }
}

bool table_print(struct table *table, FILE *file) {
    const size_t columns = strlen(table->columns);
    int *widths = base_alloc(columns * sizeof *widths);
    const bool printed = widths && !table->no_memory;
    if (printed) print_lines(table, file, widths, columns);
    base_free(widths);
    for (size_t i = 0; i < table->count; i++) free(table->cell[i]);
    base_free(table->cell);
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
