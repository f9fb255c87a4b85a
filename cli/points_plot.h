/**
 * The picture of a roofline: what was placed, as the plotter takes it.
 */
#ifndef CLI_POINTS_PLOT_H
#define CLI_POINTS_PLOT_H

#include "cli/points.h"

/**
 * Writes a picture of a roofline, an SVG document.
 *
 * @param points  NULL: the roofs alone, of loads
 */
enum exit_status points_plot(const struct point_list *points, const struct tcplan_roofline *roofline, const struct options *options,
                             const char *path);

#endif
