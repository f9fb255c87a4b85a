/**
 * Regions: the part of an operand that a stretch of a loop nest touches.
 */
#ifndef CACHESIM_REGION_H
#define CACHESIM_REGION_H

#include "ast/problem/slice.h"

/** One dimension of a region, in bytes. */
struct region_dimension {
    int64_t extent;
    int64_t stride_bytes;
};

/** A strided block of a tensor or temporary: dimensions by rising positive stride, merged if
 * they continue each other. */
struct region {
    enum tcplan_operand operand;
    bool temporary;
    bool written;
    int rank;
    int64_t offset_bytes; /**< from the lowest address of the tensor or temporary to that of the
                             region */
    int64_t element_bytes;
    struct region_dimension dimension[TCPLAN_MAX_INDICES];
};

/** Indices fixed at iterations, one loop restricted to a range, everything else whole. */
struct region_scope {
    const int64_t *at; /**< iteration of every fixed index */
    uint64_t fixed;    /**< indices fixed at `at` */
    int ranged;        /**< index restricted to [first, first + count); -1: none */
    int64_t first;
    int64_t count;
};

/** The region that `slice` touches within `scope`. */
struct region region_of(const struct refined_problem *problem, struct tcplan_slice slice,
                        bool written, const struct region_scope *scope);

/** Puts a region's dimensions in order after they were set by hand, with strides of any sign, and
 * merges them. */
void region_sort(struct region *region);

/**
 * Returns the cache footprint of a region: its distinct cache lines times the line size. Exact
 * except for lines shared between rows, or by overlapping rows.
 */
double region_footprint_bytes(const struct region *region, int64_t line_bytes);

/** The region as runs of memory with no gap of a line or more: sets *run_bytes and returns how many
 * dimensions (from 0) a run covers. */
int region_run(const struct region *region, int64_t line_bytes, int64_t *run_bytes);

#endif
