#include "cachesim/simulator.h"

#include <assert.h>

#include "base/alloc.h"

struct level {
    struct cache cache;
    struct simulator_counts counts;
};

struct simulator {
    int line_bits;
    bool inclusive;
    int level_count;
    struct level level[TCPLAN_MAX_CACHE_LEVELS];
};

struct simulator_options simulator_options_of(const struct tcplan_machine *machine,
                                              bool inclusive) {
    struct simulator_options options = {.line_bytes = machine->line_bytes,
                                        .inclusive = inclusive,
                                        .level_count = machine->cache_count};
    for (int k = 0; k < machine->cache_count; k++) {
        options.level[k].size_bytes = machine->cache[k].size_bytes;
        options.level[k].ways = machine->cache[k].ways > 0 ? machine->cache[k].ways : 0;
    }
    return options;
}

struct simulator *simulator_new(const struct simulator_options *options) {
    assert(options->level_count > 0 && options->level_count <= TCPLAN_MAX_CACHE_LEVELS);
    assert(options->line_bytes > 0 && (options->line_bytes & (options->line_bytes - 1)) == 0);
    struct simulator *simulator = base_alloc(sizeof *simulator);
    if (!simulator) return NULL;
    *simulator =
        (struct simulator){.line_bits = __builtin_ctzll((unsigned long long)options->line_bytes),
                           .inclusive = options->inclusive};
    for (int k = 0; k < options->level_count; k++) {
        if (!cache_init(&simulator->level[k].cache,
                        options->level[k].size_bytes >> simulator->line_bits,
                        options->level[k].ways)) {
            simulator_free(simulator);
            return NULL;
        }
        simulator->level_count++;
    }
    return simulator;
}

void simulator_free(struct simulator *simulator) {
    if (!simulator) return;
    for (int k = 0; k < simulator->level_count; k++) cache_free(&simulator->level[k].cache);
    base_free(simulator);
}

static void write_back(struct simulator *simulator, int k, uint64_t line);

/** Updates other levels after a line left level k. Inner levels of an inclusive hierarchy drop
 * the line; the next level receives it if it was dirty in level k or in one of those. */
static void leave(struct simulator *simulator, int k, struct cache_victim victim) {
    assert(victim.line != LINE_NONE && k < simulator->level_count);
    bool carried = false; /* whether an inner level held the line dirty, so that its data pass
                             through the levels in between */
    for (int inner = 0; simulator->inclusive && inner < k; inner++) {
        bool dirty = false;
        if (!cache_remove(&simulator->level[inner].cache, victim.line, &dirty)) continue;
        carried = carried || dirty;
        simulator->level[inner].counts.invalidations++;
        simulator->level[inner].counts.write_backs += carried;
    }
    if (!victim.dirty && !carried) return;
    simulator->level[k].counts.write_backs++;
    if (k + 1 < simulator->level_count) write_back(simulator, k + 1, victim.line);
}

/** Writes a dirty line from an inner level back to level k. */
static void write_back(struct simulator *simulator, int k, uint64_t line) {
    struct cache_victim victim;
    if (cache_access(&simulator->level[k].cache, line, true, &victim) || victim.line == LINE_NONE)
        return;
    leave(simulator, k, victim);
}

static void access_line(struct simulator *simulator, uint64_t line, bool write) {
    for (int k = 0; k < simulator->level_count; k++) {
        struct level *level = &simulator->level[k];
        struct cache_victim victim;
        level->counts.accesses++;
        /* A write marks the line dirty in the first level only; outer levels receive it when the
         * line is written back. */
        if (cache_access(&level->cache, line, write && k == 0, &victim)) return;
        level->counts.misses++;
        /* writes the evicted line back before the next level makes room for the new line */
        if (victim.line != LINE_NONE) leave(simulator, k, victim);
    }
}

void simulator_access(struct simulator *simulator, uint64_t address, bool write) {
    access_line(simulator, address >> simulator->line_bits, write);
}

void simulator_access_run(struct simulator *simulator, uint64_t address, int64_t stride_bytes,
                          int64_t count, bool write) {
    assert(count >= 0);
    uint64_t last = LINE_NONE;
    for (int64_t i = 0; i < count; i++, address += (uint64_t)stride_bytes) {
        const uint64_t line = address >> simulator->line_bits;
        if (line != last) {
            access_line(simulator, line, write);
            last = line;
        } else {
            simulator->level[0].counts.accesses++; /* the line is already the most recently used one
                                                    */
        }
    }
}

void simulator_flush(struct simulator *simulator) {
    for (int k = 0; k < simulator->level_count; k++) {
        struct cache_victim victim;
        while (cache_take(&simulator->level[k].cache, &victim)) leave(simulator, k, victim);
    }
}

void simulator_reset_counts(struct simulator *simulator) {
    for (int k = 0; k < simulator->level_count; k++)
        simulator->level[k].counts = (struct simulator_counts){0};
}

struct simulator_counts simulator_counts(const struct simulator *simulator, int level) {
    assert(level >= 0 && level < simulator->level_count);
    return simulator->level[level].counts;
}

int64_t simulator_traffic_bytes(const struct simulator *simulator, int level) {
    assert(level >= 0 && level < simulator->level_count);
    const struct simulator_counts *counts = &simulator->level[level].counts;
    return (counts->misses + counts->write_backs) << simulator->line_bits;
}
