/**
 * By how many threads an algorithm is executed: a part of each candidate.
 *
 * Where several threads are allowed 1, the powers of two and all of them compete. Candidates are
 * generated for one thread and for all; the numbers between are neighbours of what looks good
 * (plan/search/neighbours.c).
 */
#ifndef PLAN_THREAD_COUNTS_H
#define PLAN_THREAD_COUNTS_H

#include "tcplan/rank.h"

enum { THREAD_COUNTS = 14 };

/** Numbers of threads that compete, ascending; returns how many: exactly the one of the options
 * where these ask for that. */
int thread_counts(int out[THREAD_COUNTS], const struct tcplan_rank_options *options);

/** How many of `threads` execute an algorithm: one, where nothing of it is shared; all, where the
 * options ask for exactly so many. */
int thread_count_of(const struct tcplan_rank_options *options,
                    const struct tcplan_algorithm *algorithm, int threads);

/** Those that candidates are generated for, the first and the last; of an algorithm of which
 * nothing is shared the first. `algorithm` is NULL: of any. Returns how many. */
int thread_counts_generated(int out[2], const struct tcplan_rank_options *options,
                            const struct tcplan_algorithm *algorithm);

#endif
