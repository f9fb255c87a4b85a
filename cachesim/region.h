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

/** A strided block of a tensor or temporary: its dimensions in increasing order of strides, which
 * are positive. Dimensions that are contiguous with each other are merged. */
struct region {
    enum tcplan_operand operand;
    bool temporary;
    bool written;
    int rank;
    int64_t offset_bytes; /**< bytes from the lowest address of the tensor or temporary to the
                             lowest address of the region */
    int64_t element_bytes;
    struct region_dimension dimension[TCPLAN_MAX_INDICES];
};

/** A restriction of the iterations of a nest: some indices are fixed, one is restricted to a range,
 * all others take all values. */
struct region_scope {
    const int64_t *at; /**< iteration of every fixed index */
    uint64_t fixed;    /**< indices fixed at `at` */
    int ranged;        /**< index restricted to [first, first + count); -1: none */
    int64_t first;
    int64_t count;
};

/** Returns the region that `slice` touches within `scope`. */
struct region region_of(const struct refined_problem *problem, struct tcplan_slice slice,
                        bool written, const struct region_scope *scope);

/** Sorts and merges the dimensions of a region that were set by hand, with strides of any sign. */
void region_sort(struct region *region);

/**
 * Returns the cache footprint of a region: its distinct cache lines times the line size. Exact
 * except for lines shared between rows, or by overlapping rows.
 */
double region_footprint_bytes(const struct region *region, int64_t line_bytes);

/** Views a region as runs of memory with gaps shorter than a line. Sets *run_bytes to the length of
 * a run, and returns the number of dimensions, from dimension 0 on, that a run covers. */
int region_run(const struct region *region, int64_t line_bytes, int64_t *run_bytes);

#endif
