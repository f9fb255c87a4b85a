/**
 * Reads any bytes as a file of regions. Errors must have a message and a position; accepted
 * regions must have finite or unknown numbers, and a point below artificial roofs if they claim
 * one.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "tcplan/regions.h"

static bool is_number(double value) {
    return isfinite(value) && (value >= 0 || value == -1);
}

static void check_region(const struct tcplan_region *region) {
    struct tcplan_ceiling compute = {
        .name = "fma", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 50};
    struct tcplan_ceiling bandwidth = {.name = "load",
                                       .level = "DRAM",
                                       .threads = 1,
                                       .cache = 1,
                                       .rate = 10,
                                       .line_bytes_per_count_byte = 1};
    struct tcplan_roofline roofline = {.machine.cache_count = 1,
                                       .compute = &compute,
                                       .compute_count = 1,
                                       .bandwidth = &bandwidth,
                                       .bandwidth_count = 1};
    require(memchr(region->name, '\0', sizeof region->name) && region->name[0] != '\0');
    require(is_number(region->seconds) && is_number(region->flops) && is_number(region->bytes) &&
            is_number(region->written_bytes));
    require(is_number(region->gflops) && is_number(region->intensity) && region->threads >= 0 &&
            region->calls >= 0);
    for (int d = TCPLAN_DIRECTION_BOTH; d <= TCPLAN_DIRECTION_WRITE; d++) {
        const struct tcplan_region_roofs roofs = {.roofline = &roofline,
                                                  .dtype = TCPLAN_DOUBLE,
                                                  .threads = 1,
                                                  .fused = true,
                                                  .direction = (enum tcplan_direction)d};
        if (!tcplan_region_has_place(region, roofs.direction)) continue;
        const struct tcplan_point point = tcplan_region_place(region, &roofs);
        require(point.roof == 0 || (point.roof > 0 && point.efficiency > 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tcplan_regions *regions = NULL;
    struct tcplan_error error = {0};
    if (tcplan_regions_parse(&regions, "fuzz", size > 0 ? (const char *)data : "", size, &error) ==
        TCPLAN_OK) {
        require(regions->count > 0);
        for (size_t r = 0; r < regions->count; r++) check_region(&regions->region[r]);
    } else {
        require(error.status == TCPLAN_INVALID && error.message[0] != '\0' && error.line >= 1);
    }
    tcplan_regions_free(regions);
    return 0;
}
