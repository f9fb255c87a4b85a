/** A lower bound on the time of any algorithm, from the highest measured compute rate. */
#ifndef PLAN_CEILING_H
#define PLAN_CEILING_H

#include "tcplan/ceilings.h"
#include "tcplan/problem.h"

/**
 * Returns a lower bound, in seconds, for all algorithms of a problem: its operations divided by the
 * highest measured rate (instructions or gemm) of its type and number of threads, with a tolerance.
 * Data movement does not count, as caches hold an unknown part of the data.
 *
 * @param ceilings  NULL: none
 * @return 0 if no rate of instructions was measured for the type and the number of threads
 */
double ceiling_bound_seconds(const struct tcplan_roofline *ceilings,
                             const struct tcplan_problem *problem, int threads);

#endif
