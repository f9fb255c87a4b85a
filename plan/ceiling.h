/**
 * What the machine's ceilings exclude: times that no algorithm can have.
 */
#ifndef PLAN_CEILING_H
#define PLAN_CEILING_H

#include "tcplan/ceilings.h"
#include "tcplan/problem.h"

/**
 * Seconds that no algorithm of a problem is believed to stay below: its products at the highest
 * rate of arithmetic that was measured, instructions or gemm, of its type by so many threads, which
 * itself may be off by the tolerance. What data have to be moved does not count: caches keep an
 * unknown part of them.
 *
 * @param ceilings  NULL: none
 * @return 0 where no instructions were measured for the type and the number of threads
 */
double ceiling_least_seconds(const struct tcplan_roofline *ceilings,
                             const struct tcplan_problem *problem, int threads);

#endif
