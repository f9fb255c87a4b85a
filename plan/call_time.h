/**
 * What a kernel's call takes by itself: as it was timed before, or timed now; by a model where the effort is to time nothing.
 */
#ifndef PLAN_CALL_TIME_H
#define PLAN_CALL_TIME_H

#include "gen/blas_call.h"
#include "plan/rank.h"

/**
 * Nanoseconds of a call by itself, with so many threads of the BLAS; negative where its provider cannot make it. What takes more than
 * `doubtful_ns` is timed twice, some time apart: other load and swings of the clock last for milliseconds.
 */
double call_time_ns(struct ranker *ranker, const struct blas_call *call, int threads, double doubtful_ns);

/** A call took so long in place, and takes no longer by itself. */
void call_time_learn(struct ranker *ranker, const struct blas_call *call, int threads, double ns);

#endif
