/** The part of a cache that each thread gets if several threads share it. */
#ifndef CACHESIM_CACHE_SHARE_H
#define CACHESIM_CACHE_SHARE_H

#include "tcplan/machine.h"

/**
 * Returns how many of `threads` threads, each on its own core, share one cache of a level; at least
 * 1.
 */
int cache_sharers(const struct tcplan_machine *machine, const struct tcplan_cache_level *cache,
                  int threads);

/** Returns the bytes of cache `cache` (a place in machine->cache) for each of `threads` threads. */
int64_t cache_share_bytes(const struct tcplan_machine *machine, int cache, int threads);

#endif
