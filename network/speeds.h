/**
 * Speeds of matrix products and of moving data, for coarse times: a search considers thousands of
 * steps and estimates only few of them.
 */
#ifndef NETWORK_SPEEDS_H
#define NETWORK_SPEEDS_H

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

/** Returns the speeds of a machine: from its ceilings if they are known, otherwise assumed ones. */
struct speeds speeds_of(const struct tcplan_machine *machine, enum tcplan_dtype dtype, int threads);

/** Returns the seconds of `calls` products of matrices, m x k by k x n, or of a kernel for vectors
 * if extents are 1. */
double speeds_product(const struct speeds *speeds, double calls, double m, double n, double k);

/** Returns the seconds of `calls` elementwise products of two vectors of `length` elements. */
double speeds_elementwise(const struct speeds *speeds, double calls, double length);

/** Returns the seconds of moving `bytes` if the working set has `all` bytes. */
double speeds_moving(const struct speeds *speeds, double bytes, double all);

/** Returns the seconds of a step: `calls` products of matrices, m x k by k x n, moving all three
 * tensors, which take `bytes`, once, packing their elements, and a constant. The factor
 * with the larger free extents counts as the left one, so that the order of factors does not. */
double speeds_step(const struct speeds *speeds, double calls, double m, double n, double k,
                   double bytes);

#endif
