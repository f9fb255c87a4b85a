#include "cachesim/arrangement/units.h"

int arrangement_units(struct arrangement_unit out[ARRANGEMENT_UNITS],
                      const struct tcplan_costs *costs, double line_bytes) {
    int count = 0;
    for (int c = 0; c < costs->cache_count; c++) {
        out[count++] = (struct arrangement_unit){
            .capacity_bytes = costs->cache[c].held_bytes,
            .block = ARRANGEMENT_LINE,
            .block_bytes = line_bytes,
            .seconds = costs->cache[c].line_seconds,
            .sequential_seconds = costs->cache[c].line_seconds * costs->sequential};
    }
    out[count++] =
        (struct arrangement_unit){.capacity_bytes = (double)costs->page_bytes * costs->pages,
                                  .block = ARRANGEMENT_PAGE,
                                  .block_bytes = (double)costs->page_bytes,
                                  .seconds = costs->page_seconds,
                                  .sequential_seconds = costs->page_seconds};
    return count;
}

double arrangement_block_seconds(const struct arrangement_unit *unit, double run_bytes) {
    const double short_bytes = TCPLAN_SHORT_RUN_LINES * unit->block_bytes;
    const double share = run_bytes > short_bytes ? short_bytes / run_bytes : 1;
    return unit->sequential_seconds + (unit->seconds - unit->sequential_seconds) * share;
}

double arrangement_transfers(const struct tcplan_costs *costs, enum tcplan_operand operand,
                             bool streamed) {
    if (operand != TCPLAN_C) return 1;
    return streamed ? costs->streamed : costs->written;
}
