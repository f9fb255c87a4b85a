#include "cachesim/arrangement/units.h"

int arrangement_units(struct arrangement_unit out[ARRANGEMENT_UNITS],
                      const struct tcplan_costs *costs, double line_bytes) {
    int count = 0;
    for (int c = 0; c < costs->cache_count; c++) {
        out[count++] = (struct arrangement_unit){.capacity_bytes = costs->cache[c].held_bytes,
                                                 .block = ARRANGEMENT_LINE,
                                                 .block_bytes = line_bytes,
                                                 .seconds = costs->cache[c].line_seconds};
    }
    out[count++] =
        (struct arrangement_unit){.capacity_bytes = (double)costs->page_bytes * costs->pages,
                                  .block = ARRANGEMENT_PAGE,
                                  .block_bytes = (double)costs->page_bytes,
                                  .seconds = costs->page_seconds};
    return count;
}

double arrangement_transfers(const struct tcplan_costs *costs, enum tcplan_operand operand,
                             bool streamed) {
    if (operand != TCPLAN_C) return 1;
    return streamed ? costs->streamed : costs->written;
}
