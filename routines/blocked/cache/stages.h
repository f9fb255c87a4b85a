/**
 * The stages of the cache model: combine separately measured times of calls into estimates of
 * their times within an algorithm, and compute the errors of the estimates. Pure functions.
 */
#ifndef BLOCKED_STAGES_H
#define BLOCKED_STAGES_H

#include "cachesim/call_history.h"
#include "tcplan/blocked_cache.h"

/** Parameters of the model. */
struct stages_rules {
    double cache_bytes;
    int64_t line_bytes;
    double whole_bytes; /**< bytes of all matrices */
    int64_t step_calls; /**< length of the history, in calls */
    double split_share;
    struct cache_smoothing smoothing;
};

/** A call: its data, and the times measured separately for it. */
struct stages_call {
    const struct call_accesses *accesses;
    double repeated, in_cache, out_of_cache,
        aware; /**< time of the call in each state of the cache, in seconds */
};

/**
 * Estimates all calls in order: out[c].estimate and out[c].share.
 *
 * @return false if memory runs out
 */
bool stages_estimate(struct tcplan_blocked_cache_call out[], const struct stages_call call[],
                     int64_t count, const struct stages_rules *rules);

/** Summarises the errors of the estimates, for each kernel of the study and for all calls. The
 * names of the kernels must be set. */
void stages_sum(struct tcplan_blocked_cache *study);

/** Returns the median of `count` numbers, which are sorted; 0 if there are none. */
double stages_median(double *value, int64_t count);

/**
 * Returns the noise of the machine, from times of `count` calls in `runs` consecutive runs: for
 * each call that counts, the difference between the medians of even and odd runs over the median
 * of all; averaged over the calls. 0 for fewer than two runs.
 *
 * @param scratch  room for `runs` numbers
 */
double stages_spread(const struct tcplan_blocked_cache_call call[], const double *time,
                     int64_t count, int64_t runs, double scratch[]);

#endif
