/**
 * A roofline as a picture: roofs and points on logarithmic axes.
 *
 * Labels are written where nothing else is, others are left out; what each roof and point is can be
 * told by pointing at it, or with the tab key.
 */
#ifndef CLI_PAGE_ROOFLINE_PLOT_H
#define CLI_PAGE_ROOFLINE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/page/plot.h"
#include "tcplan/algorithm.h"
#include "tcplan/points.h"

/** Some of a machine's ceilings. */
struct plot_roofs {
    const struct tcplan_roofline *roofline;
    const char *name;      /**< of the machine, where there are several; NULL: none */
    const char *bandwidth; /**< the kernel whose bandwidths are drawn, such as `load`; NULL:
                              computation alone */
    enum tcplan_direction direction; /**< of the points' traffic */
    enum tcplan_dtype dtype;
    bool mixed; /**< computation in mixed precisions, all of them, instead of a type's */
    int threads;
    int series; /**< 0: in the colour of text, otherwise in one of its own */
};

/** An algorithm in the picture. */
struct plot_point {
    const char *name;
    const char *size; /**< of points on a line; NULL: none */
    int line; /**< points with the same number, from 1, lie on one line, in the order of the list;
                 0: on none */
    enum tcplan_kernel kernel;
    struct tcplan_point at;
    double gflops_low, gflops_high; /**< its interval; 0: not known */
};

enum { PLOT_ROOFS = 16 };

/** What is drawn. Everything is borrowed. */
struct roofline_plot {
    const char *title;
    const char *subtitle;
    double width;  /**< 0: PLOT_WIDTH */
    bool embedded; /**< in a page, which has the style and the symbols */
    int roofs_count;
    const struct plot_roofs *roofs; /**< at most PLOT_ROOFS; the points belong to the first */
    size_t count;
    const struct plot_point *point; /**< fastest first; the first ones are labelled as far as there
                                       is room */
};

/** The roofs of all numbers of threads that a roofline has, in double and, beside these, single
 * precision and mixed ones; returns how many. */
int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline);

/** Writes the picture, an SVG document; false when memory is out. */
bool roofline_plot_print(FILE *file, const struct roofline_plot *plot);

/** Writes the script for a terminal, see plot_print_script(). */
bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns);

#endif
