#include "roofline/kernels/working_set.h"

#include <assert.h>
#include <stdio.h>

#include "cachesim/cache_share.h"

enum {
    LEAST_MEMORY_BYTES = 1 << 26,
    LEAST_BYTES = 3 << 10,
    TIMES_THE_CACHES = 4,
    TIMES_THE_NEARER = 8
};

/**
 * Returns a working set of half the size of a cache; for a shared cache, a quarter of a thread's
 * share, as other programs use the cache too. In a third cache the set is at most eight times the
 * second cache: a virtual machine may report a larger cache than it can use, and a set that does
 * not fit would show a rate below that of the cache.
 */
static struct working_set in_cache(const struct tcplan_machine *machine, int number, int threads) {
    const struct tcplan_cache_level *cache = &machine->cache[number];
    const bool is_shared = number > 0 && cache_sharers(machine, cache, machine->cores) > 1;
    const int64_t share = cache_share_bytes(machine, number, threads);
    const int64_t nearer = number > 0 ? machine->cache[number - 1].size_bytes : 0;
    int64_t bytes = is_shared ? share / 4 : share / 2;
    if (number > 1 && bytes > TIMES_THE_NEARER * nearer) bytes = TIMES_THE_NEARER * nearer;
    if (bytes < 2 * nearer && 2 * nearer <= share / 2) bytes = 2 * nearer;
    return (struct working_set){.bytes = bytes > nearer && bytes >= LEAST_BYTES ? bytes : 0};
}

/** Returns a working set in memory for one thread: `bytes`, or more if needed to exceed a cache
 * that the system does not report, within the memory limit. */
static struct working_set far_set(int64_t bytes, int threads, int64_t limit_bytes) {
    const int64_t least = LEAST_MEMORY_BYTES / threads, limit = limit_bytes / threads;
    const int64_t wanted = bytes > least ? bytes : least;
    return (struct working_set){.bytes = wanted < limit ? wanted : limit,
                                .reduced = limit < wanted};
}

static struct working_set in_memory(const struct tcplan_machine *machine, int threads,
                                    int64_t limit_bytes) {
    const int64_t caches = machine->cache_count > 0
                               ? cache_share_bytes(machine, machine->cache_count - 1, threads)
                               : 0;
    return far_set(TIMES_THE_CACHES * caches, threads, limit_bytes);
}

struct working_set working_set_of_level(const struct tcplan_level level[], int count, int place,
                                        int64_t limit_bytes) {
    const struct tcplan_level *own = &level[place];
    assert(place >= 0 && place < count && own->threads > 0);
    if (place + 1 == count) {
        const int64_t caches =
            place > 0 ? TIMES_THE_CACHES * level[place - 1].holds_bytes / own->threads : 0;
        return far_set(caches > 2 * own->first_bytes ? caches : 2 * own->first_bytes, own->threads,
                       limit_bytes);
    }
    const int64_t half = own->holds_bytes / own->threads / 2;
    const int64_t bytes = half < own->first_bytes  ? own->first_bytes
                          : half < own->last_bytes ? half
                                                   : own->last_bytes;
    return (struct working_set){.bytes = bytes <= limit_bytes / own->threads ? bytes : 0};
}

struct working_set working_set_for(const struct tcplan_machine *machine, int cache, int threads,
                                   int64_t limit_bytes) {
    assert(cache >= 0 && cache <= machine->cache_count && threads > 0);
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
