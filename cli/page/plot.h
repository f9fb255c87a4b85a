/**
 * Plots as data: two axes, series of marks, guides, bars or cells. The same code draws all plots as
 * a picture (an SVG document with a title and a key), within a page, or by gnuplot in a terminal.
 * `plot.css` has the styles, whose colours follow the reader's light or dark setting.
 */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "tcplan/study/digest.h"

/* Axes of plots: ranges, ticks, and positions of values. */

/** A short text, returned by value. */
struct plot_label {
    char text[24];
};

struct axis {
    const char *title; /**< NULL: none */
    struct tcplan_span span;
    bool linear; /**< from 0; otherwise logarithmic */
    struct plot_label (*label)(double value);
};

/** Widens the span to whole steps, on a logarithmic axis 1, 2 and 5 times a power of ten, so that
 * no value is at an end. */
void axis_widen(struct axis *axis);

/** Position of a value: 0 at the lower end, 1 at the upper. */
double axis_place(const struct axis *axis, double value);

struct tick {
    double value;
    bool labelled; /**< there is room for its label */
    bool minor;    /**< but not in a narrow plot */
};

enum { AXIS_TICKS = 400 };

/** Lists the ticks of a widened axis; returns their number. */
int axis_ticks(struct tick out[AXIS_TICKS], const struct axis *axis);

/** Labels of ticks: "10 ms"; "100 M", a number of operations; "2 MB"; "40 %", a share; "0.01". */
struct plot_label plot_label_seconds(double value);
struct plot_label plot_label_count(double value);
struct plot_label plot_label_bytes(double value);
struct plot_label plot_label_share(double value);
struct plot_label plot_label_number(double value);

/* Plots. */

enum {
    PLOT_SERIES = 8,
    PLOT_NEUTRAL = PLOT_SERIES /* the colour of text */,
    PLOT_DASHES = 5,
    PLOT_WIDTH = 960
};

/** The colours and dashes, for pages and pictures. */
extern const char plot_style_sheet[];

/** Symbols of marks: `<defs>`, to be written once, within an `<svg>`. */
extern const char *const plot_symbols;

/** Style of marks and lines: numbers below PLOT_SERIES, for dashes below PLOT_DASHES. */
struct plot_style {
    int colour;
    int shape;
    bool hollow; /**< drawn as an outline */
    int dash;
};

struct plot_series {
    const char *name; /**< in the key; NULL: no entry */
    struct plot_style style;
    bool line;   /**< lines connect the marks of the series in order */
    double band; /**< opacity of the area between `low` and `high`; 0: they end a thin line */
};

/** Returns the colour and shape of a series by its number; they repeat after PLOT_SERIES. */
struct plot_style plot_style_of(size_t number);

/** A mark at a position. Texts are borrowed. */
struct plot_mark {
    int series;
    double x, y;
    double low, high;  /**< interval of y; `high` 0: none */
    double reach;      /**< x where a thin line from the mark ends; 0: none */
    bool hollow;       /**< even if the series is not */
    bool bare;         /**< no visible mark, only a point of the line */
    bool apart;        /**< no line from the previous mark */
    const char *tip;   /**< NULL: none */
    const char *label; /**< written next to it if there is room; NULL: none */
    const char *note;  /**< text after the label and the value of y in a terminal's key; NULL: none
                        */
};

/** A guide: a line across the area. Guides that are added first are drawn on top, and labelled
 * first. */
struct plot_guide {
    const char *class; /**< of plot.css */
    double x1, y1, x2, y2;
    const char *tip;   /**< NULL: none */
    const char *label; /**< written along it if there is room; NULL: none */
    bool is_upright;   /**< over the whole height; y is ignored */
    bool from_end;     /**< the label is near its end, else near its start */
    const char *group; /**< in a terminal, a group has one entry; NULL: an entry of its own */
};

/** A bar of a plot with rows, from row y, `thick` rows thick, from 0 to x. */
struct plot_bar {
    int colour;
    double x, y, thick;
    const char *tip;   /**< NULL: no bar, only `value` */
    const char *value; /**< written at its end; NULL: none */
};

struct plot_row {
    const char *name, *tip; /**< NULL: none */
};

/** A quantity over a grid as colours, and a line over them. */
struct plot_cells {
    const char *value;      /**< meaning of the colours, with the unit: "GFLOP/s" */
    size_t columns;         /**< at least 1 */
    size_t rows;            /**< at least 1 */
    const double *at_x;     /**< of each column, increasing */
    const double *at_y;     /**< of each row, increasing */
    const double *value_at; /**< row by row, from the lowest y; NAN: no value */
    const char *line;       /**< name of the line; NULL: none */
    const double *line_y;   /**< of each column; NAN: a gap */
};

/** Set the public members, the rest to zero. Texts are borrowed. */
struct plot {
    const char *title;
    const char *subtitle;
    struct axis x, y;          /**< a span whose `high` is 0 is set from the data */
    const char *x_unit, *unit; /**< of x and of y, in a terminal */
    double width;              /**< of the picture; 0: PLOT_WIDTH */
    double height;             /**< of the area; 0: 420 */
    double row_height; /**< of a plot with rows instead of a y axis; y then counts rows, and 0.5 is
                          the middle of the first */
    bool embedded;     /**< in a page, which defines style and symbols */
    bool dense;        /**< very many marks, drawn lightly */
    bool is_still;     /**< no tips above the area */
    bool key_above;    /**< the key is above the area, else below */
    const struct plot_cells *cells; /**< NULL: none */

    /* Private. */
    struct arena arena; /**< owns the following members */
    bool failed;        /**< out of memory */
    bool has_axes;      /**< axes are widened to ticks */
    bool is_placed;     /**< marks reserved their positions when added */
    struct plot_series *series;
    struct plot_mark *mark;
    struct plot_guide *guide;
    struct plot_bar *bar;
    struct plot_row *row;
    int series_count;
    size_t mark_count, guide_count, bar_count, row_count;
    uint16_t *taken; /**< cells with a mark, two bits for each colour */
};

/** Formats a text that lives as long as the plot. */
const char *plot_text(struct plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a series and returns its number. Its name is borrowed. */
int plot_add_series(struct plot *plot, struct plot_series series);

/**
 * Adds a mark.
 *
 * @return the mark, valid until the next one is added; NULL: out of memory or, if both spans are
 * set, a mark of the same style is already at its position, so that plots with many marks stay
 * small
 */
struct plot_mark *plot_add_mark(struct plot *plot, struct plot_mark mark);

/** Adds a mark with a tip "NAME: Y UNIT (LOW to HIGH) at X"; a hollow one was moved there. */
void plot_add_place(struct plot *plot, struct plot_mark mark);

void plot_add_guide(struct plot *plot, struct plot_guide guide);

/** Adds a vertical guide at x with a tip, which is also its label if `is_labelled`. */
void plot_add_upright(struct plot *plot, const char *class, double x, const char *tip,
                      bool is_labelled);
void plot_add_bar(struct plot *plot, struct plot_bar bar);
void plot_add_row(struct plot *plot, struct plot_row row);

/** Frees a plot that is not printed. */
void plot_free(struct plot *plot);

/** Writes a picture of plots side by side, with the key of the first, and frees them; false: out of
 * memory. */
bool plot_print(FILE *file, struct plot plots[], size_t count);

/** Writes the area for a page with a flexible width and a fixed size of text, and frees the plot;
 * false: out of memory. `description` is for screen readers. */
bool plot_print_in_page(FILE *file, struct plot *plot, const char *description);

enum { PLOT_COLUMNS = 79 /* if the width is unknown */ };

/**
 * Writes a gnuplot script that draws the plot as text in a terminal, and frees the plot. The key
 * has an entry for each line and each guide or group of guides. Other marks have an entry each if
 * labelled, and one together for the rest. Control characters in texts are escaped.
 *
 * @param columns  of the terminal
 * @return false if out of memory
 */
bool plot_print_script(FILE *file, struct plot *plot, int columns);

#endif
