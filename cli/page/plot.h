/**
 * Plots as data: two axes, series of marks, lines across, bars or cells. All plots are drawn by the
 * same code, as a picture (an SVG document with a title and a key), within a page, or by gnuplot in
 * a terminal. The look is in `plot.css`, whose colours follow the reader's light or dark setting.
 */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "cli/page/axis.h"

enum {
    PLOT_SERIES = 8,
    PLOT_NEUTRAL = PLOT_SERIES /* the colour of text */,
    PLOT_DASHES = 5,
    PLOT_WIDTH = 960
};

/** The colours and dashes, for pages and pictures. */
extern const char plot_style_sheet[];

/** What marks are drawn with: `<defs>`, to be written once, within an `<svg>`. */
extern const char *const plot_symbols;

/** How marks and lines are drawn: numbers below PLOT_SERIES, of the dashes below PLOT_DASHES. */
struct plot_style {
    int colour;
    int shape;
    bool hollow; /**< drawn as an outline */
    int dash;
};

struct plot_series {
    const char *name; /**< in the key; NULL: it is not there */
    struct plot_style style;
    bool line;   /**< lines lead from each mark to the next one of the series in order */
    double band; /**< opacity of the area between `low` and `high`; 0: they end a thin line */
};

/** The colour and shape of a series by its number; they repeat after PLOT_SERIES. */
struct plot_style plot_style_of(size_t number);

/** A place with a mark. Texts are borrowed. */
struct plot_mark {
    int series;
    double x, y;
    double low, high;  /**< interval of y; `high` 0: none */
    double reach;      /**< x where a thin line from the mark ends; 0: none */
    bool hollow;       /**< even if the series is not */
    bool bare;         /**< no mark, but a place of the line */
    bool apart;        /**< no line leads here */
    const char *tip;   /**< NULL: none */
    const char *label; /**< written next to it if there is room; NULL: none */
    const char *note;  /**< in a terminal, behind the label and y; NULL: nothing */
};

/** A line across the area. Those added first are drawn on top, and labelled first. */
struct plot_guide {
    const char *class; /**< of plot.css */
    double x1, y1, x2, y2;
    const char *tip;   /**< NULL: none */
    const char *label; /**< written along it if there is room; NULL: none */
    bool is_upright;   /**< over the whole height, whatever y is */
    bool from_end;     /**< the label is near its end, else near its beginning */
    const char *group; /**< in a terminal lines of a group are one entry; NULL: it is its own */
};

/** A bar of a plot with rows, from y on, `thick` rows thick, that ends at x. */
struct plot_bar {
    int colour;
    double x, y, thick;
    const char *tip;   /**< NULL: there is no bar, but `value` */
    const char *value; /**< written at its end; NULL: nothing */
};

struct plot_row {
    const char *name, *tip; /**< NULL: none */
};

/** A quantity over a grid as colours, and a line over them. */
struct plot_cells {
    const char *value;      /**< what the colours mean, with its unit: "GFLOP/s" */
    size_t columns;         /**< at least 1 */
    size_t rows;            /**< likewise */
    const double *at_x;     /**< of each column, rising */
    const double *at_y;     /**< of each row, rising */
    const double *value_at; /**< row by row, from the lowest y on; NAN: nothing is there */
    const char *line;       /**< what the line is; NULL: there is none */
    const double *line_y;   /**< of each column; NAN: it has a gap there */
};

/** Set what is public, the rest to zero. Texts are borrowed. */
struct plot {
    const char *title;
    const char *subtitle;
    struct axis x, y;          /**< a span whose `high` is 0 becomes that of the data */
    const char *x_unit, *unit; /**< of x and of y, in a terminal */
    double width;              /**< of the picture; 0: PLOT_WIDTH */
    double height;             /**< of the area; 0: 420 */
    double row_height; /**< of a plot with rows instead of a y axis; y is then their number, 0.5 the
                          middle of the first */
    bool embedded;     /**< in a page, which has the style and the symbols */
    bool dense;        /**< very many marks, to be drawn lightly */
    bool is_still;     /**< marks have no tips that show in the picture */
    bool key_above;    /**< the key is above the area, else below */
    const struct plot_cells *cells; /**< NULL: none */

    /* Private. */
    struct arena arena; /**< has all that follows */
    bool failed;        /**< memory was out */
    bool has_axes;      /**< they are widened to ticks */
    bool is_placed;     /**< marks took their places when they were added */
    struct plot_series *series;
    struct plot_mark *mark;
    struct plot_guide *guide;
    struct plot_bar *bar;
    struct plot_row *row;
    int series_count;
    size_t mark_count, guide_count, bar_count, row_count;
    uint16_t *taken; /**< cells with a mark, two bits for each colour */
};

/** A text that lives as long as the plot. */
const char *plot_text(struct plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a series and returns its number. Its name is borrowed. */
int plot_add_series(struct plot *plot, struct plot_series series);

/**
 * Adds a mark.
 *
 * @return it, until the next one is added; NULL where memory is out or, if both spans are set,
 *         where the same style has one at its place already, so that a plot of any number of marks
 *         stays small
 */
struct plot_mark *plot_add_mark(struct plot *plot, struct plot_mark mark);

/** Adds a mark whose tip tells its place: "NAME: Y UNIT (LOW to HIGH) at X"; a hollow one was moved
 * there. */
void plot_add_place(struct plot *plot, struct plot_mark mark);

void plot_add_guide(struct plot *plot, struct plot_guide guide);

/** Adds a guide upwards at x with a tip, which is also its label if `is_labelled`. */
void plot_add_upright(struct plot *plot, const char *class, double x, const char *tip,
                      bool is_labelled);
void plot_add_bar(struct plot *plot, struct plot_bar bar);
void plot_add_row(struct plot *plot, struct plot_row row);

/** For a plot that is not printed. */
void plot_free(struct plot *plot);

/** Writes a picture with plots side by side, whose key is that of the first, and frees them; false
 * when memory is out. */
bool plot_print(FILE *file, struct plot plots[], size_t count);

/** Writes the area for a page, as wide as there is room, so that text keeps its size on every
 * screen, and frees the plot; likewise. `description` is for those who do not see it. */
bool plot_print_in_page(FILE *file, struct plot *plot, const char *description);

enum { PLOT_COLUMNS = 79 /* where nothing else is known */ };

/**
 * Writes a script for gnuplot that draws the plot with letters, for terminals, and frees it.
 * Guides have an entry in its key each, or one for their group, and so has each line. Of other
 * marks those with labels have one each, and the rest one together. Texts are shown as a terminal
 * can show them.
 *
 * @param columns  of the terminal
 * @return false when memory is out
 */
bool plot_print_script(FILE *file, struct plot *plot, int columns);

#endif
