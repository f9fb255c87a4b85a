/**
 * The stages of the cache model: combine separate times of calls to estimates within an algorithm,
 * and compute their errors. Pure functions.
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
    int64_t step_calls; /**< length of the history */
    double split_share;
    struct cache_smoothing smoothing;
};

/** A call: its data and its separate times. */
struct stages_call {
    const struct call_accesses *accesses;
    double repeated, in_cache, out_of_cache, aware; /**< seconds */
};

/**
 * Estimates all calls in order: out[c].estimate and out[c].share.
 *
 * @return false without memory
 */
bool stages_estimate(struct tcplan_blocked_cache_call out[], const struct stages_call call[],
                     int64_t count, const struct stages_rules *rules);

/** Summarises the errors of the estimates, for each kernel of the study, whose names are set, and
 * for all calls. */
void stages_sum(struct tcplan_blocked_cache *study);

/** Returns the median of `count` numbers, which are sorted; 0 if there are none. */
double stages_median(double *value, int64_t count);

/**
 * Returns the machine's own spread, from times of `count` calls in `runs` consecutive runs: for
 * each call that counts, the difference between the medians of even and odd runs over the median of
 * all; averaged over the calls. 0 for fewer than two runs.
 *
 * @param scratch  room for `runs` numbers
 */
double stages_spread(const struct tcplan_blocked_cache_call call[], const double *time,
                     int64_t count, int64_t runs, double scratch[]);

#endif
