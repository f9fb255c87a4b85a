/**
 * A quantity over a grid as a picture: each place of the grid is a rectangle whose colour says the
 * value, and a line over them where something is best.
 */
#ifndef CLI_PAGE_HEAT_PLOT_H
#define CLI_PAGE_HEAT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/page/axis.h"

enum { HEAT_HEIGHT = 420, HEAT_LEVELS = 24 };

/** What is drawn. Everything is borrowed. */
struct heat_plot {
    const char *title;
    const char *subtitle;
    struct axis x;        /**< without its span; linear */
    struct axis y;        /**< likewise */
    const char *value;    /**< what the colours say, with its unit: "GFLOP/s" */
    size_t columns;       /**< at least 1 */
    size_t rows;          /**< likewise */
    const double *at_x;   /**< of each column, rising */
    const double *at_y;   /**< of each row, rising */
    const double *cell;   /**< row by row, from the lowest y on; NAN: nothing is there */
    const char *line;     /**< what the line is; NULL: there is none */
    const double *line_y; /**< of each column; NAN: it has a gap there */
};

/** Writes the picture, an SVG document; false when memory is out. Values are shown in HEAT_LEVELS
 * colours, evenly from the least to the greatest. */
bool heat_plot_print(FILE *file, const struct heat_plot *plot);

#endif
