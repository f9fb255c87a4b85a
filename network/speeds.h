/**
 * How fast the machine multiplies matrices and moves data, for coarse times: thousands of steps are
 * looked at, and few of them estimated.
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
        double holds_bytes; /* INFINITY: memory */
        double bytes_per_second;
    } level[SPEED_LEVELS];
};

/** Looks at the machine's ceilings if it has them, at speeds that machines have otherwise. */
struct speeds speeds_of(const struct tcplan_machine *machine, enum tcplan_dtype dtype, int threads);

/** Seconds of `calls` products of matrices, m x k by k x n, or of the smaller kernel if some
 * extents are 1. */
double speeds_product(const struct speeds *speeds, double calls, double m, double n, double k);

/** Seconds of so many products of two vectors of such a length, number by number. */
double speeds_elementwise(const struct speeds *speeds, double calls, double length);

/** Seconds to move so many bytes where all that is worked on has `all` bytes. */
double speeds_moving(const struct speeds *speeds, double bytes, double all);

#endif
