#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "cli/page/drawing.h"
#include "cli/render/text/visible.h"

enum { ROWS = 22, LEAST_COLUMNS = 40, MOST_COLUMNS = 160, LINE_STYLES = 7, POINT_STYLES = 26 };

/** State of writing a gnuplot script: the plot command, and its data blocks `$d1`, `$d2` and so
 * on. */
struct script {
    struct strbuf command, data;
    const struct plot *plot;
    int lines, marks;
};

/** Appends a text in single quotes. Doubles the quotes in it, and escapes control characters. */
static void add_text(struct strbuf *out, const char *text) {
    char *shown = visible_text(text);
    out->failed = out->failed || !shown;
    strbuf_add(out, "'");
    for (const char *c = shown ? shown : ""; *c; c++) strbuf_add(out, *c == '\'' ? "''" : "%c", *c);
    strbuf_add(out, "'");
    free(shown);
}

/** Begins an entry of the plot command, and its data block, which a line `e` ends. */
static void begin_entry(struct script *script, bool is_line, const char *title) {
    const int entry = script->lines + script->marks + 1,
              number = is_line ? script->lines++ % LINE_STYLES : script->marks++ % POINT_STYLES;
    strbuf_add(&script->command, "%s$d%d with %s %d title ", entry > 1 ? ", " : "plot ", entry,
               is_line ? "lines linetype" : "points pointtype", number + 1);
    add_text(&script->command, title);
    strbuf_add(&script->data, "$d%d << e\n", entry);
}

static bool are_together(const struct plot_guide *a, const struct plot_guide *b) {
    return a == b || (a->group && b->group && strcmp(a->group, b->group) == 0);
}

/** Writes the entry of a guide or of its group, unless an earlier entry contains this guide. */
static void write_guides(struct script *script, const struct plot_guide *first) {
    const struct plot_guide *guide = script->plot->guide, *end = guide + script->plot->guide_count;
    while (!are_together(guide, first)) guide++;
    if (guide < first) return;
    begin_entry(script, true, first->group ? first->group : first->tip);
    for (; guide < end; guide++) {
        if (are_together(guide, first))
            strbuf_add(&script->data, "%.6g %.6g\n%.6g %.6g\n\n", guide->x1, guide->y1, guide->x2,
                       guide->y2);
    }
    strbuf_add(&script->data, "e\n");
}

/** Writes an entry for marks from number `first` on: a whole line, one labelled mark, or all
 * unlabelled marks. Returns the number of the next mark. */
static size_t write_marks(struct script *script, size_t first) {
    const struct plot *plot = script->plot;
    const struct plot_mark *mark = plot->mark;
    const struct plot_series *series = &plot->series[mark[first].series];
    const char *label = mark[first].label, *note = mark[first].note;
    size_t end = first + 1;
    char title[256];
    while (end < plot->mark_count &&
           (series->line ? mark[end].series == mark[first].series : !label && !mark[end].label))
        end++;
    if (series->line) {
        snprintf(title, sizeof title, "%s", series->name);
    } else if (label) {
        snprintf(title, sizeof title, "%s: %.3g %s%s", label, mark[first].y, plot->unit,
                 note ? note : "");
    } else {
        snprintf(title, sizeof title, "%zu more", end - first);
    }
    begin_entry(script, false, title);
    for (size_t m = first; m < end; m++)
        strbuf_add(&script->data, "%.6g %.6g\n", mark[m].x, mark[m].y);
    strbuf_add(&script->data, "e\n");
    return end;
}

/** Writes the script; false if memory runs out. */
static bool print_script(FILE *file, struct script *script, int columns) {
    const struct plot *plot = script->plot;
    const struct tcplan_span *x = &plot->x.span, *y = &plot->y.span;
    struct strbuf title = {0};
    add_text(&title, plot->title);
    strbuf_add(&script->data, "%s", "");
    strbuf_add(&script->command, "\n");
    const bool is_whole = !script->data.failed && !script->command.failed && !title.failed;
    if (is_whole)
        fprintf(
            file,
            "set encoding utf8\nset terminal dumb %d %d noenhanced\nset logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
            "set key below left Left reverse maxcols 1\nset xlabel '%s'\nset ylabel '%s'\nset title %s\n%s%s",
            columns, ROWS + script->lines + script->marks, x->low, x->high, y->low, y->high,
            plot->x_unit, plot->unit, title.text, script->data.text, script->command.text);
    strbuf_free(&title);
    return is_whole;
}

bool plot_print_script(FILE *file, struct plot *plot, int columns) {
    struct script script = {.plot = plot};
    plot_prepare(plot);
    for (size_t g = 0; g < plot->guide_count; g++) write_guides(&script, &plot->guide[g]);
    for (size_t m = 0; m < plot->mark_count;) m = write_marks(&script, m);
    const bool printed = print_script(file, &script,
                                      columns < LEAST_COLUMNS  ? LEAST_COLUMNS
                                      : columns > MOST_COLUMNS ? MOST_COLUMNS
                                                               : columns) &&
                         !plot->failed;
    strbuf_free(&script.command);
    strbuf_free(&script.data);
    plot_free(plot);
    return printed;
}
