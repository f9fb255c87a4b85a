/**
 * Traces: the lines that the kernels of the validation touch, for a cache simulator, and a source
 * of counts that uses it.
 *
 * A trace has every line that an operand has, in the order in which a library comes by: daxpy and
 * dgemv column by column, dgemm in Goto's loops with packed blocks.
 */
#ifndef ROOFLINE_VALIDATION_TRACES_H
#define ROOFLINE_VALIDATION_TRACES_H

#include "cachesim/simulator.h"
#include "microbench/counters/source.h"
#include "roofline/validation/runs.h"

/** Whether there is a trace of a kernel: FFTW's order of accesses is unknown. */
bool validation_has_trace(enum tcplan_point_kernel kernel);

/** Functions of a struct protocol_target; the context is a struct validation_run with a simulator.
 */
void validation_trace(void *context, int64_t runs);
void validation_trace_empty(void *context, int64_t runs);

/** A source of counts from a simulator: lines that a level, the last, fetches from memory and
 * writes back. NULL if memory runs out. */
struct counter_source *validation_simulated_counts(struct simulator *simulator, int level,
                                                   int64_t line_bytes);

#endif
