/**
 * Routines under the roofs: the points of an experiment's report as regions.
 */
#ifndef CLI_ROOFS_REPORT_POINTS_H
#define CLI_ROOFS_REPORT_POINTS_H

#include "cli/options/options.h"
#include "tcplan/regions.h"

/** Returns whether the file of --points is a report: its name ends in `.xml`. */
bool report_points_are_asked(const struct options *options);

/**
 * Reads the report of --points: a region for each value of the range and each --select. Operations
 * and bytes are those of the routines' signatures, the time is the median.
 *
 * @param out  to be freed with tcplan_regions_free()
 * @return EXIT_DONE, or another status after a message
 */
enum exit_status report_points_read(struct tcplan_regions **out, const struct options *options);

#endif
