/**
 * Making lists of regions.
 */
#ifndef ROOFLINE_REGIONS_LIST_H
#define ROOFLINE_REGIONS_LIST_H

#include "tcplan/regions.h"

/** An empty list; NULL if memory runs out. */
struct tcplan_regions *regions_new(const char *source);

/** A region about which nothing is known but its name. NULL if memory runs out, or there are
 * TCPLAN_REGIONS_MOST. */
struct tcplan_region *regions_add(struct tcplan_regions *regions, const char *name, size_t length);

/** Sets speed and intensity from operations, bytes and time, if known. */
void region_complete(struct tcplan_region *region);

#endif
