/**
 * The decision: which of some algorithms to sample next, whom to drop, when to stop, and which one
 * is picked.
 *
 * Pure: samples and the limits of time come from functions of the caller, so that tests script
 * them. In every round each arm that matters is sampled once, forwards and backwards in turn, so
 * that what drifts hits all alike; two arms are compared by the ratios of their samples of the same
 * rounds. An arm is sampled until it is beaten or another sample promises less than it costs,
 * unless what was known before excludes that it is as fast as the leader: the leader's time is then
 * what the comparison has measured, so that a leader that turns out slower than it was thought
 * calls in those that it had excluded. Ratios are of the times that samples would have had next to
 * the same reference; their elasticity is found from all samples and what is expected
 * (microbench/timing/drift.h). The pick is the easiest to live with of those that are as fast as
 * the leader but for a margin; its time comes from samples taken after that.
 */
#ifndef PLAN_DECISION_SELECT_H
#define PLAN_DECISION_SELECT_H

#include <stddef.h>

#include "microbench/timing/drift.h"
#include "microbench/timing/statistics.h"
#include "plan/belief.h"
#include "tcplan/status.h"

enum { SELECT_MAX_ROUNDS = 256 };

/** One algorithm. Filled in by the caller up to `withdrawn`, zeros behind. */
struct select_arm {
    double seconds;   /**< as far as is known before: says who is sampled first */
    double low;       /**< it takes no less, by what is known before */
    bool is_baseline; /**< it has a round with the pick in the end, so that it is known how much
                         faster that is, unless it is much slower */
    bool withdrawn; /**< cannot be sampled: neither compared nor picked; as that is known before, or
                       turns out */
    bool beaten;
    bool left;                /**< sampled, and another sample promises less than it costs */
    int taken;                /**< samples */
    struct running_mean logs; /**< of samples, as if all were next to one reference
                                 (plan/decision/promise.h) */
    struct drift_sample sample[SELECT_MAX_ROUNDS]; /**< by round; no seconds: not sampled in it.
                                                       Disturbed ones count only where twice as many
                                                       rounds as are the least have brought too few
                                                       others */
};

/** The ratio of two arms' times, by the rounds that have samples of both. */
struct select_ratio {
    int pairs;
    double ratio;
    double low; /**< of an interval that holds after all rounds together in 95 % of comparisons
                   (quantile_sequence()); 0 and INFINITY without pairs */
    double high;
};

struct select_rules {
    int least_rounds; /**< that an arm shares with the leader before anything is said about the two,
                         at least 2 */
    int most_rounds;  /**< what has not ended then is noise; up to SELECT_MAX_ROUNDS */
    bool trusts_looks; /**< one round drops an arm that was slower than the leader by what is known
                          before, where it is beaten by a standard error */
    int final_rounds;  /**< of the pick alone: its time; where nobody else is left they are some of
                          the least */
    double baseline_factor; /**< a baseline that takes more than so many times what the pick does
                               has no round with it for that alone */
    double margin;          /**< times within this share are equal */
    double price;           /**< what a second of sampling has to promise, a share of the time
                               (plan/decision/promise.h), above 0 */
    double look_spread; /**< what is known before is off by, a standard deviation of its logarithm,
                           of each arm by itself */
    double elasticity;  /**< expected of samples on their references, before they tell
                           (microbench/timing/drift.h) */
    struct expected_spread expected; /**< of samples */
};

/** Where samples and limits come from. */
struct select_means {
    void *context;
    /** Takes a sample of an arm; TCPLAN_NOT_APPLICABLE: it cannot be sampled. */
    enum tcplan_status (*sample)(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error);
    /** Seconds that the next sample of an arm takes to make, about. */
    double (*cost)(void *context, size_t arm);
    /** Seconds left until the time limit; INFINITY without one. No sample is begun that would not
     * end in it. */
    double (*left)(void *context);
    /** Of two that are equally fast, which is easier to live with: below 0 where `a` is. */
    int (*prefer)(void *context, size_t a, size_t b);
};

/** What is believed of the arms' times, logarithms all, by what was known before and by the samples
 * of all (plan/decision/promise.h). */
struct select_belief {
    bool is_known;   /**< there are samples */
    double common;   /**< what is known before is off by, of all arms together: that is taken off */
    double variance; /**< of a sample */
    size_t best;     /**< the fastest of those that were sampled */
    struct belief best_time;
};

/** A decision in the making, and its result. */
struct select {
    struct select_rules rules;
    size_t count;
    struct select_arm *arm; /**< borrowed */
    int rounds;             /**< in which arms were compared */
    int all_rounds;         /**< and in which the pick was sampled alone */
    double elasticity;      /**< of samples on their references, over all arms */
    struct select_belief belief;
    size_t leader;  /**< whom all others are compared with: beaten by none of them for certain */
    size_t fastest; /**< by ratios to the leader */
    size_t pick;
    bool compared;     /**< the pick has been sampled in the same rounds as all arms that may be as
                          fast, or were beaten there */
    size_t uncompared; /**< arms that may be as fast as the pick, and were not sampled in enough
                          rounds with it */
    bool is_cut;       /**< a sample had no time left */
};

/** Compares arms and picks one, which is withdrawn where all are: status of `sample`, but
 * TCPLAN_NOT_APPLICABLE. `count` is at least 1. */
enum tcplan_status select_run(struct select *out, const struct select_rules *rules,
                              struct select_arm *arm, size_t count,
                              const struct select_means *means, struct tcplan_error *error);

/** Whether so many samples are enough to make do with disturbed ones. */
bool select_gave_up(const struct select *select, int samples);

/** The time of `arm` over that of `other`. */
struct select_ratio select_compare(const struct select *select, size_t arm, size_t other);

/** How many times as long as the pick an arm takes at least: the least of its times in rounds that
 * have both, as its first run warms it up and others may be disturbed, over the mean of the pick's;
 * 1 where that is less, as it is no faster than the pick; 0: there are no two such rounds. */
double select_ratio_to_pick(const struct select *select, size_t arm);

/** Whether an arm was compared with the leader, in as many rounds as are the least, or until more
 * of them promised less than they cost. */
bool select_is_compared(const struct select *select, size_t arm);

/** Whether an arm was compared and is as fast as the fastest but for the margin: what the pick is
 * one of. */
bool select_is_equal(const struct select *select, size_t arm);

/** Whether what was known before, or the comparison, excludes that an arm is as fast as the leader.
 */
bool select_is_excluded(const struct select *select, size_t arm);

/**
 * Samples that an arm's time may be said from: of the pick those that did not choose it, where
 * there are any, the last ones; disturbed ones only where there are no others.
 *
 * @return their number
 */
int select_samples(const struct select *select, size_t arm,
                   struct drift_sample out[TCPLAN_MAX_SAMPLES]);

#endif
