#include "cachesim/region.h"

#include "base/indexset.h"

static void add_dimension(struct region *region, int64_t extent, int64_t stride_bytes) {
    int place = region->rank++;
    while (place > 0 && region->dimension[place - 1].stride_bytes > stride_bytes) {
        region->dimension[place] = region->dimension[place - 1];
        place--;
    }
    region->dimension[place] = (struct region_dimension){.extent = extent, .stride_bytes = stride_bytes};
}

/** Joins neighbouring dimensions that together are one arithmetic progression. */
static void merge_dimensions(struct region *region) {
    int kept = 0;
    for (int d = 1; d < region->rank; d++) {
        struct region_dimension *last = &region->dimension[kept];
        const struct region_dimension *next = &region->dimension[d];
        if (next->stride_bytes == last->stride_bytes * last->extent) {
            last->extent *= next->extent;
        } else {
            region->dimension[++kept] = *next;
        }
    }
    if (region->rank > 0) region->rank = kept + 1;
}

void region_sort(struct region *region) {
    const int rank = region->rank;
    region->rank = 0;
    /* Inserting dimension d only moves dimensions before it. */
    for (int d = 0; d < rank; d++) {
        const struct region_dimension dimension = region->dimension[d];
        if (dimension.extent > 1) add_dimension(region, dimension.extent, dimension.stride_bytes);
    }
    merge_dimensions(region);
}

struct region region_of(const struct tcplan_problem *problem, struct tcplan_slice slice, bool written, const struct region_scope *scope) {
    struct region region = {
        .operand = slice.operand, .temporary = slice.temporary, .written = written, .element_bytes = (int64_t)problem->element_bytes};
    for (uint64_t indices = slice_indices(problem->contraction, slice); indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        const int64_t stride_bytes = slice_stride(problem, slice, index) * region.element_bytes;
        int64_t first = 0;
        int64_t count = problem->extent[index];
        if (!indexset_has(slice.span, index) && index == scope->ranged) {
            first = scope->first;
            count = scope->count;
        } else if (!indexset_has(slice.span, index) && indexset_has(scope->fixed, index)) {
            first = scope->at[index];
            count = 1;
        }
        region.offset_bytes += first * stride_bytes;
        if (count > 1) add_dimension(&region, count, stride_bytes);
    }
    merge_dimensions(&region);
    return region;
}

int region_run(const struct region *region, int64_t line_bytes, int64_t *run_bytes) {
    int d = 0;
    *run_bytes = region->element_bytes;
    for (; d < region->rank; d++) {
        const struct region_dimension *dimension = &region->dimension[d];
        if (dimension->stride_bytes >= *run_bytes + line_bytes) break;
        *run_bytes += (dimension->extent - 1) * dimension->stride_bytes;
    }
    return d;
}

double region_footprint_bytes(const struct region *region, int64_t line_bytes) {
    int64_t run_bytes;
    int d = region_run(region, line_bytes, &run_bytes);
    bool aligned = run_bytes % line_bytes == 0 && region->offset_bytes % line_bytes == 0;
    double runs = 1;
    for (; d < region->rank; d++) {
        runs *= (double)region->dimension[d].extent;
        aligned = aligned && region->dimension[d].stride_bytes % line_bytes == 0;
    }
    /* A run that starts anywhere in a line touches on average this many bytes' worth of lines. */
    const double lines =
        aligned ? (double)run_bytes / (double)line_bytes : 1 + (double)(run_bytes - region->element_bytes) / (double)line_bytes;
    return runs * lines * (double)line_bytes;
}
