/**
 * The picture of a roofline: what was placed, as the plotter takes it.
 */
#ifndef CLI_ROOFS_POINTS_PLOT_H
#define CLI_ROOFS_POINTS_PLOT_H

#include "cli/render/roofs/roofline.h"

/** Says what is wrong with --plot and the files of --ceilings that are drawn beside the first;
 * nothing has been measured yet. */
enum exit_status points_plot_check(const struct options *options);

/** Whether a value of --plot means the terminal, and not a file. */
bool points_plot_is_terminal(const char *path);

/**
 * Draws a roofline: the points, trajectories, regions or kernels of a report under their roofs, or
 * without them the roofs of loads, of all numbers of threads. The ceilings of further files of
 * --ceilings are drawn beside them, without points in double and single precision.
 *
 * @param path  of an SVG document, which is written; `-`: drawn with letters on standard output, by
 *              gnuplot
 */
enum exit_status points_plot(const struct roofline_report *report, const struct options *options,
                             const char *path);

#endif
