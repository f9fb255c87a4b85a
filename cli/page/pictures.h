/**
 * A roofline as a picture: roofs and points on logarithmic axes. A label is omitted if there is no
 * room. Every roof and point has a tooltip on hover or keyboard focus.
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
    const char *name;      /**< name of the machine if there are several machines; otherwise NULL */
    const char *bandwidth; /**< kernel of the bandwidths, such as `load`; NULL: draw only compute
                              ceilings */
    enum tcplan_direction direction; /**< direction of the traffic that the points' intensities
                                        count */
    enum tcplan_dtype dtype;
    bool mixed; /**< whether to draw all mixed precisions instead of one element type */
    int threads;
    int series; /**< number of the colour; 0: the colour of text */
};

/** A point of the picture. */
struct plot_point {
    const char *name;
    const char *size; /**< size, as text, for a point on a line; otherwise NULL */
    int line; /**< number, from 1, of the line that connects the point with others; 0: no line */
    enum tcplan_kernel kernel;
    struct tcplan_point at;
    double gflops_low, gflops_high; /**< the speed's 95 % interval or quartiles; 0: unknown */
};

enum { PLOT_ROOFS = 16 };

/** A roofline plot; all pointers are borrowed. */
struct roofline_plot {
    const char *title;
    const char *subtitle;
    double width;  /**< width in pixels; 0: PLOT_WIDTH */
    bool embedded; /**< whether the plot is in a page, which defines style and symbols */
    int roofs_count;
    const struct plot_roofs *roofs; /**< up to PLOT_ROOFS sets of roofs; the points belong to the
                                       first set */
    size_t count;
    const struct plot_point *point; /**< points, fastest first; labels go to the first points that
                                       have room */
};

/** Lists sets of roofs for all numbers of threads of a roofline, in double, single and mixed
 * precision; returns their number. */
int roofs_of(struct plot_roofs out[PLOT_ROOFS], const struct tcplan_roofline *roofline);

/** Writes a roofline plot as an SVG document; false if memory runs out. */
bool roofline_plot_print(FILE *file, const struct roofline_plot *plot);

/** Writes a gnuplot script of a roofline plot for a terminal, see plot_print_script(). */
bool roofline_script_print(FILE *file, const struct roofline_plot *plot, int columns);

/* Draws the tree of an expression of several tensors. Each step is a box with its product,
 * algorithm, predicted time and the bytes of its result; a stronger colour means a larger share of
 * the time. */

/** Writes a tree as an SVG document; false if memory runs out. */
bool tree_plot_write(FILE *file, const struct tcplan_tree *tree);

/* Plots the predicted time of distributed algorithms over the number of processes. */

/** The fastest algorithms for a number of processes. */
struct ranks_point {
    int processes;
    /** the fastest algorithm, and ScaLAPACK's fastest one; a time of 0 means that there is none */
    struct tcplan_distributed_entry best, scalapack;
};

/** Writes the plot as an SVG document; false if memory runs out. */
bool ranks_plot_write(FILE *file, const char *title, const char *subtitle,
                      const struct ranks_point point[], int count);

/* Draws the blocks of a block-sparse product as matrices. A block's colour is the way that computes
 * it. */

/** Writes the drawing as an SVG document; false if memory runs out. */
bool blocks_plot_write(FILE *file, const struct tcplan_block_product *product,
                       const struct tcplan_block_plan *plan);

/* Plots the performance of the algorithms of a contraction over its sizes: predicted next to
 * measured, the errors of predictions, or how much faster predictions are than measurements. */

/** Times of one algorithm; all pointers are borrowed. */
struct sizes_curve {
    const char *name;
    enum tcplan_kernel kernel;
    const double *predicted; /**< seconds at each size; 0: unknown */
    const double *measured;
    const double *speedup; /**< time of the measured runs over that of the prediction; 0: unknown */
};

/** Contents of the plot; all pointers are borrowed. */
struct sizes_plot {
    const char *subtitle;
    const char *predictor; /**< name of the predictor, such as "window" */
    size_t points;
    const struct tcplan_problem *problem; /**< problems of one contraction with increasing sizes */
    size_t count;
    const struct sizes_curve *curve;
    bool errors;   /**< whether to draw errors of predictions instead of performance */
    bool speedups; /**< whether to draw how much faster predictions are than measurements */
};

/** Writes the plot as an SVG document; false if memory runs out. */
bool sizes_plot_print(FILE *file, const struct sizes_plot *plot);

/* Plots a tuning with a row for each configuration: its rate, and the time that its measurement
 * took. */
struct tcplan_tuning;

/** Writes the plot as an SVG document; false if memory runs out. */
bool tuning_plot_print(FILE *file, const struct tcplan_tuning *tuning);

/* Plots an experiment's report: a line over the range for each selector, or bars if there is no
 * range. */

/** A bit after the bits of enum tcplan_statistic: every sample is drawn as a mark. */
enum { SAMPLES_ALL = 1 << TCPLAN_STATISTICS };

/**
 * Writes an evaluation as an SVG document: min and max together form a band, and so do p25 and p75;
 * std is a band around avg; each other statistic is a line.
 *
 * @param statistics  bits 1 << enum tcplan_statistic, and SAMPLES_ALL
 * @param embedded    the picture is in a page, which defines style and symbols
 * @return false if memory runs out
 */
bool samples_plot_print(FILE *file, const struct tcplan_evaluation *evaluation, unsigned statistics,
                        bool embedded);

#endif
