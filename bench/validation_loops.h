/** Loops of a matrix product, traced by the cache simulator. */
#ifndef BENCH_VALIDATION_LOOPS_H
#define BENCH_VALIDATION_LOOPS_H

#include "cachesim/simulator.h"

/** Traces three loops in the order i, j, k, or six loops with blocks of `block` (0: three). C is
 * updated. */
void validation_trace_loops(struct simulator *simulator, int64_t n, int64_t block);

#endif
