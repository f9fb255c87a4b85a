#include "cachesim/cache_share.h"

int cache_sharers(const struct tcplan_machine *machine, const struct tcplan_cache_level *cache,
                  int threads) {
    const int units_per_core = machine->cores > 0 && machine->processing_units > machine->cores
                                   ? machine->processing_units / machine->cores
                                   : 1;
    const int cores = cache->shared_by / units_per_core;
    return cores < 1 ? 1 : cores < threads ? cores : threads;
}

int64_t cache_share_bytes(const struct tcplan_machine *machine, int cache, int threads) {
    return machine->cache[cache].size_bytes /
           cache_sharers(machine, &machine->cache[cache], threads);
}
