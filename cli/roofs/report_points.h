/**
 * Routines of BLAS and LAPACK under the roofs, from experiments of --kernel or from reports of
 * experiments.
 */
#ifndef CLI_ROOFS_REPORT_POINTS_H
#define CLI_ROOFS_REPORT_POINTS_H

#include "cli/options/options.h"
#include "cli/request.h"
#include "tcplan/regions.h"

/** Returns whether the file of --points is a report, which means that its name ends in `.xml`. */
bool report_points_are_asked(const struct options *options);

/** Reads the report of --points: a region for each combination of a value of the range and a
 * --select. Operations and bytes follow from the routines' signatures; the time is the median. */
enum exit_status report_points_read(struct tcplan_regions **out, const struct options *options);

/**
 * Returns whether --kernel names a routine that `cli/roofs/kernels.h` does not measure, or gives it
 * arguments, a library or steps of sizes. All kernels of the command are then measured as routines.
 */
bool routines_are_asked(const struct options *options);

/** Times the routines of --kernel on this machine: a region for each size. Status as
 * report_points_read(). */
enum exit_status routine_points_make(struct tcplan_regions **out, const struct request *request);

#endif
