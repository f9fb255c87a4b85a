#include "cli/page/roofline_script.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cli/page/roofs.h"
#include "cli/render/text/visible.h"

enum { ROWS = 22, KEY_ENTRIES = 12, TEXT = 160, LINE_STYLES = 7, POINT_STYLES = 26 };

/** The kinds of entries, in the order in which gnuplot reads their data behind the command. */
struct script {
    FILE *file;
    const struct roofline_plot *plot;
    struct drawn_roofs drawn[PLOT_ROOFS];
    struct tcplan_span x, y;
    bool data;   /* the second pass: places, not entries */
    int entries; /* so far */
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

/** An entry of the plot command; `style` as gnuplot has it. Without a title it has no key. */
static void write_entry(struct script *script, const char *style, const char *title) {
    fprintf(script->file, "%s'-' %s ", script->entries++ > 0 ? ", " : "plot ", style);
    if (title) {
        fputs("title ", script->file);
        write_text(script, title);
    } else {
        fputs("notitle", script->file);
    }
}

static void write_line(const struct script *script, const struct roof_line *line) {
    fprintf(script->file, "%.6g %.6g\n%.6g %.6g\n\n", line->x.low, line->y.low, line->x.high,
            line->y.high);
}

static void end_data(const struct script *script) {
    fputs("e\n", script->file);
}

/* Roofs. */

/** One entry a ceiling, with its rate. */
static void draw_ceiling(struct script *script, const struct drawn_roofs *drawn,
                         const struct tcplan_ceiling *ceiling, int number) {
    char text[TEXT], style[32];
    const struct roof_line line = ceiling->cache < 0
                                      ? roofs_compute_line(drawn, ceiling, &script->x)
                                      : roofs_level_line(drawn, ceiling, &script->x, &script->y);
    if (script->data) {
        write_line(script, &line);
        end_data(script);
        return;
    }
    roofs_tell(text, sizeof text, script->plot, drawn, ceiling, true);
    snprintf(style, sizeof style, "with lines linetype %d", number % LINE_STYLES + 1);
    write_entry(script, style, text);
}

/** One entry for all of them. */
static void draw_together(struct script *script, const struct drawn_roofs *drawn, int number) {
    char text[TEXT], style[32];
    if (!script->data) {
        char name[TEXT / 2];
        roofs_name(name, sizeof name, drawn->roofs);
        snprintf(text, sizeof text, "%s%s", name,
                 drawn->roofs->dtype == TCPLAN_FLOAT ? ", single precision" : "");
        snprintf(style, sizeof style, "with lines linetype %d", number % LINE_STYLES + 1);
        write_entry(script, style, text);
        return;
    }
    for (int l = 0; l < drawn->levels; l++) {
        const struct roof_line line =
            roofs_level_line(drawn, drawn->level[l], &script->x, &script->y);
        write_line(script, &line);
    }
    for (int c = 0; c < drawn->computes; c++) {
        const struct roof_line line = roofs_compute_line(drawn, drawn->compute[c], &script->x);
        write_line(script, &line);
    }
    end_data(script);
}

static void draw_roofs(struct script *script) {
    const int count = script->plot->roofs_count;
    const struct drawn_roofs *first = script->drawn;
    for (int r = 0; r < count && count > 1; r++) {
        if (script->drawn[r].levels + script->drawn[r].computes > 0)
            draw_together(script, &script->drawn[r], r);
    }
    if (count != 1) return;
    for (int l = 0; l < first->levels; l++) draw_ceiling(script, first, first->level[l], l);
    for (int c = 0; c < first->computes; c++)
        draw_ceiling(script, first, first->compute[c], first->levels + c);
}

/* Points. */

static void tell_point(char *out, size_t size, const struct plot_point *point, const char *unit) {
    const double share = 100 * point->at.efficiency;
    const int length = snprintf(out, size, "%.60s: %.3g %s", point->name, point->at.gflops, unit);
    if (point->at.roof > 0 && length > 0 && (size_t)length < size)
        snprintf(out + length, size - (size_t)length, ", %.1f %% of its roof", share);
}

/** The points from one on that belong to the same entry: of a line all, otherwise one, or from
 * KEY_ENTRIES on the rest. */
static size_t same_entry(const struct roofline_plot *plot, size_t first) {
    const int line = plot->point[first].line;
    size_t end = first + 1;
    if (line == 0 && first < KEY_ENTRIES) return end;
    while (end < plot->count && plot->point[end].line == line) end++;
    return end;
}

static void draw_points(struct script *script) {
    const struct roofline_plot *plot = script->plot;
    const char *unit =
        plot->roofs_count > 0 ? tcplan_roofline_compute_unit(plot->roofs[0].roofline) : "GFLOP/s";
    size_t end;
    int number = 0;
    for (size_t p = 0; p < plot->count; p = end, number++) {
        const struct plot_point *point = &plot->point[p];
        char text[TEXT], style[64];
        end = same_entry(plot, p);
        if (script->data) {
            for (size_t q = p; q < end; q++)
                fprintf(script->file, "%.6g %.6g\n", plot->point[q].at.intensity_low,
                        plot->point[q].at.gflops);
            end_data(script);
            continue;
        }
        if (point->line > 0) {
            snprintf(text, sizeof text, "%.60s", point->name);
        } else if (end - p > 1) {
            snprintf(text, sizeof text, "%zu more", end - p);
        } else {
            tell_point(text, sizeof text, point, unit);
        }
        snprintf(style, sizeof style, "with points pointtype %d", number % POINT_STYLES + 1);
        write_entry(script, style, text);
    }
}

/* The whole. */

static void write_settings(struct script *script, int columns) {
    const struct roofline_plot *plot = script->plot;
    const bool per_cycle = plot->roofs_count > 0 && plot->roofs[0].roofline->per_cycle;
    const size_t keys = plot->count < KEY_ENTRIES ? plot->count : KEY_ENTRIES + 1;
    size_t lines = keys;
    for (int r = 0; r < plot->roofs_count; r++) {
        lines += plot->roofs_count > 1
                     ? 1
                     : (size_t)(script->drawn[r].levels + script->drawn[r].computes);
    }
    fprintf(
        script->file,
        "set encoding utf8\nset terminal dumb %d %zu noenhanced\nset logscale xy\nset xrange [%.6g:%.6g]\nset yrange [%.6g:%.6g]\n"
        "set key below left Left reverse maxcols 1\nset xlabel 'flop/byte'\nset ylabel '%s'\nset title ",
        columns, ROWS + lines, script->x.low, script->x.high, script->y.low, script->y.high,
        per_cycle ? "flop/cycle" : "GFLOP/s");
    write_text(script, plot->title);
    fputc('\n', script->file);
}

static void draw_all(struct script *script) {
    draw_roofs(script);
    draw_points(script);
}

bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns) {
    struct script *script = base_alloc_zero(1, sizeof *script);
    if (!script) return false;
    script->file = file;
    script->plot = plot;
    for (int r = 0; r < plot->roofs_count; r++) roofs_collect(&script->drawn[r], &plot->roofs[r]);
    roofs_ranges(&script->x, &script->y, plot, script->drawn);
    write_settings(script, columns < SCRIPT_LEAST_COLUMNS  ? SCRIPT_LEAST_COLUMNS
                           : columns > SCRIPT_MOST_COLUMNS ? SCRIPT_MOST_COLUMNS
                                                           : columns);
    draw_all(script);
    fputc('\n', file);
    script->data = true;
    if (script->entries > 0) draw_all(script);
    const bool done = !script->no_memory;
    base_free(script);
    return done;
}
