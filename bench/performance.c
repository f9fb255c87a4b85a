/*
 * Draws a table of bench/peers, such as bench/results/zen4/peers.txt: for every case, the speed of
 * the winner, of an ideal dgemm and of other libraries.
 *
 *   bench_performance bench/results/zen4/peers.txt > docs/performance.svg
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/plot.h"

enum { MAX_CASES = 64, MAX_CELLS = 32, MAX_SERIES = PLOT_SERIES, NAME = 32, TEXT = 256 };
enum { WIDTH = 780, ROW = 18 };

/* The first line before the table, and the first one after it: those of the machine that was
 * measured last. */
static const char *const table_begin = "<!-- peers, 1 thread", *const table_end = "<!-- end -->";

/** A column of the table to draw: the winner first, then the ideal, then the others. */
struct series {
    const char *text;
    struct plot_style style;
    int cell;
};

/** The measured speeds that the picture shows. */
struct table {
    char machine[TEXT], date[TEXT];
    struct series series[MAX_SERIES];
    int series_count;
    int swapped; /* position of the cell for the ideal gemm with the other orientation */
    char name[MAX_CASES][NAME];
    char what[MAX_CASES][TEXT];
    double gflops[MAX_CASES][MAX_SERIES]; /* speeds; 0: unknown */
    int cases;
};

static void fail(const char *path, int line, const char *expected) {
    fprintf(stderr, "bench_performance: %s:%d: expected %s\n", path, line, expected);
    exit(1);
}

/** Splits a row of a Markdown table; returns the number of cells. Blanks around the cells are
 * removed. */
static int split(char *row, char *cell[MAX_CELLS]) {
    int count = 0;
    for (char *at = *row == '|' ? row + 1 : row; *at && count < MAX_CELLS;) {
        char *end = at;
        while (*end && (*end != '|' || end[-1] == '\\')) end++;
        if (!*end) break;
        *end = '\0';
        cell[count++] = at + strspn(at, " ");
        for (char *last = end; last > at && last[-1] == ' ';) *--last = '\0';
        at = end + 1;
    }
    return count;
}

static int find(char *const *cell, int count, const char *name) {
    for (int c = 0; c < count; c++) {
        if (strcmp(cell[c], name) == 0) return c;
    }
    return -1;
}

/** Returns the title under which a column is drawn; if it has none, the column's name. */
static const char *words_of(const char *name) {
    static const char *const words[][2] = {{"np_out", "numpy.einsum"},
                                           {"np_free", "numpy.einsum, any layout"},
                                           {"tblis", "TBLIS"},
                                           {"tcl", "TCL"}};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (strcmp(words[w][0], name) == 0) return words[w][1];
    }
    char *copy = strdup(name);
    if (!copy) exit(3);
    return copy;
}

static void add_series(struct table *table, const char *text, struct plot_style style, int cell) {
    if (table->series_count < MAX_SERIES)
        table->series[table->series_count++] = (struct series){text, style, cell};
}

/** Returns whether a column's heading marks its figures as invalid. */
static bool is_invalid(const char *heading) {
    return strstr(heading, "†") != NULL;
}

/** Reads the heading. The columns of other libraries are between "of ideal" and "predicted ms";
 * those with invalid figures are not drawn. */
static void read_heading(struct table *table, char *const *cell, int count, const char *path,
                         int line) {
    const int ideal = find(cell, count, "ideal"), winner = find(cell, count, "GFLOP/s");
    const int first = find(cell, count, "of ideal"), last = find(cell, count, "predicted ms");
    table->swapped = find(cell, count, "swapped");
    if (ideal < 0 || winner < 0 || first < 0 || last < first || table->swapped < 0) {
        fail(path, line, "columns 'ideal', 'swapped', 'GFLOP/s', 'of ideal' and 'predicted ms'");
    }
    add_series(table, "tcplan's winner", (struct plot_style){0}, winner);
    add_series(table, "one ideal dgemm", (struct plot_style){.colour = 6, .shape = 6}, ideal);
    for (int c = first + 1; c < last; c++) {
        const int n = c - first;
        if (is_invalid(cell[c])) continue;
        add_series(table, words_of(cell[c]),
                   (struct plot_style){.colour = n % 6, .shape = n % 6, .hollow = true}, c);
    }
}

static void read_case(struct table *table, char *const *cell, int count, const char *path,
                      int line) {
    if (table->cases == MAX_CASES) fail(path, line, "at most 64 cases");
    const int at = table->cases++;
    snprintf(table->name[at], NAME, "%s", cell[0]);
    snprintf(table->what[at], TEXT, "%s, %s", count > 2 ? cell[1] : "", count > 2 ? cell[2] : "");
    for (int s = 0; s < table->series_count; s++) {
        const int c = table->series[s].cell;
        table->gflops[at][s] = c < count ? strtod(cell[c], NULL) : 0;
        if (s == 1 && table->swapped < count)
            table->gflops[at][s] = fmax(table->gflops[at][s], strtod(cell[table->swapped], NULL));
    }
    if (!(table->gflops[at][0] > 0)) fail(path, line, "the speed of the winner in GFLOP/s");
}

static void read_row(struct table *table, char *row, const char *path, int line) {
    char *cell[MAX_CELLS];
    const int count = split(row, cell);
    if (count > 0 && strcmp(cell[0], "case") == 0) {
        read_heading(table, cell, count, path, line);
    } else if (table->series_count > 0 && count > 0 && strncmp(cell[0], "--", 2) != 0) {
        read_case(table, cell, count, path, line);
    }
}

/** Reads the text after a key in the list of conditions, such as "- date: ". */
static void read_condition(char out[TEXT], const char *line, const char *key) {
    if (strncmp(line, key, strlen(key)) == 0) snprintf(out, TEXT, "%s", line + strlen(key));
}

static void read_table(struct table *table, const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    int line = 0;
    bool inside = false;
    if (!file) {
        fprintf(stderr, "bench_performance: cannot read '%s'\n", path);
        exit(3);
    }
    while (getline(&text, &size, file) > 0) {
        line++;
        text[strcspn(text, "\r\n")] = '\0';
        if (strncmp(text, table_begin, strlen(table_begin)) == 0) inside = true;
        if (inside && strcmp(text, table_end) == 0) break;
        if (!inside) continue;
        read_condition(table->machine, text, "- machine: ");
        read_condition(table->date, text, "- date: ");
        if (*text == '|') read_row(table, text, path, line);
    }
    if (table->cases == 0)
        fail(path, line, "the tables of bench/peers behind <!-- peers, 1 thread, MACHINE -->");
    free(text);
    fclose(file);
}

/* Drawing. */

/** Draws a case: a line from the slowest to the fastest, and a mark for each. The winner's mark is
 * drawn last, over the others. */
static void add_case(struct plot *plot, const struct table *table, int at) {
    double slowest = table->gflops[at][0], fastest = slowest;
    plot_add_row(plot, (struct plot_row){.name = table->name[at]});
    for (int s = table->series_count - 1; s >= 0; s--) {
        const double gflops = table->gflops[at][s];
        if (!(gflops > 0)) continue;
        slowest = fmin(slowest, gflops);
        fastest = fmax(fastest, gflops);
        const char *tip =
            plot_text(plot, "%s: %s %.1f GFLOP/s", table->what[at], table->series[s].text, gflops);
        plot_add_mark(
            plot,
            (struct plot_mark){.series = s, .x = gflops, .y = at + 0.5, .apart = true, .tip = tip});
    }
    plot_add_guide(
        plot, (struct plot_guide){
                  .class = "grid", .x1 = slowest, .y1 = at + 0.5, .x2 = fastest, .y2 = at + 0.5});
}

static bool draw(FILE *file, const struct table *table) {
    const int cpu = (int)strcspn(table->machine, ";");
    const char *system = strstr(table->machine, ", Linux");
    struct plot plot = {.title = "Tensor contractions: winners and other libraries",
                        .x = {.title = "GFLOP/s", .linear = true, .label = plot_label_number},
                        .width = WIDTH,
                        .row_height = ROW,
                        .key_above = true,
                        .is_still = true};
    plot.subtitle =
        plot_text(&plot, "%.*s; one thread; %s", system ? (int)(system - table->machine) : cpu,
                  table->machine, table->date);
    for (int s = 0; s < table->series_count; s++)
        plot_add_series(&plot, (struct plot_series){.name = table->series[s].text,
                                                    .style = table->series[s].style});
    for (int c = 0; c < table->cases; c++) add_case(&plot, table, c);
    return plot_print(file, &plot, 1);
}

int main(int argc, char **argv) {
    static struct table table; /* Static, because it is too large for the stack. */
    if (argc != 2) {
        fputs("usage: bench_performance TABLES > PICTURE.svg\n", stderr);
        return 2;
    }
    read_table(&table, argv[1]);
    const bool drawn = draw(stdout, &table);
    return drawn && fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
