#include "cachesim/region.h"

#include <assert.h>

#include "ast/nest/refine.h"
#include "base/indexset.h"

/** Adds a dimension. If its stride is negative, the region begins at the other end; a dimension
 * with stride 0 is ignored. */
static void add_dimension(struct region *region, int64_t extent, int64_t stride_bytes) {
    assert(extent > 0 && region->rank < TCPLAN_MAX_INDICES);
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
    region->dimension[place] =
        (struct region_dimension){.extent = extent, .stride_bytes = stride_bytes};
}

#ifndef NDEBUG
static bool strides_ascend(const struct region *region) {
    for (int d = 1; d < region->rank; d++) {
        if (region->dimension[d - 1].stride_bytes > region->dimension[d].stride_bytes) return false;
    }
    return true;
}
#endif
/** Merges neighbouring dimensions that together form one arithmetic progression. */
static void merge_dimensions(struct region *region) {
    assert(strides_ascend(region));
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
    /* inserting dimension d moves only dimensions before it */
    for (int d = 0; d < rank; d++) {
        const struct region_dimension dimension = region->dimension[d];
        if (dimension.extent > 1) add_dimension(region, dimension.extent, dimension.stride_bytes);
    }
    merge_dimensions(region);
}

/** The iterations [first, first + count) of an index. */
struct range {
    int64_t first;
    int64_t count;
};

static struct range range_of(const struct refined_problem *problem, struct tcplan_slice slice,
                             int index, const struct region_scope *scope) {
    struct range range = {0, problem->extent[index]};
    if (!indexset_has(slice.span, index) && index == scope->ranged) {
        range = (struct range){scope->first, scope->count};
    } else if (!indexset_has(slice.span, index) && indexset_has(scope->fixed, index)) {
        range = (struct range){scope->at[index], 1};
    }
    return range;
}

/** Returns whether a range covers all values of an index, or all that remain in the last tile. */
static bool is_whole(struct range range, int64_t extent) {
    return range.first == 0 && range.count >= extent;
}

/** Returns the index that runs within the steps that an index counts; -1: the index counts
 * points. */
static int inner_of(const struct refined_problem *problem, int index) {
    const int tile = refinement_tile_of_steps(problem->refinement, index);
    return tile < 0 ? -1 : problem->refinement->tile[tile].inner;
}

/** Returns whether the ranges of an index and of the indices within its steps together end
 * within the first `points` points. */
static bool ends_within(const struct refined_problem *problem, int index, int64_t points,
                        const struct range range[]) {
    int64_t last = 0;
    for (; index >= 0; index = inner_of(problem, index))
        last += (range[index].first + range[index].count - 1) * problem->step[index];
    return last < points;
}

/**
 * Shortens the ranges of an index and of the steps around it if they contain the last, smaller
 * step, at the end of a tensor.
 * @param index the outermost of these indices; the index within its steps follows, and so on
 *     inwards
 * @param points  number of available points
 */
static void end_at_border(const struct refined_problem *problem, int index, int64_t points,
                          struct range range[]) {
    assert(points > 0);
    const int64_t step = problem->step[index];
    const int64_t count = (points + step - 1) / step;
    const int inner = inner_of(problem, index);
    struct range *own = &range[index];
    if (own->first >= count) *own = (struct range){count - 1, 1};
    if (inner < 0 || own->first + own->count < count) {
        if (own->first + own->count > count) own->count = count - own->first;
        return;
    }
    own->count = count - own->first;
    const int64_t last_points = points - (count - 1) * step;
    if (own->count == 1) {
        end_at_border(problem, inner, last_points, range);
        return;
    }
    if (last_points == step || ends_within(problem, inner, last_points, range)) return;
    bool all = true;
    for (int i = inner; i >= 0; i = inner_of(problem, i))
        all = all && is_whole(range[i], problem->extent[i]);
    if (!all) {
        own->count--;
        return;
    }
    /* Points of consecutive steps are consecutive. */
    int point = inner;
    for (; inner_of(problem, point) >= 0; point = inner_of(problem, point))
        range[point] = (struct range){0, 1};
    range[point] = (struct range){own->first * step, points - own->first * step};
    *own = (struct range){0, 1};
}

static void add_range(struct region *region, struct range range, int64_t stride_bytes) {
    assert(range.first >= 0 && range.count > 0);
    region->offset_bytes += range.first * stride_bytes;
    if (range.count > 1) add_dimension(region, range.count, stride_bytes);
}

/** Adds an index of a tensor, with the steps around it. */
static void add_tensor_index(struct region *region, const struct refined_problem *problem,
                             struct tcplan_slice slice, int point,
                             const struct region_scope *scope) {
    struct range range[TCPLAN_MAX_INDICES];
    int outermost = point;
    for (int index = point; index >= 0; index = refinement_outer(problem->refinement, index)) {
        range[index] = range_of(problem, slice, index, scope);
        outermost = index;
    }
    if (outermost != point) end_at_border(problem, outermost, problem->rest[outermost], range);
    for (int index = point; index >= 0; index = refinement_outer(problem->refinement, index)) {
        add_range(region, range[index],
                  slice_stride(problem, slice, index) * region->element_bytes);
    }
}

struct region region_of(const struct refined_problem *problem, struct tcplan_slice slice,
                        bool written, const struct region_scope *scope) {
    struct region region = {.operand = slice.operand,
                            .temporary = slice.temporary,
                            .written = written,
                            .element_bytes = (int64_t)problem->written.element_bytes};
    if (!slice.temporary)
        region.offset_bytes = problem->written.first_elems[slice.operand] * region.element_bytes;
    for (uint64_t indices = slice_indices(problem->refinement, slice); indices;
         indices &= indices - 1) {
        const int index = indexset_first(indices);
        if (slice.temporary) {
            add_range(&region, range_of(problem, slice, index, scope),
                      slice_stride(problem, slice, index) * region.element_bytes);
        } else if (refinement_tile_of_steps(problem->refinement, index) < 0) {
            add_tensor_index(&region, problem, slice, index, scope);
        }
    }
    merge_dimensions(&region);
    return region;
}

int region_run(const struct region *region, int64_t line_bytes, int64_t *run_bytes) {
    assert(line_bytes > 0 && strides_ascend(region));
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
    /* A run that begins anywhere in a line touches lines with this many bytes on average. */
    const double lines = aligned
                             ? (double)run_bytes / (double)line_bytes
                             : 1 + (double)(run_bytes - region->element_bytes) / (double)line_bytes;
    return runs * lines * (double)line_bytes;
}
