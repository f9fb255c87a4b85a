/** Times a contraction that has nothing to multiply: C := beta C, or D := beta C of an addend. */
#ifndef MICROBENCH_SCALING_H
#define MICROBENCH_SCALING_H

#include "microbench/program/buffers.h"

/**
 * Times scaling the result of a problem, or as much of the result as fits in the memory limit.
 * @param sample_ns receives `count` times, in nanoseconds, of scaling the whole result
 */
void scaling_time(double sample_ns[], int count, const struct tcplan_problem *problem,
                  struct buffers *buffers);

#endif
