/**
 * Plots as SVG: an area with two axes, and what is drawn in it. Either within a page, as wide as
 * there is room and of fixed height, so that text keeps its size on every screen; or in a picture
 * (`picture.h`), at a place and with a width.
 *
 * Horizontal places are shares of the width, vertical ones pixels. Labels of axes stand outside the
 * area: in a page, in the padding of the box around it. Marks are the symbols `#m0` to `#m7` of
 * plot_symbols; a mark where the same style has one already is left out, so that a plot of any
 * number of records stays small. How things look is said in `plot.css`, whose colours follow the
 * reader's light or dark setting.
 */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/page/axis.h"

enum {
    PLOT_SERIES = 8,
    PLOT_NEUTRAL = PLOT_SERIES /* the colour of text */,
    PLOT_DASHES = 5,
    PLOT_HEIGHT = 300
};

/** The colours and dashes, for pages and pictures. */
extern const char plot_style_sheet[];

/** What marks are drawn with: `<defs>`, to be written once, within an `<svg>`. */
extern const char *const plot_symbols;

/** Set file, x and y, the rest to zero. */
struct plot {
    FILE *file;
    struct axis x;
    struct axis y;
    int rows; /**< instead of a y axis: so many rows, one below the other; y is then their number,
                 0.5 the middle of the first */
    double row_height;       /**< of these */
    double left, top, width; /**< in a picture; width 0: in a page */
    double height;           /**< of the area; 0: PLOT_HEIGHT, or that of the rows */
    bool dense;              /**< very many marks, to be drawn lightly */
    bool tells;      /**< of a picture: marks can be reached with the tab key, and have tips */
    uint16_t *taken; /**< private: cells with a mark, two bits per colour */
};

/** How a series is drawn: numbers below PLOT_SERIES, of the dashes below PLOT_DASHES. */
struct plot_style {
    int colour;
    int shape;
    bool hollow; /**< drawn as an outline: not a winner */
    int dash;
};

/** Widens the axes and writes them; false when memory is out, and nothing is written then. */
bool plot_begin(struct plot *plot, const char *description);

/** A line between two places, which is cut where it leaves the area. `class` is of `plot.css`. */
void plot_line(const struct plot *plot, const char *class, double x1, double y1, double x2,
               double y2);

/** The line of a series: likewise. */
void plot_curve(const struct plot *plot, struct plot_style style, double x1, double y1, double x2,
                double y2);

/** The line y = factor * x of a plot with two logarithmic axes, with a label near its upper end. */
void plot_diagonal(const struct plot *plot, double factor, const char *label);

/**
 * Begins a mark. Where it returns true, its tooltip has to be written, as markup_text() does, and
 * plot_mark_end() to be called.
 */
bool plot_mark(struct plot *plot, struct plot_style style, double x, double y);
void plot_mark_end(struct plot *plot);

/** A tip of what was written last, a mark or a told line, which shows above the area while that is
 * pointed at or focused. */
void plot_tip(const struct plot *plot, const char *text);

/** A line that is not seen, but tells what lies there. */
void plot_told_line(const struct plot *plot, double x1, double y1, double x2, double y2,
                    const char *text);

/** Begins the name of a row; its text has to be written, and plot_row_end() to be called. */
void plot_row(const struct plot *plot, int row);
void plot_row_end(const struct plot *plot);

/** Begins a bar of a plot with rows, from y on, `thick` rows thick, that ends at x. Its tooltip has
 * to be written, and plot_bar_end() to be called. */
void plot_bar(const struct plot *plot, int colour, double x, double y, double thick);
void plot_bar_end(const struct plot *plot);

/** A remark to the right of a place. */
void plot_value(const struct plot *plot, double x, double y, const char *text);

void plot_end(struct plot *plot);

/** Where a place lies, in pixels from the upper left corner of the area; x of a plot in a picture.
 */
double plot_across(const struct plot *plot, double x);
double plot_down(const struct plot *plot, double y);

#endif
