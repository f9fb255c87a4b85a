/**
 * Traces of the cache lines that the kernels of the validation access, for a cache simulator, and
 * a source of counts that uses the simulator.
 *
 * A trace has all lines of the operands, in the order in which a library accesses them: daxpy and
 * dgemv column by column, dgemm in Goto's loops with packed blocks.
 */
#ifndef ROOFLINE_VALIDATION_TRACES_H
#define ROOFLINE_VALIDATION_TRACES_H

#include "cachesim/simulator.h"
#include "microbench/counters/source.h"
#include "roofline/validation/runs.h"

/** Returns whether a kernel has a trace. An FFT has none, because FFTW's order of accesses is
 * unknown. */
bool validation_has_trace(enum tcplan_point_kernel kernel);

/** Functions of a struct protocol_target; the context is a struct validation_run with a simulator.
 */
void validation_trace(void *context, int64_t runs);
void validation_trace_empty(void *context, int64_t runs);

/** Returns a source of counts: the lines that level number `level`, the last cache, fetches from
 * memory and writes back. NULL if out of memory. */
struct counter_source *validation_simulated_counts(struct simulator *simulator, int level,
                                                   int64_t line_bytes);

#endif
