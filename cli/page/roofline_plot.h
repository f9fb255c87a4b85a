/**
 * A roofline as a picture: roofs and points on logarithmic axes.
 */
#ifndef CLI_PAGE_ROOFLINE_PLOT_H
#define CLI_PAGE_ROOFLINE_PLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "tcplan/algorithm.h"
#include "tcplan/points.h"

/** An algorithm in the picture. */
struct plot_point {
    const char *name;
    int line; /**< points with the same number, from 1, lie on one line, in the order of the list; 0: on none */
    enum tcplan_kernel kernel;
    struct tcplan_point at;
};

/** What is drawn. Everything is borrowed. */
struct roofline_plot {
    const struct tcplan_roofline *roofline;
    const char *title;
    const char *subtitle;
    const char *bandwidth; /**< the kernel whose bandwidths are drawn, such as `load` */
    enum tcplan_dtype dtype;
    int threads;
    size_t count;
    const struct plot_point *point; /**< fastest first; the first ones are labelled as far as there is room */
};

/** Writes the picture, an SVG document; false when memory is out. */
bool roofline_plot_print(FILE *file, const struct roofline_plot *plot);

#endif
