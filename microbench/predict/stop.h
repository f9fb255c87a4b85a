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

/** The centre of a series, and the kind of confidence interval for that centre. */
enum stop_interval {
    STOP_STUDENT, /**< the mean, with Student's interval: for a few normally distributed values with
                     estimated variance */
    STOP_NORMAL,  /**< the mean, with the normal interval of the paper: too narrow below about 30
                     values, so sampling stops too early */
    STOP_MEDIAN   /**< the median, with order statistics as its interval: assumes no distribution;
                     at level 0.99 there is an interval from 8 values on */
};

/** Which of two values is better. */
enum stop_aim {
    STOP_HIGHEST, /**< the highest value is the best, for speeds */
    STOP_LOWEST   /**< the lowest value is the best, for times */
};

/** The stopping conditions, each disabled by 0 or false, and their parameters. */
struct stop_rules {
    double most_seconds;  /**< condition 1: elapsed seconds */
    int64_t most_samples; /**< condition 2: number of samples */
    double precise_share; /**< condition 3: half the interval is at most this share of the mean */
    bool beaten; /**< condition 4: whether to stop when the whole interval is worse than the best
                    value so far */
    int64_t least_precise; /**< fewest samples for condition 3, at least 2 */
    int64_t least_beaten;  /**< fewest samples for condition 4: protects candidates that become
                              faster late */
    double level; /**< level of the interval, in (0, 1): 0.99 contains the mean in 99 % of cases */
    enum stop_interval interval;
    enum stop_aim aim;
    bool ramps; /**< whether to ignore conditions 3 and 4 while the values of a series become
                   better; only the values after that count */
};

enum { STOP_LATEST = 256 };

/** A series of values. Zeroed: empty. */
struct stop_series {
    struct running_mean mean;   /**< mean of the values that count */
    int64_t added;              /**< number of all values */
    bool rises;                 /**< whether the latest values become better */
    double latest[STOP_LATEST]; /**< the latest values, value number i at i modulo STOP_LATEST; the
                                   median is that of these */
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

/** Returns the half width of the mean's interval at level `rules->level`; INFINITY with fewer than
 * two samples. */
double stop_margin(const struct stop_rules *rules, const struct running_mean *samples);

/** Decides whether to stop, and why. `best`: the mean to beat, or stop_worst(). STOP_MEDIAN counts
 * as STOP_STUDENT, because the values are not stored. */
enum stop_reason stop_check(const struct stop_rules *rules, const struct running_mean *samples,
                            double elapsed_seconds, double best);

/** Adds a value. With rules for ramps, the values before it are dropped if the series rises. */
void stop_series_add(struct stop_series *series, const struct stop_rules *rules, double value);

/** Returns the mean or, for STOP_MEDIAN, the median of the values that count; 0 if there are none.
 */
double stop_series_centre(const struct stop_rules *rules, const struct stop_series *series);

/** Decides whether to stop a series, and why. `best`: the centre to beat, or stop_worst(). */
enum stop_reason stop_check_series(const struct stop_rules *rules, const struct stop_series *series,
                                   double elapsed_seconds, double best);

#endif
