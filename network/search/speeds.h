/**
 * Speeds of matrix products and of moving data, from which coarse times are computed: a search
 * considers thousands of steps and can estimate only few of them.
 */
#ifndef NETWORK_SEARCH_SPEEDS_H
#define NETWORK_SEARCH_SPEEDS_H

#include "tcplan/machine.h"

enum { SPEED_LEVELS = 16 };

struct speeds {
    const struct tcplan_machine *machine; /* borrowed */
    enum tcplan_dtype dtype;
    int threads;
    bool has_libxsmm;
    int level_count;
    struct {
        double holds_bytes; /* size of the memory level; INFINITY: main memory */
        double bytes_per_second;
    } level[SPEED_LEVELS];
};

/** Returns the speeds of a machine, from its ceilings if they are known, otherwise assumed
 * speeds. */
struct speeds speeds_of(const struct tcplan_machine *machine, enum tcplan_dtype dtype, int threads);

/** Returns the seconds of `calls` products of matrices, m x k by k x n. If some extents are 1, the
 * product is one of vectors. */
double speeds_product(const struct speeds *speeds, double calls, double m, double n, double k);

/** Returns the seconds of `calls` elementwise products of two vectors of `length` elements. */
double speeds_elementwise(const struct speeds *speeds, double calls, double length);

/** Returns the seconds of moving `bytes` bytes if the working set has `all` bytes. */
double speeds_moving(const struct speeds *speeds, double bytes, double all);

/** Returns the seconds of a step: `calls` products of matrices, m x k by k x n; moving the three
 * tensors, which have `bytes` bytes, once; packing their elements; and a constant. The factor with
 * the larger free extents counts as the left one, so that the order of the factors does not
 * matter. */
double speeds_step(const struct speeds *speeds, double calls, double m, double n, double k,
                   double bytes);

#endif
