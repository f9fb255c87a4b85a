/** Traces the loops of a matrix product with the cache simulator. */
#ifndef BENCH_VALIDATION_LOOPS_H
#define BENCH_VALIDATION_LOOPS_H

#include "cachesim/simulator.h"

/** Traces three loops in the order i, j, k (`block` is 0), or six loops with blocks of extent
 * `block`. C is updated. */
void validation_trace_loops(struct simulator *simulator, int64_t n, int64_t block);

#endif
