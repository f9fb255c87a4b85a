/**
 * Reads regions from the CSV of likwid-perfctr -O, for tcplan_regions_read().
 *
 *   file   = { other-line | table }
 *   table  = "TABLE," [ "Region " name "," ] "Group " number " " kind "," group "," rows { "," }
 *            line-end [ regions ] heading line-end rows * ( name { "," value } { "," } line-end )
 *   regions = "Region Info" ... line-end "RDTSC Runtime [s]" ... line-end "call count" ... line-end
 *   kind   = ( "Raw" | "Metric" ) [ " STAT" ]
 *
 * A heading names the hardware threads or, in STAT tables, Sum, Min, Max and Avg. Tables of the
 * kind Metric are read, and Metric STAT for quantities that no earlier table of the region has.
 * Metrics are recognised by the names that the groups of LIKWID 5.2 use.
 */
#ifndef ROOFLINE_REGIONS_LIKWID_H
#define ROOFLINE_REGIONS_LIKWID_H

#include "tcplan/regions.h"

/** Returns whether a text contains tables of likwid-perfctr. */
bool likwid_is(const char *text, size_t length);

enum tcplan_status likwid_read(struct tcplan_regions **out, const char *name, const char *text,
                               size_t length, struct tcplan_error *error);

#endif
