/**
 * How plots are drawn: what their parts have in common.
 *
 * Places across are shares of the width of the area, places down pixels, so that an area in a page
 * may have any width.
 */
#ifndef CLI_PAGE_DRAWING_H
#define CLI_PAGE_DRAWING_H

#include "cli/page/plot.h"

/** The width of a letter, at most on average, and the height of a line of text, in pixels. */
extern const double picture_letter, picture_line;

/** Where the first plot begins in a picture, below the title; and what the labels of an axis take
 * at its left and below. */
enum { PICTURE_TOP = 84, PICTURE_LEFT = 66, PICTURE_RIGHT = 24, PICTURE_BELOW = 56 };

/** Letters of the name of a row, of which the rest is left out. */
enum { ROW_NAME = 25 };

/** Begins a picture with a title and a second, paler line, both shortened to the width. One that is
 * embedded in a page has no style of its own, and follows the page's width. */
void picture_begin(FILE *file, double width, double height, const char *title, const char *subtitle,
                   bool embedded);
void picture_end(FILE *file);

/** Writes a `<text>` with attributes. */
void picture_text(FILE *file, const char *text, const char *attributes, ...)
    __attribute__((format(printf, 3, 4)));

/** Sets sizes and, unless it has them, the axes. */
void plot_prepare(struct plot *plot);

/** Where values lie: 0 to 1 from the left and from below. */
double plot_width_at(const struct plot *plot, double x);
double plot_height_at(const struct plot *plot, double y);

struct plot_style plot_mark_style(const struct plot *plot, const struct plot_mark *mark);

/** Takes the place of a mark, unless another of its style has it, or it is outside; places that are
 * bare need none. */
bool plot_takes(struct plot *plot, const struct plot_mark *mark);

/** Draws the area; `width` in pixels, 0: not known. False when memory is out. */
bool plot_draw(FILE *file, struct plot *plot, double width);

/** Of plots with cells: the ranges of the axes, the cells, and the key. `width` is that of the area
 * in pixels. */
void cells_set_ranges(struct plot *plot);
void cells_draw(FILE *file, const struct plot *plot, double width);
void cells_write_key(FILE *file, const struct plot *plot, double top);

enum { CELLS_KEY_HEIGHT = 44 };

#endif
