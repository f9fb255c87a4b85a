/** Plots rooflines: converts points to plots of cli/page. */
#ifndef CLI_ROOFS_POINTS_PLOT_H
#define CLI_ROOFS_POINTS_PLOT_H

#include "cli/options/options.h"
#include "cli/render/roofs/roofline.h"
#include "tcplan/ceilings.h"

/** Checks --plot and the further files of --ceilings before anything is measured. */
enum exit_status points_plot_check(const struct options *options);

/** Returns whether a value of --plot selects the terminal instead of a file. */
bool points_plot_is_terminal(const char *path);

/**
 * Draws a roofline: the points, trajectories, regions or kernels of a report under their roofs;
 * without points, the load roofs of all numbers of threads. Further files of --ceilings are drawn
 * in the same plot, without points in double and single precision.
 *
 * @param path  path of the SVG document; `-`: gnuplot draws the plot as text on standard output
 */
enum exit_status points_plot(const struct roofline_report *report, const struct options *options,
                             const char *path);

/** Checks --curves, or --plot of intensities, before anything is measured. */
enum exit_status curves_check(const struct options *options);

/** Writes rates over the working set to the file of --curves. It is an error if the roofline has
 * none. */
enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path);

/** Returns whether --plot draws rates over the operational intensity instead of roofs. */
bool curves_are_of_intensities(const struct options *options);

/** Draws the rate over the operational intensity: a curve for each level of the memory hierarchy
 * and each number of threads, with its ridge point. It is an error if the roofline has no such
 * curves. */
enum exit_status curves_plot_intensities(const struct tcplan_roofline *roofline, const char *path);

#endif
