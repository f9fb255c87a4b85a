/**
 * When to stop sampling: four conditions on the running mean of a series, any of which ends it
 * (Autotuning Benchmarking Techniques: A Roofline Model Case Study, section III-C). Pure: samples,
 * elapsed time and the best value so far are given. The same rules serve the iterations of a
 * benchmark, its invocations, and the candidates of any search.
 */
#ifndef MICROBENCH_STOP_H
#define MICROBENCH_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "microbench/timing/statistics.h"

/** What the interval around a mean takes the samples for. */
enum stop_interval {
    STOP_STUDENT, /**< a few normally distributed values, whose variance is only estimated: what
                     they are */
    STOP_NORMAL   /**< the paper's: too narrow below some 30 values, and so quicker */
};

/** Which of two values is better. */
enum stop_aim {
    STOP_HIGHEST, /**< speeds */
    STOP_LOWEST   /**< times */
};

/** The conditions, each of which is switched off by 0 or false, and what they take for certain. */
struct stop_rules {
    double most_seconds;   /**< 1: elapsed time */
    int64_t most_samples;  /**< 2: number of samples */
    double precise_share;  /**< 3: the interval reaches no further than this share of the mean to
                              either side */
    bool beaten;           /**< 4: the whole interval is worse than the best so far */
    int64_t least_precise; /**< samples without which condition 3 does not hold; at least 2 in any
                              case */
    int64_t least_beaten;  /**< the same for condition 4: protects what becomes faster late */
    double level; /**< of the interval, in (0, 1): 0.99 holds the mean in 99 of 100 cases */
    enum stop_interval interval;
    enum stop_aim aim;
};

/** Why a series ended. Where several conditions hold the last of these is given. */
enum stop_reason { STOP_NOT, STOP_TIME, STOP_COUNT, STOP_PRECISE, STOP_BEATEN, STOP_REASONS };

/** `running`, `time`, `count`, `precise`, `beaten`. */
const char *stop_reason_name(enum stop_reason reason);

/** The paper's: all four conditions, 10 s, 200 samples, a 99 % interval within 1 %, at least 2
 * samples; but Student's interval; speeds. */
struct stop_rules stop_rules_defaults(void);

/** Whether a series that goes on long enough ends whatever its samples are: condition 1 or 2 is on.
 */
bool stop_rules_end(const struct stop_rules *rules);

/** What any value is better than: there is no best one yet. */
double stop_worst(enum stop_aim aim);

/** Whether `value` is better than `best`. */
bool stop_is_better(enum stop_aim aim, double value, double best);

/** How far the interval of the mean reaches to either side of it; INFINITY with fewer than two
 * samples. */
double stop_margin(const struct stop_rules *rules, const struct running_mean *samples);

/** Whether to stop, and why. `best`: the mean to beat, or stop_worst(). */
enum stop_reason stop_check(const struct stop_rules *rules, const struct running_mean *samples,
                            double elapsed_seconds, double best);

#endif
