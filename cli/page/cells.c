#include <math.h>

#include "cli/page/drawing.h"
#include "cli/page/markup.h"

enum { LEVELS = 24, KEY_WIDTH = 360, KEY_HEIGHT = 12, KEY_LABELS = 4, TEXT = 192 };

/** Colours of a scale, from dark to light in even steps of brightness, for readers with any colour
 * vision, on light and dark backgrounds. */
static const unsigned char ramp[][3] = {{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                                        {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};

enum { RAMP = sizeof ramp / sizeof *ramp };

static void write_colour(FILE *file, int level) {
    const double at = (double)level / (LEVELS - 1) * (RAMP - 1);
    const int below = at < RAMP - 1 ? (int)at : RAMP - 2;
    fputs("fill=\"#", file);
    for (int c = 0; c < 3; c++) {
        const double low = ramp[below][c], high = ramp[below + 1][c];
        fprintf(file, "%02x", (unsigned)lround(low + (at - below) * (high - low)));
    }
    fputs("\"", file);
}

/** Returns the smallest and largest value of cells `first` to before `end`. */
static struct tcplan_span range_of(const struct plot_cells *cells, size_t first, size_t end) {
    struct tcplan_span range = {INFINITY, -INFINITY};
    for (size_t c = first; c < end; c++) {
        if (!isfinite(cells->value_at[c])) continue;
        range.low = fmin(range.low, cells->value_at[c]);
        range.high = fmax(range.high, cells->value_at[c]);
    }
    return range.low > range.high ? (struct tcplan_span){0, 0} : range;
}

/** Returns the number of the colour for a value; -1 for a missing value. */
static int level_of(const struct tcplan_span *range, double value) {
    if (!isfinite(value)) return -1;
    if (!(range->high > range->low)) return LEVELS - 1;
    const int level = (int)((value - range->low) / (range->high - range->low) * LEVELS);
    return level < LEVELS ? level : LEVELS - 1;
}

/** Returns the coordinate where cell number `place` starts: unless given, the middle between the
 * positions of this cell and the previous one. For `place` = `count`, returns the end of the last
 * cell. */
static double edge(const double given[], const double at[], size_t count, size_t place) {
    if (given) return given[place];
    if (count == 1) return at[0] * (place == 0 ? 0.95 : 1.05);
    if (place == 0) return fmax(0, at[0] - (at[1] - at[0]) / 2);
    if (place == count) return at[count - 1] + (at[count - 1] - at[count - 2]) / 2;
    return (at[place - 1] + at[place]) / 2;
}

void cells_set_ranges(struct plot *plot) {
    const struct plot_cells *cells = plot->cells;
    plot->x.span.high = edge(cells->edge_x, cells->at_x, cells->columns, cells->columns);
    plot->y.span.high = edge(cells->edge_y, cells->at_y, cells->rows, cells->rows);
}

/** Draws the cells of a row from `first` to before `end`, which have the same colour. */
static void draw_run(FILE *file, const struct plot *plot, double width, size_t row, size_t first,
                     size_t end, int level) {
    const struct plot_cells *cells = plot->cells;
    const double left = width * plot_width_at(
                                    plot, edge(cells->edge_x, cells->at_x, cells->columns, first)),
                 right = width *
                         plot_width_at(plot, edge(cells->edge_x, cells->at_x, cells->columns, end));
    const double bottom =
                     1 - plot_height_at(plot, edge(cells->edge_y, cells->at_y, cells->rows, row)),
                 top = 1 -
                       plot_height_at(plot, edge(cells->edge_y, cells->at_y, cells->rows, row + 1));
    const struct tcplan_span range =
        range_of(cells, row * cells->columns + first, row * cells->columns + end);
    char text[TEXT];
    const double from = cells->edge_x ? cells->edge_x[first] : cells->at_x[first],
                 to = cells->edge_x ? cells->edge_x[end] : cells->at_x[end - 1];
    char high[32] = "";
    if (range.high > range.low) snprintf(high, sizeof high, " to %.4g", range.high);
    snprintf(text, sizeof text, "%.20s %.6g to %.6g, %.20s %.6g: %.4g%s %.40s", plot->x.title, from,
             to, plot->y.title, cells->at_y[row], range.low, high, cells->value);
    fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", left,
            plot->height * top, right - left, plot->height * (bottom - top));
    write_colour(file, level);
    fputs("><title>", file);
    markup_text(file, text);
    fputs("</title></rect>\n", file);
}

/** Draws the line twice, light and wide below dark and narrow, so that it is visible on all
 * colours. */
static void draw_line(FILE *file, const struct plot *plot, double width) {
    static const char *const strokes[] = {"#ffffff\" stroke-width=\"4.5",
                                          "#000000\" stroke-width=\"1.6"};
    const struct plot_cells *cells = plot->cells;
    for (size_t s = 0; s < sizeof strokes / sizeof *strokes; s++) {
        bool open = false;
        fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-linejoin=\"round\" d=\"",
                strokes[s]);
        for (size_t c = 0; c < cells->columns; c++) {
            const bool known = isfinite(cells->line_y[c]);
            if (known)
                fprintf(file, "%c%.1f %.1f", open ? 'L' : 'M',
                        width * plot_width_at(plot, cells->at_x[c]),
                        plot->height * (1 - plot_height_at(plot, cells->line_y[c])));
            open = known;
        }
        fputs("\"/>\n", file);
    }
}

void cells_draw(FILE *file, const struct plot *plot, double width) {
    const struct plot_cells *cells = plot->cells;
    const struct tcplan_span range = range_of(cells, 0, cells->rows * cells->columns);
    fputs("<g shape-rendering=\"crispEdges\">\n", file);
    for (size_t row = 0; row < cells->rows; row++) {
        const double *value = cells->value_at + row * cells->columns;
        for (size_t first = 0, end; first < cells->columns; first = end) {
            const int level = level_of(&range, value[first]);
            for (end = first + 1; end < cells->columns && level_of(&range, value[end]) == level;)
                end++;
            if (level >= 0) draw_run(file, plot, width, row, first, end, level);
        }
    }
    fputs("</g>\n", file);
    if (cells->line) draw_line(file, plot, width);
}

void cells_write_key(FILE *file, const struct plot *plot, double top) {
    const struct plot_cells *cells = plot->cells;
    const struct tcplan_span range = range_of(cells, 0, cells->rows * cells->columns);
    char text[TEXT];
    for (int level = 0; level < LEVELS; level++) {
        fprintf(
            file,
            "<rect x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%d\" shape-rendering=\"crispEdges\" ",
            PICTURE_LEFT + (double)KEY_WIDTH * level / LEVELS, top,
            (double)KEY_WIDTH / LEVELS + 0.05, KEY_HEIGHT);
        write_colour(file, level);
        fputs("/>", file);
    }
    for (int l = 0; l <= KEY_LABELS; l++) {
        const double share = (double)l / KEY_LABELS;
        snprintf(text, sizeof text, "%.4g", range.low + share * (range.high - range.low));
        picture_text(file, text, "x=\"%.1f\" y=\"%g\" text-anchor=\"middle\"",
                     PICTURE_LEFT + KEY_WIDTH * share, top + KEY_HEIGHT + picture_line);
    }
    snprintf(text, sizeof text, "%s%s%s", cells->value, cells->line ? "; line: " : "",
             cells->line ? cells->line : "");
    picture_text(file, text, "class=\"axis\" x=\"%d\" y=\"%g\"", PICTURE_LEFT + KEY_WIDTH + 36,
                 top + KEY_HEIGHT);
}
