/**
 * Threads around the kernels: which loop of an algorithm they share, and how evenly.
 */
#ifndef PLAN_LOOP_SHARING_H
#define PLAN_LOOP_SHARING_H

#include "tcplan/algorithm.h"
#include "tcplan/problem.h"

/** Returns the share of an algorithm's calls that the thread with the most calls makes; 1 if no
 * loop is shared. */
double loop_sharing_largest(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm, int threads);

/**
 * Shares a loop of an arrangement among threads: the outermost one of its structure's shared
 * loops, which become the outermost loops; if the structure has none, the outermost loop with
 * enough iterations for all threads.
 *
 * @return false if there is none
 */
bool loop_sharing_choose(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                         const struct tcplan_algorithm *structure, int threads);

/** Collapses two loops into one parallel loop; false if there are none, or if one loop alone
 * divides as evenly. */
bool loop_sharing_collapse(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                           int threads);

#endif
