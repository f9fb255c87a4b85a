/**
 * The variance of times between processes, minutes apart, in addition to the spread of their
 * samples. Its causes are other threads of the core, the clock, the placement of pages, and shares
 * of a cache.
 *
 * One variance of logarithms holds for all predictions. It is learned from winners: each ranking
 * compares the time of its winner with what an earlier process reported for the same algorithm and
 * problem. The prior counts as one such observation.
 */
#ifndef PLAN_LEARN_BETWEEN_H
#define PLAN_LEARN_BETWEEN_H

#include "plan/rank.h"

/*
 * Prior standard deviation. With this value, 95 % of single runs were inside the intervals of 880
 * predictions (14 studies of bench/decision on a two-core Intel guest, most of them under other
 * load). A thread that shares its core at random times would have 0.16; with that value, 97 % of
 * the runs were inside the intervals.
 */
#define BETWEEN_PRIOR 0.1

/** Returns half the 95 % interval of the logarithm of a run's time over what an earlier process
 * predicted. `experience` may be NULL. */
double between_half_width(const struct tcplan_experience *experience);

/**
 * Learns from a winner, and records it for later processes. Does nothing if an earlier process
 * recorded the winner within the last minute.
 *
 * @param error  the standard error of its time's logarithm, by its samples
 */
void between_learn(const struct ranker *ranker, const struct tcplan_entry *winner, double error);

#endif
