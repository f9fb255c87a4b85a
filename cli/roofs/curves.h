/**
 * Pictures of rates over the working set, in which the levels of the memory were found, and over
 * the intensity.
 */
#ifndef CLI_ROOFS_CURVES_H
#define CLI_ROOFS_CURVES_H

#include "cli/options/options.h"
#include "tcplan/ceilings.h"

/** Says what is wrong with --curves, or --plot of intensities, before anything is measured. */
enum exit_status curves_check(const struct options *options);

/** Writes rates over the working set to the file of --curves; a roofline that has none is refused.
 */
enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path);

/** Whether --plot is to draw rates over the intensity, and not roofs. */
bool curves_are_of_intensities(const struct options *options);

/** Writes them: a curve for each level and number of threads, and where it bends. A roofline that
 * has none is refused. */
enum exit_status curves_plot_intensities(const struct tcplan_roofline *roofline, const char *path);

#endif
