/**
 * Plots as data: two axes, series of marks, guides, bars or cells. The same code draws every plot
 * as a picture (an SVG document with a title and a key), within a page, or by gnuplot in a
 * terminal. `plot.css` has the styles, whose colours follow the reader's light or dark setting.
 */
#ifndef CLI_PAGE_PLOT_H
#define CLI_PAGE_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "tcplan/study/digest.h"

/** A short text, returned by value. */
struct plot_label {
    char text[24];
};

struct axis {
    const char *title; /**< title of the axis; NULL: none */
    struct tcplan_span span;
    bool linear;    /**< whether the axis is linear and begins at 0; otherwise it is logarithmic */
    bool from_data; /**< whether the axis begins near the smallest value if all values are in the
                       upper half of a linear axis from 0 */
    bool is_signed; /**< whether values may be negative or 0; only for linear axes */
    struct plot_label (*label)(double value);
};

/** Extends the range to whole steps, on a logarithmic axis to 1, 2 or 5 times a power of ten, so
 * that no value is at an end. */
void axis_widen(struct axis *axis);

/** Returns the position of a value: 0 at the lower end, 1 at the upper end. */
double axis_place(const struct axis *axis, double value);

struct tick {
    double value;
    bool labelled; /**< whether there is room for the label */
    bool minor;    /**< whether the label is omitted in a narrow plot */
};

enum { AXIS_TICKS = 400 };

/** Lists the ticks of a widened axis; returns their number. */
int axis_ticks(struct tick out[AXIS_TICKS], const struct axis *axis);

/** Return labels of ticks, such as "10 ms" (seconds), "100 M" (operations), "2 MB" (bytes), "40 %"
 * (a share) or "0.01". */
struct plot_label plot_label_seconds(double value);
struct plot_label plot_label_count(double value);
struct plot_label plot_label_bytes(double value);
struct plot_label plot_label_share(double value);
struct plot_label plot_label_number(double value);

/* Plots. */

enum {
    PLOT_SERIES = 8,
    PLOT_NEUTRAL = PLOT_SERIES /* number of the colour that is that of text */,
    PLOT_DOT = PLOT_SERIES /* number of the smallest shape */,
    PLOT_DASHES = 5,
    PLOT_WIDTH = 960
};

/** CSS that defines colours and dashes, for pages and pictures. */
extern const char plot_style_sheet[];

/** SVG that defines the symbols of marks: a `<defs>`, to be written once within an `<svg>`. */
extern const char *const plot_symbols;

/** Style of marks and lines: numbers of colour and shape below PLOT_SERIES (or PLOT_NEUTRAL and
 * PLOT_DOT), and number of dashes below PLOT_DASHES. */
struct plot_style {
    int colour;
    int shape;
    bool hollow; /**< whether marks are drawn as outlines */
    int dash;
};

struct plot_series {
    const char *name; /**< name in the key; NULL: not in the key */
    struct plot_style style;
    bool line;   /**< whether lines connect the marks in order */
    double band; /**< opacity of the area between `low` and `high`; 0: a thin line connects them */
};

/** Returns the style of a series by its number. Colours repeat after PLOT_SERIES series, with other
 * shapes and dashes. */
struct plot_style plot_style_of(size_t number);

/** A mark at a position; its texts are borrowed. */
struct plot_mark {
    int series;
    double x, y;
    double low, high; /**< interval of y; no interval if `high` is 0 */
    double reach;     /**< x at which a thin horizontal line from the mark ends; 0: no line */
    bool hollow; /**< whether this mark is an outline, even if the marks of its series are filled */
    bool bare;   /**< whether there is no mark, only the line through this point */
    bool apart;  /**< whether there is no line from the previous mark */
    const char *tip;   /**< tooltip; NULL: none */
    const char *label; /**< text next to the mark if there is room; NULL: no text */
    const char *note;  /**< text in the key of a terminal, after the label and the value of y; NULL:
                          no text */
};

/** A line across the area. Guides that are added first are drawn on top, and labelled first. */
struct plot_guide {
    const char *class; /**< class in plot.css */
    double x1, y1, x2, y2;
    const char *tip;   /**< tooltip; NULL: none */
    const char *label; /**< text along the line if there is room; NULL: no text */
    bool is_upright;   /**< whether the guide is vertical; y is then ignored */
    bool from_end;     /**< whether the label is near the end of the guide, not its start */
    const char *group; /**< group whose guides share one entry in a terminal's key; NULL: the guide
                          has its own entry */
};

/** A bar in a plot with rows: from row y, `thick` rows thick, from 0 to x. */
struct plot_bar {
    int colour;
    double x, y, thick;
    const char *tip;   /**< tooltip of the bar; NULL: no bar, only `value` */
    const char *value; /**< text at the end of the bar; NULL: no text */
};

struct plot_row {
    const char *name, *tip; /**< name and tooltip of the row; NULL: none */
};

/** Values over a grid, drawn as colours, and a line over them. */
struct plot_cells {
    const char *value;    /**< meaning and unit of the colours, such as "GFLOP/s" */
    size_t columns;       /**< number of columns, at least 1 */
    size_t rows;          /**< number of rows, at least 1 */
    const double *at_x;   /**< x of each column, increasing */
    const double *at_y;   /**< y of each row, increasing */
    const double *edge_x; /**< where each column begins, and where the last one ends; NULL: halfway
                             between the elements of `at_x` */
    const double *edge_y; /**< where each row begins, and where the last one ends; NULL: halfway
                             between the elements of `at_y` */
    const double *value_at; /**< values row by row, from the lowest y; NAN: missing value */
    const char *line;       /**< name of the line; NULL: no line */
    const double *line_y;   /**< y of the line in each column; NAN: a gap */
};

/** A plot. Set the public members, all others to zero. Texts are borrowed. */
struct plot {
    const char *title;
    const char *subtitle;
    struct axis x, y;          /**< axes; a range whose `high` is 0 is set from the data */
    const char *x_unit, *unit; /**< units of x and y, for plots in a terminal */
    double width;              /**< width of the picture in pixels; 0: PLOT_WIDTH */
    double height;             /**< height of the plot area in pixels; 0: 420 */
    double row_height; /**< pixels per row, for a plot with rows instead of a y axis. y then counts
                          rows; 0.5 is the middle of the first row */
    bool embedded;     /**< whether the plot is in a page, which defines style and symbols */
    bool dense;        /**< whether there are so many marks that they are drawn transparently */
    bool is_still;     /**< whether the picture shows no tooltips above the plot area */
    bool key_above;    /**< whether the key is above instead of below the plot area */
    const struct plot_cells *cells; /**< grid of coloured cells; NULL: none */

    /* Private. */
    struct arena arena; /**< owner of the memory of the following members */
    bool failed;        /**< whether memory ran out */
    bool has_axes;      /**< whether the axes were widened to ticks */
    bool is_placed;     /**< whether marks reserved their positions when they were added */
    struct plot_series *series;
    struct plot_mark *mark;
    struct plot_guide *guide;
    struct plot_bar *bar;
    struct plot_row *row;
    int series_count;
    size_t mark_count, guide_count, bar_count, row_count;
    uint16_t *taken; /**< bit set of the pixels where each colour has a mark, two bits for each
                        colour */
};

/** Returns a formatted text that lives as long as the plot. */
const char *plot_text(struct plot *plot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Copies a text so that it lives as long as the plot, and frees the original. Returns the copy;
 * NULL if memory runs out. */
const char *plot_text_owned(struct plot *plot, char *text);

/** Adds a series and returns its number. The name is borrowed. */
int plot_add_series(struct plot *plot, struct plot_series series);

/**
 * Adds a mark.
 *
 * @return the mark, valid until the next mark is added. NULL if memory runs out, or if the ranges
 *     of both axes are set and a mark of the same style is at this position
 */
struct plot_mark *plot_add_mark(struct plot *plot, struct plot_mark mark);

/** Adds a mark with the tooltip "NAME: Y UNIT (LOW to HIGH) at X", followed by the mark's own text.
 * If the mark is hollow and has no text, the tooltip says that the mark was moved. */
void plot_add_place(struct plot *plot, struct plot_mark mark);

void plot_add_guide(struct plot *plot, struct plot_guide guide);

/** Adds a vertical guide at x with a tooltip; with `is_labelled`, the tooltip's text is also the
 * label. */
void plot_add_upright(struct plot *plot, const char *class, double x, const char *tip,
                      bool is_labelled);
void plot_add_bar(struct plot *plot, struct plot_bar bar);
void plot_add_row(struct plot *plot, struct plot_row row);

/** Frees a plot that was not printed. */
void plot_free(struct plot *plot);

/** Writes a picture with plots side by side and the key of the first plot, and frees the plots;
 * false if memory runs out. */
bool plot_print(FILE *file, struct plot plots[], size_t count);

/** Writes the area of a plot for a page, with flexible width and fixed text size, and frees the
 * plot; false if memory runs out. `description` is for screen readers. */
bool plot_print_in_page(FILE *file, struct plot *plot, const char *description);

enum { PLOT_COLUMNS = 79 /* width of a terminal whose width is unknown */ };

/**
 * Writes a gnuplot script that draws the plot as text in a terminal, and frees the plot. The key
 * has an entry for each line and each guide or group of guides. Each labelled mark that is not on a
 * line has an entry; all other marks share one entry. Control characters in texts are escaped.
 *
 * @param columns  width of the terminal
 * @return false if out of memory
 */
bool plot_print_script(FILE *file, struct plot *plot, int columns);

#endif
