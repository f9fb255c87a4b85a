/**
 * The number of threads, a part of each candidate.
 *
 * If several threads are allowed, 1, the powers of two and all of them compete. Candidates are
 * generated for one thread and for all; the numbers in between are neighbours of good candidates
 * (plan/search/neighbours.c).
 */
#ifndef PLAN_THREAD_COUNTS_H
#define PLAN_THREAD_COUNTS_H

#include "tcplan/rank.h"

enum { THREAD_COUNTS = 14 };

/** Lists the competing numbers of threads in ascending order and returns how many there are. If
 * the options demand an exact number, lists only that. */
int thread_counts(int out[THREAD_COUNTS], const struct tcplan_rank_options *options);

/** Returns how many of `threads` execute an algorithm: one if no loop or call is shared; all if the
 * options demand exactly this number. */
int thread_count_of(const struct tcplan_rank_options *options,
                    const struct tcplan_algorithm *algorithm, int threads);

/** Lists the numbers of threads for which candidates are generated: the first and last competing
 * number, or only the first if threads can share nothing of `algorithm`. NULL stands for any
 * algorithm. Returns how many. */
int thread_counts_generated(int out[2], const struct tcplan_rank_options *options,
                            const struct tcplan_algorithm *algorithm);

#endif
