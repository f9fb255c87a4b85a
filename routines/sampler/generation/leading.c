#include "routines/sampler/generation/leading.h"

#include "base/checked.h"

enum { PAGE_BYTES = 4096, COLUMNS = 8, LEAST_PART = 16, TRIES = 4096 };

/** Returns the number of sets of a cache; 0: unknown. */
static int64_t sets_of(const struct tcplan_cache_level *cache, int64_t line_bytes) {
    const int64_t line = cache->line_bytes > 0 ? cache->line_bytes : line_bytes;
    return cache->ways > 0 ? cache->size_bytes / (line * cache->ways) : 0;
}

static int64_t lines_of_page(const struct tcplan_machine *machine) {
    return machine->line_bytes < PAGE_BYTES ? PAGE_BYTES / machine->line_bytes : 1;
}

static bool visits_all_sets(const struct tcplan_machine *machine, int64_t lines) {
    if (checked_common_divisor(lines, lines_of_page(machine)) > 1) return false;
    for (int c = 0; c < machine->cache_count; c++) {
        const int64_t sets = sets_of(&machine->cache[c], machine->line_bytes);
        if (sets > 1 && checked_common_divisor(lines, sets) > 1) return false;
    }
    return true;
}

/** Returns the distance, in lines, of two positions within a page, in the shorter direction around
 * the page. */
static int64_t distance(int64_t a, int64_t b, int64_t page_lines) {
    const int64_t between = a > b ? a - b : b - a;
    return between < page_lines - between ? between : page_lines - between;
}

static bool columns_are_apart(int64_t lines, int64_t page_lines) {
    for (int64_t a = 0; a < COLUMNS; a++) {
        for (int64_t b = a + 1; b < COLUMNS; b++) {
            if (distance(a * lines % page_lines, b * lines % page_lines, page_lines) * LEAST_PART <
                page_lines)
                return false;
        }
    }
    return true;
}

int64_t leading_dimension(const struct tcplan_machine *machine, int64_t element_bytes,
                          int64_t largest) {
    const int64_t per_line =
        machine->line_bytes / element_bytes > 0 ? machine->line_bytes / element_bytes : 1;
    const int64_t least = largest > LEADING_LEAST ? largest : LEADING_LEAST;
    const int64_t page_lines = lines_of_page(machine);
    int64_t bytes;
    if (!checked_mul_i64(least, 2 * element_bytes, &bytes)) return 0;
    int64_t lines = (least + per_line - 1) / per_line;
    for (int t = 0; t < TRIES; t++, lines++) {
        if (visits_all_sets(machine, lines) && columns_are_apart(lines % page_lines, page_lines))
            return lines * per_line;
    }
    return 0;
}
