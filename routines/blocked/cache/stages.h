/**
 * The stages of the cache model: from times of calls by themselves to estimates inside of an
 * algorithm, and what these are off by. Pure functions.
 */
#ifndef BLOCKED_STAGES_H
#define BLOCKED_STAGES_H

#include "cachesim/call_history.h"
#include "tcplan/blocked_cache.h"

/** Parameters of the model. */
struct stages_rules {
    double cache_bytes;
    int64_t line_bytes;
    double whole_bytes; /**< of all matrices */
    int64_t step_calls; /**< that the history holds */
    double split_share;
    struct cache_smoothing smoothing;
};

/** A call: its data, and its times alone. */
struct stages_call {
    const struct call_accesses *accesses;
    double repeated, in_cache, out_of_cache, aware; /**< seconds */
};

/**
 * Estimates all calls, in their order: out[c].estimate and out[c].share.
 *
 * @return false if memory runs out
 */
bool stages_estimate(struct tcplan_blocked_cache_call out[], const struct stages_call call[],
                     int64_t count, const struct stages_rules *rules);

/** Sums up the errors of calls with their estimates: of the study's kernels, whose names are set,
 * and of all. */
void stages_sum(struct tcplan_blocked_cache *study);

/** The median of so many numbers, which are sorted; 0 of none. */
double stages_median(double *value, int64_t count);

/**
 * The machine's own spread: times of `count` calls in `runs` runs, run after run. The mean over the
 * calls that count of the difference of the medians of the even and the odd runs, over the median
 * of all. 0 with less than two runs.
 *
 * @param scratch  room for `runs` numbers
 */
double stages_spread(const struct tcplan_blocked_cache_call call[], const double *time,
                     int64_t count, int64_t runs, double scratch[]);

#endif
