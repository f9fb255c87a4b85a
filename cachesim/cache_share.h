/**
 * Which part of a cache a thread has, where other threads use the same one.
 */
#ifndef CACHESIM_CACHE_SHARE_H
#define CACHESIM_CACHE_SHARE_H

#include "tcplan/machine.h"

/**
 * How many of `threads` threads, each on a core of its own, use one cache of a level. At least 1.
 */
int cache_sharers(const struct tcplan_machine *machine, const struct tcplan_cache_level *cache,
                  int threads);

/** Bytes of cache `cache` (a place in machine->cache) for each of `threads` threads. */
int64_t cache_share_bytes(const struct tcplan_machine *machine, int cache, int threads);

#endif
