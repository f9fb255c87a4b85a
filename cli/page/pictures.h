/**
 * A roofline as a picture: roofs and points on logarithmic axes.
 *
 * Labels without room are omitted. Every roof and point also has a tip on hover or keyboard focus.
 */
#ifndef CLI_PAGE_PICTURES_H
#define CLI_PAGE_PICTURES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/page/plot.h"
#include "tcplan/algorithm.h"
#include "tcplan/blocksparse.h"
#include "tcplan/experiment.h"
#include "tcplan/network_tree.h"
#include "tcplan/points.h"

/** Some of a machine's ceilings. */
struct plot_roofs {
    const struct tcplan_roofline *roofline;
    const char *name;      /**< of the machine, if there are several; NULL: none */
    const char *bandwidth; /**< the kernel of the bandwidths, such as `load`; NULL: only computation
                            */
    enum tcplan_direction direction; /**< of the points' traffic */
    enum tcplan_dtype dtype;
    bool mixed; /**< all mixed precisions instead of a type */
    int threads;
    int series; /**< 0: the colour of text, otherwise a colour of its own */
};

/** A point of the picture. */
struct plot_point {
    const char *name;
    const char *size; /**< of points on a line; NULL: none */
    int line; /**< points with the same number, from 1, form a line in the order of the list; 0:
                 none */
    enum tcplan_kernel kernel;
    struct tcplan_point at;
    double gflops_low, gflops_high; /**< its interval; 0: unknown */
};

enum { PLOT_ROOFS = 16 };

/** The picture. Everything is borrowed. */
struct roofline_plot {
    const char *title;
    const char *subtitle;
    double width;  /**< 0: PLOT_WIDTH */
    bool embedded; /**< in a page, which defines style and symbols */
    int roofs_count;
    const struct plot_roofs *roofs; /**< at most PLOT_ROOFS; the points belong to the first */
    size_t count;
    const struct plot_point *point; /**< fastest first; the first ones are labelled if there is room
                                     */
};

/** Lists the roofs of all numbers of threads of a roofline, in double, single and mixed precision;
 * returns their number. */
int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline);

/** Writes the picture, an SVG document; false: out of memory. */
bool roofline_plot_print(FILE *file, const struct roofline_plot *plot);

/** Writes the script for a terminal, see plot_print_script(). */
bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns);

/* The tree of an expression of several tensors as a picture: a box for each step with its product,
 * algorithm, predicted seconds and the bytes of its result. A stronger colour is a larger share of
 * the time. */

/** Writes an SVG document; false: out of memory. */
bool tree_plot_write(FILE *file, const struct tcplan_tree *tree);

/* The blocks of a block-sparse product as matrices, in the colour of the way that computes them. */

/** Writes an SVG document; false: out of memory. */
bool blocks_plot_write(FILE *file, const struct tcplan_block_product *product,
                       const struct tcplan_block_plan *plan);

/* The picture of an experiment's report: a line over the range for each selector, or bars without a
 * range. */

/** In addition to the bits 1 << enum tcplan_statistic: every sample as a mark. */
enum { SAMPLES_ALL = 1 << TCPLAN_STATISTICS };

/**
 * Writes the picture, an SVG document: min and max together are a band, std a band around avg, the
 * other statistics lines.
 *
 * @param statistics  bits
 * @return false: out of memory
 */
bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation,
                        unsigned statistics);

#endif
