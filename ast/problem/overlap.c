#include "ast/problem/overlap.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/*
 * Two elements coincide if some index differences d_i, |d_i| < extent_i and not all 0, satisfy sum
 * d_i stride_i = 0. The search goes from the largest stride down: the span of the smaller ones
 * bounds each difference. If every stride exceeds that span, as in parts of dense tensors, a single
 * path is left.
 */

enum { MOST_STEPS = 1 << 20 };

struct search {
    int count;
    int dimension[TCPLAN_MAX_INDICES]; /* the dimensions in ascending order of their strides */
    int64_t stride[TCPLAN_MAX_INDICES];
    int64_t most[TCPLAN_MAX_INDICES];  /* for each dimension, the largest difference of two
                                          positions: the extent minus 1 */
    int64_t reach[TCPLAN_MAX_INDICES]; /* for each dimension, the largest sum of stride times
                                          difference over the dimensions with smaller strides */
    int64_t difference[TCPLAN_MAX_INDICES];
    int64_t steps;
};

static void insert(struct search *search, int dimension, int64_t stride, int64_t most) {
    assert(stride > 0 && most > 0 && search->count < TCPLAN_MAX_INDICES);
    int place = search->count++;
    for (; place > 0 && search->stride[place - 1] > stride; place--) {
        search->dimension[place] = search->dimension[place - 1];
        search->stride[place] = search->stride[place - 1];
        search->most[place] = search->most[place - 1];
    }
    search->dimension[place] = dimension;
    search->stride[place] = stride;
    search->most[place] = most;
}

static int64_t floor_divided(int64_t a, int64_t b) {
    assert(b > 0);
    return a / b - (a % b != 0 && a < 0);
}

/** Searches for index differences in the dimensions 0 to `place` whose contributions cancel
 * `sum`, the contribution of the dimensions with larger strides. `any` is true if the difference in
 * one of the latter is not 0. */
static enum overlap find(struct search *search, int place, int64_t sum, bool any) {
    if (place < 0) return any ? OVERLAP_FOUND : OVERLAP_NONE;
    const int64_t stride = search->stride[place];
    const int64_t reach = search->reach[place];
    int64_t first = -floor_divided(reach + sum, stride);
    int64_t last = floor_divided(reach - sum, stride);
    if (!any) first = 0; /* negative differences are skipped, because -d is a solution if d is */
    if (first < -search->most[place]) first = -search->most[place];
    if (last > search->most[place]) last = search->most[place];
    for (int64_t d = first; d <= last; d++) {
        if (++search->steps > MOST_STEPS) return OVERLAP_UNKNOWN;
        search->difference[place] = d;
        const enum overlap found = find(search, place - 1, sum + d * stride, any || d != 0);
        if (found != OVERLAP_NONE) return found;
    }
    return OVERLAP_NONE;
}

enum overlap overlap_of(const struct overlap_dimensions *dimensions,
                        int64_t difference[TCPLAN_MAX_INDICES]) {
    struct search search = {0};
    memset(difference, 0, (size_t)dimensions->count * sizeof *difference);
    for (int d = 0; d < dimensions->count; d++) {
        const int64_t stride = dimensions->stride[d];
        difference[d] = stride == 0 && dimensions->extent[d] > 1;
        if (difference[d] > 0) return OVERLAP_FOUND;
        if (dimensions->extent[d] > 1)
            insert(&search, d, stride < 0 ? -stride : stride, dimensions->extent[d] - 1);
    }
    for (int p = 1; p < search.count; p++)
        search.reach[p] = search.reach[p - 1] + search.stride[p - 1] * search.most[p - 1];
    assert(search.count == 0 || search.reach[search.count - 1] >= 0); /* no sum overflowed */
    const enum overlap found = find(&search, search.count - 1, 0, false);
    for (int p = 0; p < search.count && found == OVERLAP_FOUND; p++) {
        const int d = search.dimension[p];
        difference[d] = dimensions->stride[d] < 0 ? -search.difference[p] : search.difference[p];
    }
    return found;
}
