/**
 * Loops over a matrix product, traced.
 */
#ifndef BENCH_VALIDATION_LOOPS_H
#define BENCH_VALIDATION_LOOPS_H

#include "cachesim/simulator.h"

/** Three loops in the order i, j, k, or six with blocks of `block` (0: three). C is updated. */
void validation_trace_loops(struct simulator *simulator, int64_t n, int64_t block);

#endif
