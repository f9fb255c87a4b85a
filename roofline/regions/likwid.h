/**
 * Regions from the CSV of likwid-perfctr -O, see tcplan_regions_read().
 *
 *   file   = { other-line | table }
 *   table  = "TABLE," [ "Region " name "," ] "Group " number " " kind "," group "," rows { "," }
 *            line-end [ regions ] heading line-end rows * ( name { "," value } { "," } line-end )
 *   regions = "Region Info" ... line-end "RDTSC Runtime [s]" ... line-end "call count" ... line-end
 *   kind   = ( "Raw" | "Metric" ) [ " STAT" ]
 *
 * A heading names the hardware threads or, of STAT tables, Sum, Min, Max and Avg. Of these tables
 * those called Metric are read; those called Metric STAT if there is no other of the same region
 * and group. Measured by LIKWID 5.2 and described by its groups' files, whose metrics are known by
 * name.
 */
#ifndef ROOFLINE_REGIONS_LIKWID_H
#define ROOFLINE_REGIONS_LIKWID_H

#include "tcplan/regions.h"

/** Whether a text holds such tables. */
bool likwid_is(const char *text, size_t length);

enum tcplan_status likwid_read(struct tcplan_regions **out, const char *name, const char *text,
                               size_t length, struct tcplan_error *error);

#endif
