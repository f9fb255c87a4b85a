/** Makes lists of regions. */
#ifndef ROOFLINE_REGIONS_LIST_H
#define ROOFLINE_REGIONS_LIST_H

#include "tcplan/regions.h"

/** Returns an empty list; NULL if out of memory. */
struct tcplan_regions *regions_new(const char *source);

/** Adds a region of which only the name is known. Returns NULL if out of memory or if there are
 * TCPLAN_REGIONS_MOST regions. */
struct tcplan_region *regions_add(struct tcplan_regions *regions, const char *name, size_t length);

/** Sets speed and intensity from operations, bytes and time, as far as these are known. */
void region_complete(struct tcplan_region *region);

#endif
