/**
 * Touching regions of memory: how a cache state is made.
 */
#ifndef MICROBENCH_TOUCH_H
#define MICROBENCH_TOUCH_H

#include "cachesim/region.h"

/** Reads one word of every cache line of a region based at `base`; writes it back unchanged where
 * the region is written. */
void touch_region(const struct region *region, char *base, int64_t line_bytes);

/** Takes every cache line of a region out of all caches, where the processor can; returns false
 * where it cannot. */
bool touch_evict(const struct region *region, char *base, int64_t line_bytes);

#endif
