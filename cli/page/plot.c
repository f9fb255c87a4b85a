#include "cli/page/plot.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cli/page/markup.h"

enum { CELLS_ACROSS = 400, CELLS_DOWN = 300 };

const char *const plot_symbols =
    "<defs>\n"
    "<circle id=\"m0\" r=\"4.2\"/><path id=\"m1\" d=\"M-4-4h8v8h-8z\"/><path id=\"m2\" d=\"M0-5.2 5 3.8H-5z\"/>"
    "<path id=\"m3\" d=\"M0-5.4 5.4 0 0 5.4-5.4 0z\"/><path id=\"m4\" d=\"M0 5.2-5-3.8H5z\"/><path id=\"m5\" d=\"M-5-2h10v4h-10z\"/>"
    "<path id=\"m6\" d=\"M-2-5h4v10h-4z\"/><circle id=\"m7\" r=\"3\"/>\n"
    "</defs>\n";

/** Of the upper end, 0 to 1. */
static double height_of(const struct plot *plot, double y) {
    return plot->rows > 0 ? 1 - y / plot->rows : axis_place(&plot->y, y);
}

double plot_across(const struct plot *plot, double x) {
    return plot->width * axis_place(&plot->x, x);
}

double plot_down(const struct plot *plot, double y) {
    return plot->height * (1 - height_of(plot, y));
}

/* Axes. */

/** Rows have their numbers above them, as there may be many. */
static void write_x_tick(const struct plot *plot, const struct tick *tick) {
    const double place = 100 * axis_place(&plot->x, tick->value);
    fprintf(plot->file, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%g\"/>",
            place, place, plot->height);
    if (!tick->labelled) return;
    fprintf(plot->file, "<text%s x=\"%.2f%%\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
            tick->minor ? " class=\"minor\"" : "", place, plot->rows > 0 ? -8 : plot->height + 18,
            plot->x.label(tick->value).text);
}

static void write_y_tick(const struct plot *plot, const struct tick *tick) {
    const double place = plot_down(plot, tick->value);
    fprintf(plot->file, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
            place, place);
    if (!tick->labelled) return;
    fprintf(plot->file, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", place + 4,
            plot->y.label(tick->value).text);
}

static void write_titles(const struct plot *plot) {
    if (plot->rows > 0) {
        if (plot->x.title)
            fprintf(plot->file, "<text class=\"axis\" x=\"0\" y=\"-28\">%s \xE2\x86\x92</text>\n",
                    plot->x.title);
        return;
    }
    fprintf(plot->file,
            "<text class=\"axis\" x=\"50%%\" y=\"%g\" text-anchor=\"middle\">%s</text>\n",
            plot->height + 38, plot->x.title);
    fprintf(plot->file, "<text class=\"axis\" x=\"-50\" y=\"-16\">\xE2\x86\x91 %s</text>\n",
            plot->y.title);
}

static void write_axes(const struct plot *plot) {
    struct tick tick = {0};
    for (bool more = axis_next_tick(&plot->x, &tick, false); more;
         more = axis_next_tick(&plot->x, &tick, true))
        write_x_tick(plot, &tick);
    fprintf(plot->file, "<line class=\"frame\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"%g\"/>\n",
            plot->height);
    write_titles(plot);
    if (plot->rows > 0) return;
    for (bool more = axis_next_tick(&plot->y, &tick, false); more;
         more = axis_next_tick(&plot->y, &tick, true))
        write_y_tick(plot, &tick);
    fprintf(plot->file, "<line class=\"frame\" x1=\"0\" x2=\"100%%\" y1=\"%g\" y2=\"%g\"/>\n",
            plot->height, plot->height);
}

bool plot_begin(struct plot *plot, const char *description) {
    const char *kind = plot->dense ? "area dense" : "area";
    plot->taken = base_alloc_zero((size_t)CELLS_ACROSS * CELLS_DOWN, sizeof *plot->taken);
    if (!plot->taken) return false;
    if (plot->rows > 0) plot->height = plot->rows * plot->row_height;
    if (!(plot->height > 0)) plot->height = PLOT_HEIGHT;
    axis_widen(&plot->x);
    if (plot->rows == 0) axis_widen(&plot->y);
    if (plot->width > 0) {
        fprintf(
            plot->file,
            "<svg class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" overflow=\"visible\">\n",
            kind, plot->left, plot->top, plot->width, plot->height);
    } else {
        fprintf(
            plot->file,
            "<div class=\"box%s\"><svg class=\"%s\" role=\"img\" aria-label=\"%s\" width=\"100%%\" height=\"%g\">\n",
            plot->rows > 0 ? " rows" : "", kind, description, plot->height);
    }
    write_axes(plot);
    return true;
}

void plot_end(struct plot *plot) {
    fputs(plot->width > 0 ? "</svg>\n" : "</svg></div>\n", plot->file);
    free(plot->taken);
    plot->taken = NULL;
}

/* Lines. */

/** In shares of width and height, y upwards. */
struct segment {
    double x1, y1, x2, y2;
};

/** The part within the area; false where there is none. */
static bool cut(struct segment *segment) {
    const double dx = segment->x2 - segment->x1, dy = segment->y2 - segment->y1;
    const double move[] = {-dx, dx, -dy, dy};
    const double room[] = {segment->x1, 1 - segment->x1, segment->y1, 1 - segment->y1};
    double from = 0, to = 1;
    for (int side = 0; side < 4; side++) {
        if (move[side] < 0) from = fmax(from, room[side] / move[side]);
        if (move[side] > 0) to = fmin(to, room[side] / move[side]);
        if (move[side] == 0 && room[side] < 0) return false;
    }
    if (!(from < to)) return false;
    *segment = (struct segment){segment->x1 + from * dx, segment->y1 + from * dy,
                                segment->x1 + to * dx, segment->y1 + to * dy};
    return true;
}

static struct segment segment_of(const struct plot *plot, double x1, double y1, double x2,
                                 double y2) {
    return (struct segment){axis_place(&plot->x, x1), height_of(plot, y1), axis_place(&plot->x, x2),
                            height_of(plot, y2)};
}

static void write_segment(const struct plot *plot, const char *class,
                          const struct segment *segment) {
    fprintf(plot->file,
            "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"/>\n", class,
            100 * segment->x1, plot->height * (1 - segment->y1), 100 * segment->x2,
            plot->height * (1 - segment->y2));
}

void plot_line(const struct plot *plot, const char *class, double x1, double y1, double x2,
               double y2) {
    struct segment segment = segment_of(plot, x1, y1, x2, y2);
    if (cut(&segment)) write_segment(plot, class, &segment);
}

void plot_curve(const struct plot *plot, struct plot_style style, double x1, double y1, double x2,
                double y2) {
    char class[32];
    snprintf(class, sizeof class, "curve c%d d%d", style.colour, style.dash);
    plot_line(plot, class, x1, y1, x2, y2);
}

void plot_diagonal(const struct plot *plot, double factor, const char *label) {
    const double low = plot->x.span.low, high = plot->x.span.high;
    struct segment segment = segment_of(plot, low, factor * low, high, factor * high);
    if (!cut(&segment)) return;
    write_segment(plot, "guide", &segment);
    if (segment.x2 - segment.x1 < 0.15) return;
    fprintf(
        plot->file,
        "<text class=\"guide\" x=\"%.2f%%\" y=\"%.1f\" dx=\"-10\" dy=\"-2\" text-anchor=\"end\">%s</text>\n",
        100 * (0.05 * segment.x1 + 0.95 * segment.x2),
        plot->height * (1 - 0.05 * segment.y1 - 0.95 * segment.y2), label);
}

/* Marks. */

/** Whether no mark of this colour is in this cell yet; from now on there is one. */
static bool take_cell(struct plot *plot, struct plot_style style, double across, double height) {
    const int column = (int)(across * (CELLS_ACROSS - 1)), row = (int)(height * (CELLS_DOWN - 1));
    uint16_t *cell = &plot->taken[row * CELLS_ACROSS + column];
    const uint16_t bit = (uint16_t)(1U << (2 * style.colour + style.hollow));
    if (*cell & bit) return false;
    *cell |= bit;
    return true;
}

bool plot_mark(struct plot *plot, struct plot_style style, double x, double y) {
    const double across = axis_place(&plot->x, x), height = height_of(plot, y);
    if (!(across >= 0 && across <= 1 && height >= 0 && height <= 1)) return false;
    if (!take_cell(plot, style, across, height)) return false;
    fprintf(plot->file, "<use href=\"#m%d\" class=\"c%d%s\"%s x=\"%.2f%%\" y=\"%.1f\"><title>",
            style.shape, style.colour, style.hollow ? " o" : "",
            plot->tells ? " tabindex=\"0\"" : "", 100 * across, plot->height * (1 - height));
    return true;
}

void plot_mark_end(struct plot *plot) {
    fputs("</title></use>\n", plot->file);
}

/* Tips. */

void plot_tip(const struct plot *plot, const char *text) {
    fputs("<text class=\"tip\" x=\"100%\" y=\"-28\" text-anchor=\"end\">", plot->file);
    markup_text(plot->file, text);
    fputs("</text>\n", plot->file);
}

void plot_told_line(const struct plot *plot, double x1, double y1, double x2, double y2,
                    const char *text) {
    struct segment segment = segment_of(plot, x1, y1, x2, y2);
    if (!cut(&segment)) return;
    fprintf(
        plot->file,
        "<line class=\"told\" tabindex=\"0\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" y2=\"%.1f\"><title>",
        100 * segment.x1, plot->height * (1 - segment.y1), 100 * segment.x2,
        plot->height * (1 - segment.y2));
    markup_text(plot->file, text);
    fputs("</title></line>", plot->file);
    plot_tip(plot, text);
}

/* Rows. */

void plot_row(const struct plot *plot, int row) {
    fprintf(plot->file, "<text x=\"-8\" y=\"%.1f\" text-anchor=\"end\">",
            plot_down(plot, row + 0.5) + 4);
}

void plot_row_end(const struct plot *plot) {
    fputs("</text>\n", plot->file);
}

void plot_bar(const struct plot *plot, int colour, double x, double y, double thick) {
    fprintf(plot->file,
            "<rect class=\"bar c%d\" x=\"0\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\"><title>",
            colour, plot_down(plot, y), 100 * axis_place(&plot->x, x), thick * plot->row_height);
}

void plot_bar_end(const struct plot *plot) {
    fputs("</title></rect>", plot->file);
}

void plot_value(const struct plot *plot, double x, double y, const char *text) {
    fprintf(plot->file, "<text class=\"value\" x=\"%.2f%%\" y=\"%.1f\" dx=\"5\">",
            100 * axis_place(&plot->x, x), plot_down(plot, y) + 4);
    markup_text(plot->file, text);
    fputs("</text>\n", plot->file);
}
