/**
 * Threads around the kernels: which loop of an algorithm they share, and how evenly.
 */
#ifndef PLAN_LOOP_SHARING_H
#define PLAN_LOOP_SHARING_H

#include "tcplan/algorithm.h"
#include "tcplan/problem.h"

/** Returns the share of an algorithm's calls that the busiest thread makes: 1 if no loop is
 * shared. */
double loop_sharing_largest(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm, int threads);

/**
 * Lets threads share a loop of an arrangement: the one that its structure names, or both of two,
 * which become the outermost; otherwise the outermost one with work for all threads.
 *
 * @return false if there is none
 */
bool loop_sharing_choose(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                         const struct tcplan_algorithm *structure, int threads);

/** Lets threads share two loops as one; false if there are none, or if one loop alone divides as
 * evenly. */
bool loop_sharing_collapse(struct tcplan_algorithm *algorithm, const struct tcplan_problem *problem,
                           int threads);

#endif
