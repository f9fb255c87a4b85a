/** Touches or evicts regions of memory, to set up a cache state. */
#ifndef MICROBENCH_TOUCH_H
#define MICROBENCH_TOUCH_H

#include "cachesim/region.h"

/** Reads one word of every cache line of a region based at `base`; writes it back unchanged if
 * the region is written. */
void touch_region(const struct region *region, char *base, int64_t line_bytes);

/** The byte with which pages are filled: numbers near 1 in every type. */
enum { TOUCH_FILL = 0x3f };

/** Fills every page of a region that begins with eight zero bytes; `base` is the beginning of a
 * page. */
void touch_fill(const struct region *region, char *base, int64_t page_bytes);

/** Evicts every cache line of a region from all caches; returns false if the processor cannot. */
bool touch_evict(const struct region *region, char *base, int64_t line_bytes);

#endif
