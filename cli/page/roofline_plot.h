/**
 * A roofline as a picture: roofs and points on logarithmic axes, as a gnuplot script with its data inside.
 */
#ifndef CLI_PAGE_ROOFLINE_PLOT_H
#define CLI_PAGE_ROOFLINE_PLOT_H

#include <stdio.h>

#include "tcplan/algorithm.h"
#include "tcplan/points.h"

/** An algorithm in the picture. */
struct plot_point {
    const char *name;
    enum tcplan_kernel kernel;
    struct tcplan_point at;
};

/** What is drawn. Everything is borrowed. */
struct roofline_plot {
    const struct tcplan_roofline *roofline;
    const char *title;
    const char *bandwidth; /**< the kernel whose bandwidths are drawn, such as `load` */
    enum tcplan_dtype dtype;
    int threads;
    size_t count;
    const struct plot_point *point; /**< fastest first; the first ones are labelled as far as there is room */
};

/** What a picture is drawn as. */
enum plot_kind {
    PLOT_SCRIPT, /**< the script, which draws PNG to its standard output unless told otherwise */
    PLOT_SVG,
    PLOT_PNG
};

/** Prints the script that draws a picture of a kind to gnuplot's standard output. */
void roofline_plot_print(FILE *file, const struct roofline_plot *plot, enum plot_kind kind);

#endif
