/** Reads regions from a table with a heading, for tcplan_regions_read(). */
#ifndef ROOFLINE_REGIONS_PLAIN_H
#define ROOFLINE_REGIONS_PLAIN_H

#include "tcplan/regions.h"

enum tcplan_status plain_read(struct tcplan_regions **out, const char *name, const char *text,
                              size_t length, struct tcplan_error *error);

#endif
