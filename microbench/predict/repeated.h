/**
 * The naive predictor: repeats each operation of a nest on the same operands (dissertation, section
 * 6.2.2).
 */
#ifndef MICROBENCH_REPEATED_H
#define MICROBENCH_REPEATED_H

#include "microbench/predict/window.h"

enum { REPEATED_REPETITIONS = 10 };

/**
 * Times kernel calls on operands that stay in cache. Calls too short for the clock are timed in
 * batches.
 * @param sample_ns  receives REPEATED_REPETITIONS times, each of all kernel calls of the
 *   contraction
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status repeated_kernel(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                   struct tcplan_error *error);

/** Times like repeated_kernel() and also times every copy and scaling by itself. */
enum tcplan_status repeated_nest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                 struct tcplan_error *error);

/**
 * Times the kernel with all extents 1, with the same transpositions and strides: the overhead of a
 * call.
 * @param sample_ns  receives REPEATED_REPETITIONS times, each of one call; 0 if the provider has no
 *   such kernel or would have to compile it
 */
enum tcplan_status repeated_smallest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                     struct tcplan_error *error);

/** Times a copy or scaling on operands that stay in cache; each time is that of all its
 * executions. */
enum tcplan_status repeated_operation(struct window *window, const struct operation *operation,
                                      double sample_ns[REPEATED_REPETITIONS],
                                      struct tcplan_error *error);

#endif
