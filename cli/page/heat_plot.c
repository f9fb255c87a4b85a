#include "cli/page/heat_plot.h"

#include <math.h>

#include "cli/page/markup.h"
#include "cli/page/picture.h"

enum {
    WIDTH = 960,
    AREA_WIDTH = WIDTH - PICTURE_LEFT - PICTURE_RIGHT,
    TEXT = 160,
    KEY_WIDTH = 360,
    KEY_HEIGHT = 12,
    KEY_BELOW = 44,
    KEY_LABELS = 4
};

/** Least and greatest of what is there. */
struct range {
    double low, high;
};

/** From dark to light, evenly bright steps that people with colour blindness tell apart, on light
 * and dark ground. */
static const unsigned char ramp[][3] = {{68, 1, 84},    {65, 68, 135},  {42, 120, 142},
                                        {34, 168, 132}, {122, 209, 81}, {253, 231, 37}};

enum { RAMP = sizeof ramp / sizeof *ramp };

static void write_colour(FILE *file, int level) {
    const double at = (double)level / (HEAT_LEVELS - 1) * (RAMP - 1);
    const int below = at < RAMP - 1 ? (int)at : RAMP - 2;
    int colour[3];
    for (int c = 0; c < 3; c++)
        colour[c] =
            (int)lround(ramp[below][c] + (at - below) * (ramp[below + 1][c] - ramp[below][c]));
    fprintf(file, "fill=\"#%02x%02x%02x\"", (unsigned)colour[0], (unsigned)colour[1],
            (unsigned)colour[2]);
}

static struct range range_of(const struct heat_plot *plot) {
    struct range range = {INFINITY, -INFINITY};
    for (size_t c = 0; c < plot->rows * plot->columns; c++) {
        if (!isfinite(plot->cell[c])) continue;
        range.low = fmin(range.low, plot->cell[c]);
        range.high = fmax(range.high, plot->cell[c]);
    }
    if (range.low > range.high) range = (struct range){0, 0};
    return range;
}

/** The colour of a value; -1 where there is none. */
static int level_of(const struct range *range, double value) {
    if (!isfinite(value)) return -1;
    if (!(range->high > range->low)) return HEAT_LEVELS - 1;
    const int level = (int)((value - range->low) / (range->high - range->low) * HEAT_LEVELS);
    return level < HEAT_LEVELS ? level : HEAT_LEVELS - 1;
}

/** Where cell number `place` begins, which is half way from the one before; `count` places end
 * behind the last one. */
static double edge(const double at[], size_t count, size_t place) {
    if (count == 1) return at[0] * (place == 0 ? 0.95 : 1.05);
    if (place == 0) return fmax(0, at[0] - (at[1] - at[0]) / 2);
    if (place == count) return at[count - 1] + (at[count - 1] - at[count - 2]) / 2;
    return (at[place - 1] + at[place]) / 2;
}

/** Cells `first` to in front of `end` of a row, which have one colour. */
static void draw_run(const struct heat_plot *plot, const struct plot *area, size_t row,
                     size_t first, size_t end, int level) {
    const double left = plot_across(area, edge(plot->at_x, plot->columns, first)),
                 right = plot_across(area, edge(plot->at_x, plot->columns, end));
    const double bottom = plot_down(area, edge(plot->at_y, plot->rows, row)),
                 top = plot_down(area, edge(plot->at_y, plot->rows, row + 1));
    const double *cell = plot->cell + row * plot->columns;
    struct range range = {cell[first], cell[first]};
    char text[TEXT];
    for (size_t c = first; c < end; c++)
        range = (struct range){fmin(range.low, cell[c]), fmax(range.high, cell[c])};
    fprintf(area->file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" ", left, top,
            right - left, bottom - top);
    write_colour(area->file, level);
    fputs("><title>", area->file);
    snprintf(text, sizeof text, "%.20s %.6g to %.6g, %.20s %.6g: %.4g to %.4g %.20s", plot->x.title,
             plot->at_x[first], plot->at_x[end - 1], plot->y.title, plot->at_y[row], range.low,
             range.high, plot->value);
    markup_text(area->file, text);
    fputs("</title></rect>\n", area->file);
}

static void draw_cells(const struct heat_plot *plot, const struct plot *area,
                       const struct range *range) {
    fputs("<g shape-rendering=\"crispEdges\">\n", area->file);
    for (size_t row = 0; row < plot->rows; row++) {
        const double *cell = plot->cell + row * plot->columns;
        for (size_t first = 0; first < plot->columns;) {
            const int level = level_of(range, cell[first]);
            size_t end = first + 1;
            while (end < plot->columns && level_of(range, cell[end]) == level) end++;
            if (level >= 0) draw_run(plot, area, row, first, end, level);
            first = end;
        }
    }
    fputs("</g>\n", area->file);
}

/** The line, twice: light and wide below, dark and narrow above, so that it is seen on all colours.
 */
static void draw_line(const struct heat_plot *plot, const struct plot *area) {
    static const char *const strokes[] = {"#ffffff\" stroke-width=\"4.5",
                                          "#000000\" stroke-width=\"1.6"};
    for (size_t s = 0; s < sizeof strokes / sizeof *strokes; s++) {
        bool open = false;
        fprintf(area->file, "<path fill=\"none\" stroke=\"%s\" stroke-linejoin=\"round\" d=\"",
                strokes[s]);
        for (size_t c = 0; c < plot->columns; c++) {
            const bool known = isfinite(plot->line_y[c]);
            if (known)
                fprintf(area->file, "%c%.1f %.1f", open ? 'L' : 'M',
                        plot_across(area, plot->at_x[c]), plot_down(area, plot->line_y[c]));
            open = known;
        }
        fputs("\"/>\n", area->file);
    }
}

/** All colours side by side, with the values of some. */
static void write_key(FILE *file, const struct heat_plot *plot, const struct range *range,
                      double top) {
    for (int level = 0; level < HEAT_LEVELS; level++) {
        fprintf(
            file,
            "<rect x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%d\" shape-rendering=\"crispEdges\" ",
            PICTURE_LEFT + (double)KEY_WIDTH * level / HEAT_LEVELS, top,
            (double)KEY_WIDTH / HEAT_LEVELS + 0.05, KEY_HEIGHT);
        write_colour(file, level);
        fputs("/>", file);
    }
    for (int l = 0; l <= KEY_LABELS; l++) {
        const double share = (double)l / KEY_LABELS;
        fprintf(file, "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%.4g</text>",
                PICTURE_LEFT + KEY_WIDTH * share, top + KEY_HEIGHT + picture_line,
                range->low + share * (range->high - range->low));
    }
    fprintf(file, "<text class=\"axis\" x=\"%d\" y=\"%g\">", PICTURE_LEFT + KEY_WIDTH + 36,
            top + KEY_HEIGHT);
    markup_text(file, plot->value);
    if (plot->line) {
        fputs("; the line: ", file);
        markup_text(file, plot->line);
    }
    fputs("</text>\n", file);
}

bool heat_plot_print(FILE *file, const struct heat_plot *plot) {
    const struct range range = range_of(plot);
    const double key_top = PICTURE_TOP + HEAT_HEIGHT + PICTURE_BELOW;
    struct plot area = {.file = file,
                        .x = plot->x,
                        .y = plot->y,
                        .left = PICTURE_LEFT,
                        .top = PICTURE_TOP,
                        .width = AREA_WIDTH,
                        .height = HEAT_HEIGHT};
    area.x.span = (struct tcplan_span){0, edge(plot->at_x, plot->columns, plot->columns)};
    area.y.span = (struct tcplan_span){0, edge(plot->at_y, plot->rows, plot->rows)};
    picture_begin(file, WIDTH, key_top + KEY_BELOW, plot->title, plot->subtitle, false);
    if (!plot_begin(&area, "")) return false;
    draw_cells(plot, &area, &range);
    if (plot->line) draw_line(plot, &area);
    plot_end(&area);
    write_key(file, plot, &range, key_top);
    picture_end(file);
    return true;
}
