/**
 * The assumed hardware prefetches between iterations of the innermost loop (dissertation, section
 * 6.2.4).
 */
#ifndef CACHESIM_PREFETCH_H
#define CACHESIM_PREFETCH_H

#include "ast/nest/refine.h"

/** Why an operand is cached although the previous iteration touched another one. */
enum prefetch {
    PREFETCH_NONE,
    PREFETCH_SHARED_LINES, /**< the loop runs over the operand's first dimension: iterations share
                              cache lines */
    PREFETCH_NEXT /**< the loop runs over the second dimension, and the first one is whole or within
                     a line: the next operand follows in memory */
};

/** Returns the number of elements in a cache line, at least 1. */
int64_t prefetch_line_elems(const struct refined_problem *problem, int64_t line_bytes);

/**
 * Returns the prefetch of a slice of the kernel directly inside the loop over `index`. The first
 * dimension is the contiguous one: in row-major order, the last. An index that takes a diagonal
 * runs over neither dimension.
 */
enum prefetch prefetch_of(const struct refined_problem *problem, struct tcplan_slice slice,
                          int index, int64_t line_bytes);

/** Returns the number of elements of a slice that are prefetched: one cache line along its first
 * dimension, everything along the others. */
int64_t prefetch_elems(const struct refined_problem *problem, struct tcplan_slice slice,
                       int64_t line_bytes);

#endif
