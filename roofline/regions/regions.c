#include "tcplan/regions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/input_file.h"
#include "roofline/regions/likwid.h"
#include "roofline/regions/list.h"
#include "roofline/regions/plain.h"

enum { MAX_BYTES = 1 << 26 };

const char *tcplan_bytes_source_name(enum tcplan_bytes_source source) {
    static const char *const names[] = {[TCPLAN_BYTES_UNKNOWN] = "unknown",
                                        [TCPLAN_BYTES_CONTROLLERS] = "memory controllers",
                                        [TCPLAN_BYTES_MISSES] = "misses of the last cache",
                                        [TCPLAN_BYTES_GIVEN] = "given",
                                        [TCPLAN_BYTES_COMPULSORY] = "compulsory"};
    return names[source];
}

/* Lists. */

struct tcplan_regions *regions_new(const char *source) {
    struct tcplan_regions *regions = base_alloc_zero(1, sizeof *regions);
    if (regions) snprintf(regions->source, sizeof regions->source, "%s", source);
    return regions;
}

struct tcplan_region *regions_add(struct tcplan_regions *regions, const char *name, size_t length) {
    if (regions->count == TCPLAN_REGIONS_MOST) return NULL;
    if ((regions->count & (regions->count - 1)) == 0) { /* the array is full when the count is a
                                                           power of two */
        const size_t capacity = regions->count ? 2 * regions->count : 1;
        struct tcplan_region *larger = base_realloc(regions->region, capacity * sizeof *larger);
        if (!larger) return NULL;
        regions->region = larger;
    }
    struct tcplan_region *region = &regions->region[regions->count++];
    *region = (struct tcplan_region){.seconds = -1,
                                     .flops = -1,
                                     .bytes = -1,
                                     .written_bytes = -1,
                                     .canonical_flops = -1,
                                     .efficiency = -1,
                                     .gflops = -1,
                                     .intensity = -1,
                                     .dtype = -1,
                                     .counted_share = 1};
    snprintf(region->name, sizeof region->name, "%.*s",
             (int)(length < sizeof region->name ? length : sizeof region->name - 1), name);
    return region;
}

void region_complete(struct tcplan_region *region) {
    if (region->flops >= 0 && region->seconds > 0)
        region->gflops = 1e-9 * region->flops / region->seconds;
    if (region->flops >= 0 && region->bytes > 0) region->intensity = region->flops / region->bytes;
}

void tcplan_regions_free(struct tcplan_regions *regions) {
    if (!regions) return;
    base_free(regions->region);
    base_free(regions);
}

/* Files. */

/** Rejects a file with a zero byte, which is no text. */
static enum tcplan_status refuse_bytes(const char *name, const char *text, const char *zero,
                                       struct tcplan_error *error) {
    const char *line = text;
    size_t number = 1;
    for (const char *end = memchr(line, '\n', (size_t)(zero - line)); end;
         end = memchr(line, '\n', (size_t)(zero - line))) {
        line = end + 1;
        number++;
    }
    const size_t column = (size_t)(zero - line);
    error_at(error, TCPLAN_INVALID, column, 1,
             "%.80s, line %zu, column %zu: expected the text of a CSV, found a byte 0", name,
             number, column + 1);
    if (error) error->line = number;
    return TCPLAN_INVALID;
}

enum tcplan_status tcplan_regions_parse(struct tcplan_regions **out, const char *name,
                                        const char *text, size_t length,
                                        struct tcplan_error *error) {
    const char *zero = memchr(text, '\0', length);
    if (zero) return refuse_bytes(name, text, zero, error);
    if (likwid_is(text, length)) return likwid_read(out, name, text, length, error);
    return plain_read(out, name, text, length, error);
}

enum tcplan_status tcplan_regions_read(struct tcplan_regions **out, const char *path,
                                       struct tcplan_error *error) {
    char *text;
    size_t length;
    enum tcplan_status status = input_file_read(&text, &length, "points ", path, MAX_BYTES, error);
    if (status != TCPLAN_OK) return status;
    status = tcplan_regions_parse(out, path, text, length, error);
    base_free(text);
    return status;
}

/* Places. */

/** Returns the operations of a region per byte in a direction; negative: unknown. */
static double intensity_of(const struct tcplan_region *region, enum tcplan_direction direction) {
    if (direction == TCPLAN_DIRECTION_BOTH) return region->intensity;
    if (region->flops < 0 || region->bytes < 0 || region->written_bytes < 0) return -1;
    const double bytes = direction == TCPLAN_DIRECTION_WRITE
                             ? region->written_bytes
                             : region->bytes - region->written_bytes;
    return bytes > 0 ? region->flops / bytes : -1;
}

bool tcplan_region_has_place(const struct tcplan_region *region, enum tcplan_direction direction) {
    return region->gflops > 0 && intensity_of(region, direction) > 0;
}

/** Kernels by the written share of the lines that they move. */
static const struct {
    const char *name;
    double write_share;
} kernels[] = {{"load", 0}, {"triad", 1.0 / 4}, {"copy", 1.0 / 3}, {"update", 1.0 / 2}};

static const struct tcplan_ceiling *memory_bandwidth(const struct tcplan_region *region,
                                                     const struct tcplan_region_roofs *roofs) {
    const struct tcplan_roofline *roofline = roofs->roofline;
    const int memory = roofline->machine.cache_count;
    if (roofs->direction == TCPLAN_DIRECTION_WRITE && !roofs->bandwidth)
        return tcplan_point_store_ceiling(roofline, memory, roofs->threads);
    if (roofs->direction == TCPLAN_DIRECTION_READ && !roofs->bandwidth)
        return tcplan_roofline_bandwidth(roofline, "load", memory, roofs->threads);
    if (roofs->bandwidth)
        return tcplan_roofline_bandwidth(roofline, roofs->bandwidth, memory, roofs->threads);
    const bool is_known = region->bytes > 0 && region->written_bytes >= 0;
    const double share = is_known ? region->written_bytes / region->bytes : 0;
    const struct tcplan_ceiling *best = NULL;
    double best_distance = INFINITY;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        const struct tcplan_ceiling *ceiling =
            tcplan_roofline_bandwidth(roofline, kernels[k].name, memory, roofs->threads);
        const double distance = fabs(kernels[k].write_share - share);
        if (!ceiling || distance >= best_distance) continue;
        best = ceiling;
        best_distance = distance;
    }
    return best;
}

bool tcplan_region_use_canonical(struct tcplan_region *region) {
    if (region->canonical_flops < 0 || region->flops <= 0) return false;
    const double factor = region->canonical_flops / region->flops;
    if (region->gflops >= 0) region->gflops *= factor;
    if (region->intensity >= 0) region->intensity *= factor;
    region->flops = region->canonical_flops;
    return true;
}

static const struct tcplan_ceiling *compute_ceiling(const struct tcplan_region_roofs *roofs,
                                                    enum tcplan_dtype dtype) {
    if (!roofs->compute)
        return tcplan_point_compute_ceiling(roofs->roofline, dtype, roofs->threads, roofs->fused);
    const bool single = dtype == TCPLAN_FLOAT || dtype == TCPLAN_FLOAT_COMPLEX;
    return tcplan_roofline_compute(roofs->roofline, roofs->compute,
                                   single ? TCPLAN_FLOAT : TCPLAN_DOUBLE, 0, roofs->threads);
}

struct tcplan_point tcplan_region_place(const struct tcplan_region *region,
                                        const struct tcplan_region_roofs *roofs) {
    const enum tcplan_dtype dtype =
        region->dtype >= 0 ? (enum tcplan_dtype)region->dtype : roofs->dtype;
    const struct tcplan_ceiling *bandwidth = memory_bandwidth(region, roofs);
    const double intensity = intensity_of(region, roofs->direction);
    struct tcplan_point point = {.origin = region->flops_origin,
                                 .direction = roofs->direction,
                                 .intensity_low = intensity,
                                 .intensity_high = intensity,
                                 .gflops = region->gflops,
                                 .compute = compute_ceiling(roofs, dtype),
                                 .bandwidth = bandwidth,
                                 .model_bandwidth = bandwidth};
    if (!point.compute || !bandwidth) return point;
    const double fed = tcplan_point_line_rate(bandwidth, roofs->direction) * intensity;
    const double rate =
        roofs->theoretical && point.compute->limit > 0 ? point.compute->limit : point.compute->rate;
    point.compute_bound = rate <= fed;
    point.roof = point.model_roof = fmin(rate, fed);
    point.efficiency = point.model_efficiency = point.gflops / point.roof;
    point.above_roof = point.above_model = point.efficiency > 1;
    return point;
}
