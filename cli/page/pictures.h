/**
 * A roofline as a picture: roofs and points on logarithmic axes. A label is omitted if no place is
 * free. Every roof and point has a tip on hover or keyboard focus.
 */
#ifndef CLI_PAGE_PICTURES_H
#define CLI_PAGE_PICTURES_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/page/plot.h"
#include "tcplan/algorithm.h"
#include "tcplan/blocksparse.h"
#include "tcplan/distributed.h"
#include "tcplan/experiment.h"
#include "tcplan/network_tree.h"
#include "tcplan/points.h"
#include "tcplan/problem.h"

/** Which of a machine's ceilings are drawn as roofs. */
struct plot_roofs {
    const struct tcplan_roofline *roofline;
    const char *name;      /**< name of the machine, if there are several; NULL: none */
    const char *bandwidth; /**< kernel of the bandwidths, such as `load`; NULL: only compute
                              ceilings */
    enum tcplan_direction direction; /**< direction of the traffic that the points count */
    enum tcplan_dtype dtype;
    bool mixed; /**< draw all mixed precisions instead of a type */
    int threads;
    int series; /**< number of the colour; 0: that of text */
};

/** A point of the picture. */
struct plot_point {
    const char *name;
    const char *size; /**< size, as text, of a point on a line; NULL: none */
    int line; /**< number of the line that connects the point with others, from 1; 0: none */
    enum tcplan_kernel kernel;
    struct tcplan_point at;
    double gflops_low, gflops_high; /**< its interval; 0: unknown */
};

enum { PLOT_ROOFS = 16 };

/** A roofline plot; all pointers are borrowed. */
struct roofline_plot {
    const char *title;
    const char *subtitle;
    double width;  /**< 0: PLOT_WIDTH */
    bool embedded; /**< whether the plot is in a page, which defines style and symbols */
    int roofs_count;
    const struct plot_roofs *roofs; /**< up to PLOT_ROOFS sets of roofs; the points belong to the
                                       first */
    size_t count;
    const struct plot_point *point; /**< points, fastest first; the first ones are labelled if there
                                       is room */
};

/** Lists sets of roofs for all numbers of threads of a roofline, in double, single and mixed
 * precision; returns their number. */
int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline);

/** Writes a roofline plot as an SVG document; false: out of memory. */
bool roofline_plot_print(FILE *file, const struct roofline_plot *plot);

/** Writes a gnuplot script of a roofline plot for a terminal, see plot_print_script(). */
bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns);

/* The tree of an expression of several tensors as a picture. Each step is a box with its product,
 * algorithm, predicted time and the bytes of its result; a stronger colour is a larger share of
 * the time. */

/** Writes a tree as an SVG document; false: out of memory. */
bool tree_plot_write(FILE *file, const struct tcplan_tree *tree);

/* The predicted time of distributed algorithms over the number of processes. */

/** The fastest algorithms of a number of processes. */
struct ranks_point {
    int processes;
    struct tcplan_distributed_entry best, scalapack; /**< a time of 0: there is none */
};

/** Writes an SVG document; false: out of memory. */
bool ranks_plot_write(FILE *file, const char *title, const char *subtitle,
                      const struct ranks_point point[], int count);

/* The blocks of a block-sparse product as matrices, in the colour of the way that computes them. */

/** Writes an SVG document; false: out of memory. */
bool blocks_plot_write(FILE *file, const struct tcplan_block_product *product,
                       const struct tcplan_block_plan *plan);

/* Performance of the algorithms of a contraction over its sizes: predicted and measured side by
 * side, or the errors of predictions. */

/** Times of an algorithm; all pointers are borrowed. */
struct sizes_curve {
    const char *name;
    enum tcplan_kernel kernel;
    const double *predicted; /**< seconds at each size; 0: unknown */
    const double *measured;
};

/** All pointers are borrowed. */
struct sizes_plot {
    const char *subtitle;
    const char *predictor; /**< what predicts: "window" */
    size_t points;
    const struct tcplan_problem *problem; /**< problems of one contraction with increasing sizes */
    size_t count;
    const struct sizes_curve *curve;
    bool errors; /**< draw errors of predictions instead of performance */
};

/** Writes an SVG document; false: out of memory. */
bool sizes_plot_print(FILE *file, const struct sizes_plot *plot);

/* An experiment's report as a picture: a line over the range for each selector, or bars if there
 * is no range. */

/** A bit after the bits of enum tcplan_statistic: every sample is drawn as a mark. */
enum { SAMPLES_ALL = 1 << TCPLAN_STATISTICS };

/**
 * Writes an evaluation as an SVG document: min and max together are a band, also p25 and p75; std
 * is a band around avg; other statistics are lines.
 *
 * @param statistics  bits 1 << enum tcplan_statistic, and SAMPLES_ALL
 * @param embedded    the picture is in a page, which defines style and symbols
 * @return false: out of memory
 */
bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation, unsigned statistics,
                        bool embedded);

#endif
