#include "cli/render/text/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/render/text/visible.h"

enum { GAP = 2 };

/** State of printing a text table. */
struct printing {
    const struct table *table;
    FILE *file;
    struct terminal terminal;
    size_t columns;
    size_t last;  /**< number of the last column that is printed */
    int *width;   /**< width of each column; negative: the column is omitted */
    int *padding; /**< number of blanks after each cell */
};

static bool reserve(struct table *table) {
    if (table->count < table->capacity) return true;
    const size_t capacity = table->capacity * 2 + 64;
    struct table_cell *cell = base_realloc(table->cell, capacity * sizeof *cell);
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
        table->cell[table->count++] = (struct table_cell){.text = cell, .style = table->style};
    } else {
        table->no_memory = true;
    }
    if (formatted) free(text);
}

/** Returns the number of characters of a number from its decimal point on, 0 if it has none; -1 if
 * the text is not a number. */
static int fraction_of(const char *text) {
    text += *text == '-' || *text == '+';
    const size_t whole = strspn(text, "0123456789");
    const size_t decimals = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    const size_t fraction = decimals > 0 ? decimals + 1 : 0;
    return whole > 0 && text[whole + fraction] == '\0' ? (int)fraction : -1;
}

static bool is_right(const struct table *table, size_t column) {
    return table->columns[column] == 'r';
}

/** Sets the blanks after each cell of a column so that the decimal points of its numbers line
 * up. */
static void pad(const struct printing *printing, size_t column) {
    const struct table *table = printing->table;
    int most = 0;
    for (size_t i = column; i < table->count; i += printing->columns) {
        const int own = is_right(table, column) ? fraction_of(table->cell[i].text) : -1;
        printing->padding[i] = own;
        most = own > most ? own : most;
    }
    for (size_t i = column; i < table->count; i += printing->columns)
        printing->padding[i] = printing->padding[i] < 0 ? 0 : most - printing->padding[i];
}

static int width_of(const struct printing *printing, size_t column) {
    size_t width = 0;
    for (size_t i = column; i < printing->table->count; i += printing->columns) {
        const size_t length =
            visible_width(printing->table->cell[i].text) + (size_t)printing->padding[i];
        if (length > width) width = length;
    }
    return (int)width;
}

static size_t total_width(const struct printing *printing) {
    size_t total = 0;
    for (size_t c = 0; c < printing->columns; c++)
        total += printing->width[c] >= 0 ? (size_t)printing->width[c] + (c > 0 ? GAP : 0) : 0;
    return total;
}

/** Omits one optional column; returns false if none is left to omit. */
static bool leave_out(struct printing *printing) {
    const char *optional = printing->table->optional;
    size_t least = printing->columns;
    for (size_t c = 0; optional && c < printing->columns; c++) {
        if (printing->width[c] >= 0 && optional[c] > '0' &&
            (least == printing->columns || optional[c] > optional[least]))
            least = c;
    }
    if (least == printing->columns) return false;
    printing->width[least] = -1;
    return true;
}

/** Omits columns until the table fits; returns the number of omitted columns. */
static int fit(struct printing *printing) {
    int left_out = 0;
    for (size_t c = 0; c < printing->columns; c++) printing->width[c] = width_of(printing, c);
    while (printing->terminal.columns > 0 && total_width(printing) > printing->terminal.columns &&
           leave_out(printing))
        left_out++;
    for (size_t c = 0; c < printing->columns; c++)
        printing->last = printing->width[c] >= 0 ? c : printing->last;
    return left_out;
}

/** Prints a cell. In a left-aligned last column, omits trailing blanks. */
static void print_cell(const struct printing *printing, size_t i) {
    const size_t column = i % printing->columns;
    const struct table_cell *cell = &printing->table->cell[i];
    const int padding = printing->padding[i];
    const int room = printing->width[column] - (int)visible_width(cell->text) - padding;
    const bool right = is_right(printing->table, column);
    const bool heading = i < printing->columns && !printing->table->headless;
    const enum terminal_style style = *cell->text == '\0' ? STYLE_PLAIN
                                      : heading           ? STYLE_HEADING
                                                          : cell->style;
    if (printing->width[column] < 0) return;
    fprintf(printing->file, "%*s", (column > 0 ? GAP : 0) + (right ? room : 0), "");
    if (style != STYLE_PLAIN) terminal_style(printing->file, &printing->terminal, style);
    fputs(cell->text, printing->file);
    if (style != STYLE_PLAIN) terminal_style(printing->file, &printing->terminal, STYLE_PLAIN);
    if (column < printing->last) fprintf(printing->file, "%*s", right ? padding : room, "");
}

static void print_lines(struct printing *printing) {
    assert(printing->columns > 0);
    const int left_out = fit(printing);
    for (size_t i = 0; i < printing->table->count / printing->columns * printing->columns; i++) {
        print_cell(printing, i);
        if ((i + 1) % printing->columns == 0) fputc('\n', printing->file);
    }
    if (left_out > 0)
        fprintf(printing->file, "(%d more column%s on a wider terminal.)\n", left_out,
                left_out == 1 ? "" : "s");
}

bool table_print(struct table *table, FILE *file) {
    struct printing printing = {.table = table,
                                .file = file,
                                .terminal = terminal_of(file),
                                .columns = strlen(table->columns)};
    printing.width = base_alloc(printing.columns * sizeof *printing.width);
    printing.padding = base_alloc((table->count + 1) * sizeof *printing.padding);
    const bool printed = printing.width && printing.padding && !table->no_memory;
    for (size_t c = 0; printed && c < printing.columns; c++) pad(&printing, c);
    if (printed) print_lines(&printing);
    base_free(printing.width);
    base_free(printing.padding);
    for (size_t i = 0; i < table->count; i++) free(table->cell[i].text);
    base_free(table->cell);
    *table = (struct table){.columns = table->columns, .optional = table->optional};
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
