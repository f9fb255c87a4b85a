/**
 * The naive predictor: every operation of a nest again and again on the same operands
 * (dissertation, section 6.2.2).
 */
#ifndef MICROBENCH_REPEATED_H
#define MICROBENCH_REPEATED_H

#include "microbench/predict/window.h"

enum { REPEATED_REPETITIONS = 10 };

/**
 * Times kernel calls on operands that stay in cache. Calls shorter than the clock resolves are
 * timed in batches.
 *
 * @param sample_ns  receives REPEATED_REPETITIONS times, each of all kernel calls of the
 *                   contraction
 * @return TCPLAN_OK or TCPLAN_NO_MEMORY
 */
enum tcplan_status repeated_kernel(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                   struct tcplan_error *error);

/** As repeated_kernel(), with every copy and scaling, each by itself. */
enum tcplan_status repeated_nest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                 struct tcplan_error *error);

/**
 * Times the kernel with all extents 1, transpositions and strides unchanged: what a call costs
 * before it computes.
 *
 * @param sample_ns  receives REPEATED_REPETITIONS times, each of one call; 0 where the provider has
 *                   no such kernel, or a compiler would have to make it
 */
enum tcplan_status repeated_smallest(struct window *window, double sample_ns[REPEATED_REPETITIONS],
                                     struct tcplan_error *error);

/** Times a copy or scaling on operands that stay in cache; each time is that of all of its
 * executions. */
enum tcplan_status repeated_operation(struct window *window, const struct operation *operation,
                                      double sample_ns[REPEATED_REPETITIONS],
                                      struct tcplan_error *error);

#endif
