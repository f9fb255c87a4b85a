/**
 * Decides when to stop sampling: four conditions on the running mean of a series, any of which ends
 * it (Autotuning Benchmarking Techniques: A Roofline Model Case Study, section III-C). Pure
 * functions of samples, elapsed time and the best value so far. The same rules serve the iterations
 * of a benchmark, its invocations, and the candidates of a search.
 */
#ifndef MICROBENCH_STOP_H
#define MICROBENCH_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "microbench/timing/statistics.h"

/** The distribution that the confidence interval of a mean assumes. */
enum stop_interval {
    STOP_STUDENT, /**< Student's, for a few normally distributed values with estimated variance */
    STOP_NORMAL /**< the normal one, as in the paper: too narrow below about 30 values, so it stops
                   earlier */
};

/** Which of two values is better. */
enum stop_aim {
    STOP_HIGHEST, /**< for speeds */
    STOP_LOWEST   /**< for times */
};

/** The stopping conditions, each disabled by 0 or false, and their parameters. */
struct stop_rules {
    double most_seconds;  /**< 1: elapsed time */
    int64_t most_samples; /**< 2: number of samples */
    double precise_share; /**< condition 3: half the interval is at most this share of the mean */
    bool beaten; /**< condition 4: the whole interval is worse than the best value so far */
    int64_t least_precise; /**< fewest samples for condition 3, at least 2 */
    int64_t least_beaten;  /**< fewest samples for condition 4: protects candidates that become
                              faster late */
    double level; /**< level of the interval, in (0, 1): 0.99 contains the mean in 99 % of cases */
    enum stop_interval interval;
    enum stop_aim aim;
};

/** Why a series ended. If several conditions hold, the last one in this order is reported. */
enum stop_reason { STOP_NOT, STOP_TIME, STOP_COUNT, STOP_PRECISE, STOP_BEATEN, STOP_REASONS };

/** `running`, `time`, `count`, `precise`, `beaten`. */
const char *stop_reason_name(enum stop_reason reason);

/** Returns the paper's rules: all four conditions, 10 s, 200 samples, a 99 % interval within
 * 1 %, at least 2 samples, for speeds; but with Student's interval. */
struct stop_rules stop_rules_defaults(void);

/** Returns whether a series always ends: condition 1 or 2 is enabled. */
bool stop_rules_end(const struct stop_rules *rules);

/** Returns a value that any other is better than, for a search without a best value yet. */
double stop_worst(enum stop_aim aim);

/** Returns whether `value` is better than `best`. */
bool stop_is_better(enum stop_aim aim, double value, double best);

/** Returns the half width of the interval of the mean; INFINITY with fewer than two samples. */
double stop_margin(const struct stop_rules *rules, const struct running_mean *samples);

/** Decides whether to stop, and why. `best`: the mean to beat, or stop_worst(). */
enum stop_reason stop_check(const struct stop_rules *rules, const struct running_mean *samples,
                            double elapsed_seconds, double best);

#endif
