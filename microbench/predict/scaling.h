/** Times a contraction that has nothing to multiply: C := beta C, or D := beta C of an addend. */
#ifndef MICROBENCH_SCALING_H
#define MICROBENCH_SCALING_H

#include "microbench/program/buffers.h"

/**
 * Scales the result of a problem, or as much of it as may be backed, several times.
 * @param sample_ns  receives `count` times of the whole result
 */
void scaling_time(double sample_ns[], int count, const struct tcplan_problem *problem,
                  struct buffers *buffers);

#endif
