/**
 * Plots of rates over the working set, from which cache levels are detected, and over the
 * intensity.
 */
#ifndef CLI_ROOFS_CURVES_H
#define CLI_ROOFS_CURVES_H

#include "cli/options/options.h"
#include "tcplan/ceilings.h"

/** Checks --curves, or --plot of intensities, before anything is measured. */
enum exit_status curves_check(const struct options *options);

/** Writes rates over the working set to the file of --curves; an error if the roofline has none. */
enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path);

/** Whether --plot draws rates over the intensity instead of roofs. */
bool curves_are_of_intensities(const struct options *options);

/** Writes rates over the intensity: a curve for each level and number of threads, with its bend. An
 * error if the roofline has none. */
enum exit_status curves_plot_intensities(const struct tcplan_roofline *roofline, const char *path);

#endif
