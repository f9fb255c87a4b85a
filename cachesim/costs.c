#include "tcplan/costs.h"

#include <math.h>

/* Assumed seconds to fetch a line of a short run from the second cache, the third cache and
 * memory. */
static const double line_seconds[] = {0.5e-9, 2.5e-9, 3e-9};

/* Maximum bytes of the last cache that this process is assumed to get; only of a third or farther
 * cache. */
#define LAST_CACHE_BYTES 12e6

/* Assumed seconds per byte of a new page, which the system clears before its first use. */
#define FRESH_BYTE_SECONDS 0.7e-9

/* Assumed seconds for the two incomplete lines at the ends of a row that is written with
 * non-temporal stores. */
#define STREAMED_ROW_SECONDS 30e-9

static const struct tcplan_copy_costs copies = {.run = 0.15e-9,
                                                .transposed = 0.35e-9,
                                                .scattered = 1e-9,
                                                .summed = 0.2e-9,
                                                .scaled = 0.15e-9,
                                                .row = 5e-9,
                                                .contiguous_row = 2.5e-9,
                                                .begin = 30e-9};

struct tcplan_costs tcplan_costs_assumed(const struct tcplan_machine *machine) {
    enum { COSTS = sizeof line_seconds / sizeof *line_seconds };
    struct tcplan_costs costs = {.cache_count = machine->cache_count,
                                 .written = 2,
                                 .streamed = 1,
                                 .streamed_row = STREAMED_ROW_SECONDS,
                                 .sequential = 0.5,
                                 .page_bytes = machine->page_bytes,
                                 .pages = 1024,
                                 .page_seconds = 20e-9,
                                 .fresh_page_seconds =
                                     FRESH_BYTE_SECONDS * (double)machine->page_bytes};
    for (int c = 0; c < machine->cache_count; c++) {
        const bool last = c == machine->cache_count - 1 && c > 1;
        const double size = (double)machine->cache[c].size_bytes;
        costs.cache[c].held_bytes = last ? fmin(size, LAST_CACHE_BYTES) : size;
        costs.cache[c].line_seconds = line_seconds[c < COSTS ? c : COSTS - 1];
    }
    for (int t = 0; t < TCPLAN_DTYPES; t++) costs.copy[t] = copies;
    return costs;
}

struct tcplan_costs tcplan_costs_of(const struct tcplan_machine *machine) {
    return machine->costs && machine->costs->cache_count == machine->cache_count
               ? *machine->costs
               : tcplan_costs_assumed(machine);
}

/* Plausibility of costs. */

static bool is_within(double value, double least, double most) {
    return value >= least && value <= most; /* the comparison is false for NaN */
}

static bool are_copies_sound(const struct tcplan_copy_costs *copy) {
    const double element[] = {copy->run, copy->transposed, copy->scattered, copy->summed,
                              copy->scaled};
    bool sound = is_within(copy->row, 0, 1e-6) && is_within(copy->contiguous_row, 0, 1e-6) &&
                 is_within(copy->begin, 0, 1e-5);
    for (size_t e = 0; e < sizeof element / sizeof *element; e++)
        sound = sound && is_within(element[e], 1e-12, 1e-6);
    return sound;
}

bool tcplan_costs_are_sound(const struct tcplan_costs *costs,
                            const struct tcplan_machine *machine) {
    bool sound = costs->cache_count >= 0 && costs->cache_count <= TCPLAN_MAX_CACHE_LEVELS;
    if (machine) sound = sound && costs->cache_count == machine->cache_count;
    for (int c = 0; sound && c < costs->cache_count; c++) {
        const struct tcplan_cache_costs *cache = &costs->cache[c];
        sound = is_within(cache->held_bytes, 256, 1e13) && is_within(cache->line_seconds, 0, 1e-6);
        if (c > 0) sound = sound && cache->held_bytes >= costs->cache[c - 1].held_bytes;
    }
    sound = sound && is_within(costs->written, 1, 16) && is_within(costs->streamed, 0, 16) &&
            is_within(costs->streamed_row, 0, 1e-6) && is_within(costs->sequential, 0.01, 1) &&
            is_within(costs->pages, 1, 1e9);
    sound = sound && costs->page_bytes >= 512 && costs->page_bytes <= INT64_C(1) << 30;
    sound = sound && is_within(costs->page_seconds, 0, 1e-5) &&
            is_within(costs->fresh_page_seconds, 0, 1e-2);
    for (int t = 0; sound && t < TCPLAN_DTYPES; t++) sound = are_copies_sound(&costs->copy[t]);
    return sound;
}
