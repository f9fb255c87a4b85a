#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/page/drawing.h"
#include "cli/page/labels.h"
#include "cli/page/markup.h"

enum { MARK = 5, MARKS_APART = 1000, TITLE = 128 };

/* The label of a line that is steeper than this slope is horizontal and next to the line. */
#define UPRIGHT 1.4

/** State of drawing a plot. */
struct canvas {
    FILE *file;
    struct plot *plot;
    double width; /* width of the plot area in pixels; 0: unknown */
    struct labels labels;
};

/* Lines. */

/** A line segment, in values of the axes or in coordinates of the plot area. */
struct segment {
    double x1, y1, x2, y2;
};

/** Clips a line to the area, and converts it to coordinates: x as a fraction of the width, y in
 * pixels from the top. Returns false if no part of the line is visible. */
static bool cut(struct segment *line, const struct plot *plot) {
    const struct segment of = {plot_width_at(plot, line->x1), plot_height_at(plot, line->y1),
                               plot_width_at(plot, line->x2), plot_height_at(plot, line->y2)};
    const double dx = of.x2 - of.x1, dy = of.y2 - of.y1;
    const double move[] = {-dx, dx, -dy, dy};
    const double room[] = {of.x1, 1 - of.x1, of.y1, 1 - of.y1};
    double from = 0, to = 1;
    for (int side = 0; side < 4; side++) {
        if (move[side] < 0) from = fmax(from, room[side] / move[side]);
        if (move[side] > 0) to = fmin(to, room[side] / move[side]);
        if (move[side] == 0 && room[side] < 0) return false;
    }
    *line = (struct segment){of.x1 + from * dx, plot->height * (1 - of.y1 - from * dy),
                             of.x1 + to * dx, plot->height * (1 - of.y1 - to * dy)};
    return from < to;
}

static double across(const struct canvas *canvas, double x) {
    return canvas->width * plot_width_at(canvas->plot, x);
}

static double down(const struct canvas *canvas, double y) {
    return canvas->plot->height * (1 - plot_height_at(canvas->plot, y));
}

/** Writes the visible part of a line. Labels keep a distance of `half`, half the line's thickness;
 * 0: labels may cross the line. */
static void write_line(struct canvas *canvas, const char *class, struct segment at, double half) {
    const double width = canvas->width;
    if (!cut(&at, canvas->plot)) return;
    fprintf(canvas->file,
            "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>\n", class,
            100 * at.x1, at.y1, 100 * at.x2, at.y2);
    if (half > 0)
        labels_keep_off(&canvas->labels,
                        (struct strip){width * at.x1, at.y1, width * at.x2, at.y2, half});
}

/** Writes an element with a tooltip. In pictures, the tooltip's text also appears above the plot
 * area on hover or focus. */
static void __attribute__((format(printf, 4, 5)))
write_told(const struct canvas *canvas, const char *element, const char *tip,
           const char *attributes, ...) {
    const bool shows = canvas->width > 0 && !canvas->plot->is_still;
    va_list arguments;
    fprintf(canvas->file, "<%s ", element);
    va_start(arguments, attributes);
    vfprintf(canvas->file, attributes, arguments);
    va_end(arguments);
    fprintf(canvas->file, "%s><title>", shows ? " tabindex=\"0\"" : "");
    markup_text(canvas->file, tip);
    fprintf(canvas->file, "</title></%s>\n", element);
    if (shows)
        picture_text(canvas->file, tip, "class=\"tip\" x=\"100%%\" y=\"-28\" text-anchor=\"end\"");
}

/* Writes the horizontal axis. Plots with rows have its numbers at the top, because such a plot may
 * be long. */

static void write_x_axis(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    const bool has_rows = plot->row_height > 0;
    struct tick tick[AXIS_TICKS];
    const int count = axis_ticks(tick, &plot->x);
    char title[TITLE];
    for (int t = 0; t < count; t++) {
        const double place = 100 * axis_place(&plot->x, tick[t].value);
        fprintf(canvas->file,
                "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%g\"/>", place,
                place, plot->height);
        if (tick[t].labelled)
            picture_text(canvas->file, plot->x.label(tick[t].value).text,
                         "%sx=\"%.2f%%\" y=\"%g\" text-anchor=\"middle\"",
                         tick[t].minor ? "class=\"minor\" " : "", place,
                         has_rows ? -8 : plot->height + 18);
    }
    fprintf(canvas->file, "<line class=\"frame\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"%g\"/>\n",
            plot->height);
    if (has_rows && plot->x.title) {
        snprintf(title, sizeof title, "%s \xE2\x86\x92", plot->x.title);
        picture_text(canvas->file, title, "class=\"axis\" x=\"0\" y=\"-28\"");
    }
    if (!has_rows)
        picture_text(canvas->file, plot->x.title,
                     "class=\"axis\" x=\"50%%\" y=\"%g\" text-anchor=\"middle\"",
                     plot->height + 38);
}

static void write_y_axis(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    struct tick tick[AXIS_TICKS];
    const int count = axis_ticks(tick, &plot->y);
    char title[TITLE];
    snprintf(title, sizeof title, "\xE2\x86\x91 %s", plot->y.title);
    picture_text(canvas->file, title, "class=\"axis\" x=\"-50\" y=\"-16\"");
    for (int t = 0; t < count; t++) {
        const double place = down(canvas, tick[t].value);
        fprintf(canvas->file,
                "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", place,
                place);
        if (tick[t].labelled)
            picture_text(canvas->file, plot->y.label(tick[t].value).text,
                         "x=\"-8\" y=\"%.1f\" text-anchor=\"end\"", place + 4);
    }
    fprintf(canvas->file, "<line class=\"frame\" x1=\"0\" x2=\"100%%\" y1=\"%g\" y2=\"%g\"/>\n",
            plot->height, plot->height);
}

static void write_row_names(const struct canvas *canvas) {
    for (size_t r = 0; r < canvas->plot->row_count; r++) {
        const struct plot_row *row = &canvas->plot->row[r];
        fprintf(canvas->file, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">",
                down(canvas, (double)r + 0.5) + 4);
        if (row->tip) {
            fputs("<title>", canvas->file);
            markup_text(canvas->file, row->tip);
            fputs("</title>", canvas->file);
        }
        markup_shortened(canvas->file, row->name, ROW_NAME);
        fputs("</text>\n", canvas->file);
    }
}

/* Marks. */

/** Returns whether a line connects the previous mark to this one. */
static bool is_joined(const struct plot *plot, size_t m) {
    return m > 0 && !plot->mark[m].apart && plot->mark[m].series == plot->mark[m - 1].series;
}

/** Writes the area between the members `low` and `high` of the marks from `first` to before
 * `end`. */
static void write_band(const struct canvas *canvas, size_t first, size_t end) {
    const struct plot_mark *mark = canvas->plot->mark;
    const struct plot_series *series = &canvas->plot->series[mark[first].series];
    fprintf(canvas->file,
            "<polygon class=\"c%d\" fill=\"currentColor\" fill-opacity=\"%g\" points=\"",
            series->style.colour, series->band);
    for (size_t m = first; m < end; m++)
        fprintf(canvas->file, "%.1f,%.1f ", across(canvas, mark[m].x), down(canvas, mark[m].high));
    for (size_t m = end; m > first; m--)
        fprintf(canvas->file, "%.1f,%.1f ", across(canvas, mark[m - 1].x),
                down(canvas, mark[m - 1].low));
    fputs("\"/>\n", canvas->file);
}

static void draw_bands(const struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    for (size_t first = 0, end; first < plot->mark_count; first = end) {
        for (end = first + 1; end < plot->mark_count && is_joined(plot, end);) end++;
        if (plot->series[plot->mark[first].series].band > 0 && end > first + 1)
            write_band(canvas, first, end);
    }
}

static void draw_lines(struct canvas *canvas) {
    const struct plot *plot = canvas->plot;
    char class[32];
    for (size_t m = 1; m < plot->mark_count; m++) {
        const struct plot_mark *from = &plot->mark[m - 1], *to = &plot->mark[m];
        const struct plot_series *series = &plot->series[to->series];
        if (!series->line || !is_joined(plot, m)) continue;
        snprintf(class, sizeof class, "curve c%d d%d", series->style.colour, series->style.dash);
        const bool keep_off = m < MARKS_APART && !to->bare;
        write_line(canvas, class, (struct segment){from->x, from->y, to->x, to->y},
                   keep_off ? 1 : 0);
    }
}

static void draw_mark(struct canvas *canvas, const struct plot_mark *mark, bool keep_off) {
    struct plot *plot = canvas->plot;
    const struct plot_style style = plot_mark_style(plot, mark);
    const bool is_band = plot->series[mark->series].band > 0;
    char class[16];
    snprintf(class, sizeof class, "reach c%d", style.colour);
    if (mark->reach > 0)
        write_line(canvas, class, (struct segment){mark->x, mark->y, mark->reach, mark->y},
                   keep_off ? 1 : 0);
    if (mark->high > 0 && !is_band)
        write_line(canvas, class, (struct segment){mark->x, mark->low, mark->x, mark->high},
                   keep_off ? 1 : 0);
    if (mark->bare) return;
    const double x = across(canvas, mark->x), y = down(canvas, mark->y);
    if (keep_off) labels_keep_off(&canvas->labels, (struct strip){x - MARK, y, x + MARK, y, MARK});
    if (!plot->is_placed && !plot_takes(plot, mark)) return;
    write_told(canvas, "use", mark->tip ? mark->tip : "",
               "href=\"#m%d\" class=\"c%d%s%s\" x=\"%.2f%%\" y=\"%.1f\"", style.shape, style.colour,
               style.hollow ? " o" : "", plot->cells ? " on" : "",
               100 * plot_width_at(plot, mark->x), y);
}

static void draw_bar(const struct canvas *canvas, const struct plot_bar *bar) {
    const struct plot *plot = canvas->plot;
    const double end = 100 * axis_place(&plot->x, bar->x);
    if (bar->tip)
        write_told(canvas, "rect", bar->tip,
                   "class=\"bar c%d\" x=\"0\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"",
                   bar->colour, down(canvas, bar->y), end, bar->thick * plot->row_height);
    if (bar->value)
        picture_text(canvas->file, bar->value, "class=\"value\" x=\"%.2f%%\" y=\"%.1f\" dx=\"5\"",
                     end, down(canvas, bar->y + bar->thick / 2) + 4);
}

/** Draws a guide, and a wider invisible line that shows the guide's tooltip. */
static void draw_guide(struct canvas *canvas, const struct plot_guide *guide) {
    struct segment at = {guide->x1, guide->y1, guide->x2, guide->y2};
    write_line(canvas, guide->class, at, 2);
    if (guide->tip && cut(&at, canvas->plot))
        write_told(canvas, "line", guide->tip,
                   "class=\"told\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"",
                   100 * at.x1, at.y1, 100 * at.x2, at.y2);
}

/* The following functions place labels where there is room. */

static void write_label(const struct canvas *canvas, const char *class,
                        const struct label_place *place, const char *text) {
    char turn[32] = "";
    if (place->angle != 0)
        snprintf(turn, sizeof turn, " rotate(%.2f)", -place->angle * 57.29577951308232);
    picture_text(canvas->file, text,
                 "class=\"%s\" text-anchor=\"%s\" transform=\"translate(%.1f %.1f)%s\" dy=\"4\"",
                 class, place->ends ? "end" : "start", place->x, place->y, turn);
}

/** Returns the position of a text next to a line, at distance `along` from one of the line's
 * ends. */
static struct label_place place_along(const struct segment *line, double angle, double along,
                                      int side, bool from_end) {
    const double off = side * 0.75 * picture_line;
    const double x = from_end ? line->x2 - along * cos(angle) : line->x1 + along * cos(angle),
                 y = from_end ? line->y2 + along * sin(angle) : line->y1 - along * sin(angle);
    if (angle > UPRIGHT) return (struct label_place){.x = x + side * 5, .y = y, .ends = side < 0};
    return (struct label_place){
        .x = x - off * sin(angle), .y = y - off * cos(angle), .ends = from_end, .angle = angle};
}

/** Writes the label of a guide. In a page, whose width is unknown, the label is near the upper end,
 * where most room is. */
static void label_guide(struct canvas *canvas, const struct plot_guide *guide) {
    struct segment at = {guide->x1, guide->y1, guide->x2, guide->y2};
    char class[24];
    if (!guide->label || !cut(&at, canvas->plot)) return;
    if (!(canvas->width > 0)) {
        if (at.x2 - at.x1 > 0.15)
            picture_text(
                canvas->file, guide->label,
                "class=\"guide\" x=\"%.2f%%\" y=\"%.1f\" dx=\"-10\" dy=\"-2\" text-anchor=\"end\"",
                100 * (0.05 * at.x1 + 0.95 * at.x2), 0.05 * at.y1 + 0.95 * at.y2);
        return;
    }
    const char *colour = strstr(guide->class, " c");
    snprintf(class, sizeof class, "guide%s", colour ? colour : "");
    at.x1 *= canvas->width;
    at.x2 *= canvas->width;
    const double angle = atan2(at.y1 - at.y2, at.x2 - at.x1),
                 length = hypot(at.x2 - at.x1, at.y2 - at.y1),
                 width = picture_letter * (double)strlen(guide->label);
    const bool upright = angle > UPRIGHT;
    for (double along = upright ? picture_line : 8; along + (upright ? 0 : width) < length;
         along += upright ? picture_line : 12) {
        for (int side = 1; side >= -1; side -= 2) {
            const struct label_place place = place_along(&at, angle, along, side, guide->from_end);
            const struct strip strip = label_strip(&place, width, picture_line);
            if (!labels_take(&canvas->labels, &strip)) continue;
            write_label(canvas, class, &place, guide->label);
            return;
        }
    }
}

static void label_mark(struct canvas *canvas, const struct plot_mark *mark) {
    const double x = across(canvas, mark->x), y = down(canvas, mark->y);
    struct label_place place;
    char class[16];
    if (!mark->label) return;
    if (!labels_find(&canvas->labels, &place, x, y, picture_letter * (double)strlen(mark->label),
                     picture_line))
        return;
    snprintf(class, sizeof class, "c%d", plot_mark_style(canvas->plot, mark).colour);
    write_label(canvas, class, &place, mark->label);
    if (!place.is_remote) return;
    fprintf(canvas->file,
            "<line class=\"reach %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x, y, place.x, place.y);
}

/* The area. */

static void draw_area(struct canvas *canvas) {
    struct plot *plot = canvas->plot;
    write_x_axis(canvas);
    if (plot->row_height > 0) write_row_names(canvas);
    if (!(plot->row_height > 0)) write_y_axis(canvas);
    if (plot->cells) cells_draw(canvas->file, plot, canvas->width);
    for (size_t b = 0; b < plot->bar_count; b++) draw_bar(canvas, &plot->bar[b]);
    for (size_t g = plot->guide_count; g > 0; g--) draw_guide(canvas, &plot->guide[g - 1]);
    draw_bands(canvas);
    draw_lines(canvas);
    for (size_t m = 0; m < plot->mark_count; m++)
        draw_mark(canvas, &plot->mark[m], m < MARKS_APART);
    for (size_t g = 0; g < plot->guide_count; g++) label_guide(canvas, &plot->guide[g]);
    for (size_t m = 0; m < plot->mark_count; m++) label_mark(canvas, &plot->mark[m]);
}

bool plot_draw(FILE *file, struct plot *plot, double width) {
    struct canvas *canvas = plot->failed ? NULL : base_alloc_zero(1, sizeof *canvas);
    if (!canvas) return false;
    canvas->file = file;
    canvas->plot = plot;
    canvas->width = width;
    canvas->labels.width = width;
    canvas->labels.height = plot->height;
    draw_area(canvas);
    base_free(canvas);
    return !plot->failed;
}
