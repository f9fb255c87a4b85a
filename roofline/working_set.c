#include "roofline/working_set.h"

#include <stdio.h>

enum { LEAST_MEMORY_BYTES = 1 << 26, LEAST_BYTES = 3 << 10, TIMES_THE_CACHES = 4, TIMES_THE_NEARER = 8 };

/** Threads on cores of their own that use one cache of a level. */
static int sharers(const struct tcplan_machine *machine, const struct tcplan_cache_level *cache, int threads) {
    const int units_per_core =
        machine->cores > 0 && machine->processing_units > machine->cores ? machine->processing_units / machine->cores : 1;
    const int cores = cache->shared_by / units_per_core;
    return cores < 1 ? 1 : cores < threads ? cores : threads;
}

static bool is_shared(const struct tcplan_machine *machine, const struct tcplan_cache_level *cache) {
    return sharers(machine, cache, machine->cores) > 1;
}

static struct working_set in_cache(const struct tcplan_machine *machine, int number, int threads) {
    const struct tcplan_cache_level *cache = &machine->cache[number];
    const int64_t share = cache->size_bytes / sharers(machine, cache, threads);
    const int64_t nearer = number > 0 ? machine->cache[number - 1].size_bytes : 0;
    int64_t bytes = share / 2;
    if (number > 0 && is_shared(machine, cache)) bytes = share / 4 < TIMES_THE_NEARER * nearer ? share / 4 : TIMES_THE_NEARER * nearer;
    if (bytes < 2 * nearer && 2 * nearer <= share / 2) bytes = 2 * nearer;
    return (struct working_set){.bytes = bytes > nearer && bytes >= LEAST_BYTES ? bytes : 0};
}

static struct working_set in_memory(const struct tcplan_machine *machine, int threads, int64_t limit_bytes) {
    const struct tcplan_cache_level *last = machine->cache_count > 0 ? &machine->cache[machine->cache_count - 1] : NULL;
    const int64_t caches = last ? last->size_bytes / sharers(machine, last, threads) : 0;
    const int64_t least = LEAST_MEMORY_BYTES / threads;
    const int64_t wanted = TIMES_THE_CACHES * caches > least ? TIMES_THE_CACHES * caches : least;
    const int64_t limit = limit_bytes / threads;
    return (struct working_set){.bytes = wanted < limit ? wanted : limit, .reduced = limit < wanted};
}

struct working_set working_set_for(const struct tcplan_machine *machine, int cache, int threads, int64_t limit_bytes) {
    if (cache == machine->cache_count) return in_memory(machine, threads, limit_bytes);
    struct working_set set = in_cache(machine, cache, threads);
    if (set.bytes > limit_bytes / threads) set.bytes = 0;
    return set;
}

void working_set_level(char *out, int size, const struct tcplan_machine *machine, int cache) {
    if (cache == machine->cache_count) {
        snprintf(out, (size_t)size, "DRAM");
    } else {
        snprintf(out, (size_t)size, "L%d", machine->cache[cache].level);
    }
}
