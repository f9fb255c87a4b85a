#include "cachesim/region.h"

#include "ast/refine.h"
#include "base/indexset.h"

/** Downwards is upwards from the other end; a stride of 0 leads nowhere. */
static void add_dimension(struct region *region, int64_t extent, int64_t stride_bytes) {
    if (stride_bytes == 0) return;
    if (stride_bytes < 0) {
        region->offset_bytes += (extent - 1) * stride_bytes;
        stride_bytes = -stride_bytes;
    }
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

/** Iterations [first, first + count) of an index. */
struct range {
    int64_t first;
    int64_t count;
};

static struct range range_of(const struct refined_problem *problem, struct tcplan_slice slice, int index,
                             const struct region_scope *scope) {
    struct range range = {0, problem->extent[index]};
    if (!indexset_has(slice.span, index) && index == scope->ranged) {
        range = (struct range){scope->first, scope->count};
    } else if (!indexset_has(slice.span, index) && indexset_has(scope->fixed, index)) {
        range = (struct range){scope->at[index], 1};
    }
    return range;
}

/** Cuts points and steps of a tile down where the last, smaller step is among them: a tensor ends there. */
static void end_at_border(const struct refined_problem *problem, struct tile tile, struct range *steps, struct range *points) {
    const int64_t last = problem->last_extent[tile.point];
    const bool at_border = steps->first + steps->count == problem->extent[tile.steps] && points->first + points->count > last;
    if (!at_border) return;
    if (steps->count == 1) {
        if (points->first >= last) points->first = last - 1;
        points->count = last - points->first;
    } else if (points->first == 0 && points->count == problem->extent[tile.point]) {
        /* All points of several steps follow each other. */
        points->count = (steps->count - 1) * points->count + last;
        points->first = steps->first * problem->extent[tile.point];
        *steps = (struct range){0, 1};
    } else {
        steps->count--;
    }
}

static void add_range(struct region *region, struct range range, int64_t stride_bytes) {
    region->offset_bytes += range.first * stride_bytes;
    if (range.count > 1) add_dimension(region, range.count, stride_bytes);
}

struct region region_of(const struct refined_problem *problem, struct tcplan_slice slice, bool written, const struct region_scope *scope) {
    struct region region = {.operand = slice.operand,
                            .temporary = slice.temporary,
                            .written = written,
                            .element_bytes = (int64_t)problem->written.element_bytes};
    if (!slice.temporary) region.offset_bytes = problem->written.first_elems[slice.operand] * region.element_bytes;
    for (uint64_t indices = slice_indices(problem->refinement, slice); indices; indices &= indices - 1) {
        const int index = indexset_first(indices);
        const int64_t stride_bytes = slice_stride(problem, slice, index) * region.element_bytes;
        const int tile = slice.temporary ? -1 : refinement_tile_of_points(problem->refinement, index);
        struct range range = range_of(problem, slice, index, scope);
        if (!slice.temporary && refinement_tile_of_steps(problem->refinement, index) >= 0) continue; /* with its points */
        if (tile >= 0) {
            const struct tile both = problem->refinement->tile[tile];
            struct range steps = range_of(problem, slice, both.steps, scope);
            end_at_border(problem, both, &steps, &range);
            add_range(&region, steps, slice_stride(problem, slice, both.steps) * region.element_bytes);
        }
        add_range(&region, range, stride_bytes);
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
