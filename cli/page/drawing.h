/**
 * Definitions shared by the files that draw plots. Horizontal positions are fractions of the plot
 * area's width, vertical positions are pixels, so that the area in a page may have any width.
 */
#ifndef CLI_PAGE_DRAWING_H
#define CLI_PAGE_DRAWING_H

#include "cli/page/plot.h"

/** An upper bound of the average width of a letter, and the height of a line of text, in pixels. */
extern const double picture_letter, picture_line;

/** Pixels from the top of a picture to its first plot, and for the labels of axes. */
enum { PICTURE_TOP = 84, PICTURE_LEFT = 66, PICTURE_RIGHT = 24, PICTURE_BELOW = 56 };

/** Names of rows are truncated to this many letters. */
enum { ROW_NAME = 25 };

/** Begins a picture with a title and a subtitle, both truncated to the width. A picture in a page
 * uses the page's style and width. */
void picture_begin(FILE *file, double width, double height, const char *title, const char *subtitle,
                   bool embedded);
void picture_end(FILE *file);

/** Writes a `<text>` with attributes. */
void picture_text(FILE *file, const char *text, const char *attributes, ...)
    __attribute__((format(printf, 3, 4)));

/** Sets the size of a plot, and its axes if they are not set. */
void plot_prepare(struct plot *plot);

/** Return the position of a value on an axis, as a fraction from the left or from the bottom. */
double plot_width_at(const struct plot *plot, double x);
double plot_height_at(const struct plot *plot, double y);

struct plot_style plot_mark_style(const struct plot *plot, const struct plot_mark *mark);

/** Reserves the position of a mark. Returns false if the position is outside the plot area, or
 * another mark of the same style is there. Marks that are not drawn need no position. */
bool plot_takes(struct plot *plot, const struct plot_mark *mark);

/** Draws the plot area with the given width in pixels (0: unknown). Returns false if memory runs
 * out. */
bool plot_draw(FILE *file, struct plot *plot, double width);

/** For plots with cells: these functions set the ranges of the axes, draw the cells, and draw the
 * key. `width` is the width of the plot area in pixels. */
void cells_set_ranges(struct plot *plot);
void cells_draw(FILE *file, const struct plot *plot, double width);
void cells_write_key(FILE *file, const struct plot *plot, double top);

enum { CELLS_KEY_HEIGHT = 44 };

#endif
