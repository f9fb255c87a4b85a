#include <stdlib.h>
#include <string.h>

#include "cli/page/drawing.h"
#include "cli/render/text/visible.h"

enum { ROWS = 22, LEAST_COLUMNS = 40, MOST_COLUMNS = 160, LINE_STYLES = 7, POINT_STYLES = 26 };

/** gnuplot reads the data of all entries behind the command that names them. */
struct script {
    FILE *file;
    const struct plot *plot;
    bool data; /* the second pass: places, not entries */
    int entries, lines, marks;
    bool no_memory;
};

/** In single quotes; a quote is doubled, and what a terminal would obey is escaped. */
static void write_text(struct script *script, const char *text) {
    char *shown = visible_text(text);
    script->no_memory = script->no_memory || !shown;
    fputc('\'', script->file);
    for (const char *c = shown ? shown : ""; *c; c++) {
        if (*c == '\'') fputc('\'', script->file);
        fputc(*c, script->file);
    }
    fputc('\'', script->file);
    free(shown);
}

/** Begins an entry, or its data; returns whether the data are wanted. */
static bool begin_entry(struct script *script, bool is_line, const char *title) {
    const int number = is_line ? script->lines++ % LINE_STYLES : script->marks++ % POINT_STYLES;
    script->entries++;
    if (script->data) return true;
    fprintf(script->file, "%s'-' with %s %d title ", script->entries > 1 ? ", " : "plot ",
            is_line ? "lines linetype" : "points pointtype", number + 1);
    write_text(script, title);
    return false;
}

static const char *entry_of(const struct plot_guide *guide) {
    return guide->group ? guide->group : guide->tip;
}

/** An entry of guide `first` and others of its group, unless an earlier one had it. */
static void draw_guides(struct script *script, size_t first) {
    const struct plot_guide *guide = script->plot->guide;
    for (size_t g = 0; g < first; g++) {
        if (guide[first].group && guide[g].group && strcmp(guide[g].group, guide[first].group) == 0)
            return;
    }
    if (!begin_entry(script, true, entry_of(&guide[first]))) return;
    for (size_t g = first; g < script->plot->guide_count; g++) {
        if (g > first && (!guide[g].group || !guide[first].group ||
                          strcmp(guide[g].group, guide[first].group) != 0))
            continue;
        fprintf(script->file, "%.6g %.6g\n%.6g %.6g\n\n", guide[g].x1, guide[g].y1, guide[g].x2,
                guide[g].y2);
    }
    fputs("e\n", script->file);
}

/** The marks from one on that belong to the same entry: of a line all, of others one with a label,
 * or all without. */
static size_t same_entry(const struct plot *plot, size_t first) {
    const struct plot_mark *mark = plot->mark;
    const bool is_line = plot->series[mark[first].series].line;
    size_t end = first + 1;
    if (!is_line && mark[first].label) return end;
    while (end < plot->mark_count &&
           (is_line ? mark[end].series == mark[first].series : !mark[end].label))
        end++;
    return end;
}

static void draw_marks(struct script *script) {
    const struct plot *plot = script->plot;
    size_t end;
    for (size_t first = 0; first < plot->mark_count; first = end) {
        const struct plot_mark *mark = &plot->mark[first];
        const struct plot_series *series = &plot->series[mark->series];
        char title[256];
        end = same_entry(plot, first);
        if (series->line) {
            snprintf(title, sizeof title, "%s", series->name ? series->name : "");
        } else if (mark->label) {
            snprintf(title, sizeof title, "%s: %.3g %s%s", mark->label, mark->y, plot->unit,
                     mark->note ? mark->note : "");
        } else {
            snprintf(title, sizeof title, "%zu more", end - first);
        }
        if (!begin_entry(script, false, title)) continue;
        for (size_t m = first; m < end; m++)
            fprintf(script->file, "%.6g %.6g\n", plot->mark[m].x, plot->mark[m].y);
        fputs("e\n", script->file);
    }
}

static void draw_all(struct script *script) {
    script->entries = script->lines = script->marks = 0;
    for (size_t g = 0; g < script->plot->guide_count; g++) draw_guides(script, g);
    draw_marks(script);
}

static void write_settings(struct script *script, int columns) {
    const struct plot *plot = script->plot;
    const struct tcplan_span *x = &plot->x.span, *y = &plot->y.span;
    fprintf(
        script->file,
        "set encoding utf8\nset terminal dumb %d %d noenhanced\nset logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "set key below left Left reverse maxcols 1\nset xlabel ",
        columns, ROWS + script->entries, x->low, x->high, y->low, y->high);
    write_text(script, plot->x_unit);
    fputs("\nset ylabel ", script->file);
    write_text(script, plot->unit);
    fputs("\nset title ", script->file);
    write_text(script, plot->title);
    fputc('\n', script->file);
}

/** Writes the command to memory, as its entries make the picture higher. */
static bool write_script(struct script *script, int columns) {
    FILE *file = script->file;
    char *command = NULL;
    size_t length = 0;
    script->file = open_memstream(&command, &length);
    if (!script->file) return false;
    draw_all(script);
    const bool is_written = fclose(script->file) == 0;
    script->file = file;
    write_settings(script, columns);
    if (is_written) fprintf(file, "%s\n", command);
    free(command);
    script->data = true;
    draw_all(script);
    return is_written && !script->no_memory;
}

bool plot_print_script(FILE *file, struct plot *plot, int columns) {
    struct script script = {.file = file, .plot = plot};
    plot_prepare(plot);
    const bool drawn =
        !plot->failed && write_script(&script, columns < LEAST_COLUMNS  ? LEAST_COLUMNS
                                               : columns > MOST_COLUMNS ? MOST_COLUMNS
                                                                        : columns);
    plot_free(plot);
    return drawn;
}
