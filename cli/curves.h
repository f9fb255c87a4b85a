/**
 * The picture of rates over the working set: the curves in which the levels of the memory were found.
 */
#ifndef CLI_CURVES_H
#define CLI_CURVES_H

#include "cli/options/options.h"
#include "tcplan/ceilings.h"

/** Says what is wrong with --curves before anything is measured. */
enum exit_status curves_check(const struct options *options);

/** Writes it to the file of --curves; a roofline that has no rates over the working set is refused. */
enum exit_status curves_plot(const struct tcplan_roofline *roofline, const char *path);

#endif
