/**
 * The naive predictor: every operation of a nest again and again on the same operands (dissertation, section 6.2.2).
 */
#ifndef MICROBENCH_REPEATED_H
#define MICROBENCH_REPEATED_H

#include "microbench/window.h"

enum { REPEATED_REPETITIONS = 10 };

/**
 * Times kernel calls on operands that stay in cache. Calls shorter than the clock resolves are timed in batches.
 *
 * @param sample_ns  receives REPEATED_REPETITIONS times, each of all kernel calls of the contraction
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status repeated_kernel(struct window *window, double sample_ns[REPEATED_REPETITIONS], struct tcplan_error *error);

/** The same with every copy and scaling, each by itself. */
enum tcplan_status repeated_nest(struct window *window, double sample_ns[REPEATED_REPETITIONS], struct tcplan_error *error);

#endif
