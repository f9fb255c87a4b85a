/**
 * The picture of a roofline: what was placed, as the plotter takes it.
 */
#ifndef CLI_POINTS_PLOT_H
#define CLI_POINTS_PLOT_H

#include "cli/render/ceilings.h"

/** Writes a picture of a roofline, an SVG document: the points or trajectories of a report, or without them the roofs alone, of loads. */
enum exit_status points_plot(const struct roofline_report *report, const struct options *options, const char *path);

#endif
