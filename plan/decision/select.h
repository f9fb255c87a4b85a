/**
 * The decision: which candidates to time again, when to stop, and which one to choose.
 *
 * Pure: samples and time limits come from functions of the caller, so tests script them. A
 * candidate ("arm") is sampled while its expected improvement (plan/decision/arms.h) exceeds the
 * price of another sample, unless its prior rules it out. Each round takes one sample of every such
 * arm and of the best one. Rounds alternate their direction, so drift affects all arms alike. The
 * choice is the preferred one of all arms within a margin of the best. Its reported time comes from
 * samples taken after it was chosen, to avoid the winner's curse.
 */
#ifndef PLAN_DECISION_SELECT_H
#define PLAN_DECISION_SELECT_H

#include <stddef.h>

#include "microbench/timing/drift.h"
#include "microbench/timing/statistics.h"
#include "plan/belief.h"
#include "tcplan/status.h"

enum { SELECT_MAX_ROUNDS = 256 };

/** One candidate. The caller fills in the members up to `withdrawn` and zeroes the others. */
struct select_arm {
    double seconds;   /**< prior mean: the time that an evaluation reported */
    double spread;    /**< standard deviation of its logarithm */
    bool is_baseline; /**< sampled twice with the pick at the end, if that is affordable, so that
                         the gain over it is measured */
    bool is_stored;   /**< sampled until it can be picked; picked unless the best is clearly faster
                       */
    bool withdrawn;   /**< cannot be sampled, so it is neither compared nor picked */
    bool settled;     /**< sampled, and another sample is not worth its price */
    int taken;        /**< samples */
    int count;        /**< samples that count: undisturbed ones, or all if too few of them are */
    double square;    /**< expected squared error of the prior's logarithm, beyond the error that is
                         common to all priors */
    double tail; /**< fitted factor on the variance of its prior: large if that was wrong by far */
    struct belief belief;             /**< posterior of its time next to a reference of 1 s */
    double level[SELECT_MAX_ROUNDS];  /**< logarithms of samples next to such a reference */
    double weight[SELECT_MAX_ROUNDS]; /**< of samples: 0 does not count, below 1 an outlier */
    struct drift_sample sample[SELECT_MAX_ROUNDS]; /**< one for each round; 0 s: no sample */
};

struct select_rules {
    int least_rounds;        /**< samples that an arm needs to be picked, at least 2 */
    int most_rounds;         /**< up to SELECT_MAX_ROUNDS; bounds the cost of endless noise */
    int final_rounds;        /**< samples of the pick alone, for its reported time */
    double baseline_seconds; /**< a baseline whose sample costs more is not sampled for the report
                                alone */
    double margin;           /**< arms within this share of the best are equal */
    double price;            /**< expected improvement per second that a sample needs, above 0 */
    double elasticity;       /**< prior of the elasticity of samples (microbench/timing/drift.h) */
    struct expected_spread expected; /**< prior of the samples' variance */
};

/** Where samples and limits come from. */
struct select_means {
    void *context;
    /** Takes a sample of an arm; TCPLAN_NOT_APPLICABLE: it cannot be sampled. */
    enum tcplan_status (*sample)(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error);
    /** Estimates the seconds that the next sample of an arm takes. */
    double (*cost)(void *context, size_t arm);
    /** Seconds left until the time limit; INFINITY without one. Only samples that end before it are
     * begun. */
    double (*left)(void *context);
    /** Compares two equally fast arms: below 0 if `a` is preferred. */
    int (*prefer)(void *context, size_t a, size_t b);
};

/** The state of a decision, and its result. */
struct select {
    struct select_rules rules;
    size_t count;
    struct select_arm *arm; /**< borrowed */
    int rounds;             /**< rounds before the pick was chosen */
    int all_rounds;         /**< rounds until the pick was chosen, and the final rounds after it */
    double elasticity;      /**< fitted elasticity of all samples */
    double variance;        /**< fitted variance of a sample's logarithm */
    double round_level[SELECT_MAX_ROUNDS]; /**< common deviation of the samples of a round */
    double round_freedom;                  /**< degrees of freedom that these take */
    double prior_scale;                    /**< fitted factor on the variances of priors */
    size_t best;                           /**< lowest posterior mean of the sampled arms, or lowest
                                              prior mean if there are none */
    size_t pick;
    bool compared;       /**< the pick was compared, and another arm unless all are excluded */
    size_t uncompared;   /**< arms that may be as fast as the pick but were sampled too rarely */
    bool is_out_of_time; /**< the time limit prevented a sample */
};

/** Compares at least one arm and picks one; the pick is withdrawn if all arms are. Returns errors
 * of `sample` except TCPLAN_NOT_APPLICABLE. */
enum tcplan_status select_run(struct select *out, const struct select_rules *rules,
                              struct select_arm *arm, size_t count,
                              const struct select_means *means, struct tcplan_error *error);

/** Returns the time of `arm` divided by that of `other`, by their posterior means. */
double select_ratio(const struct select *select, size_t arm, size_t other);

/** Returns whether an arm was sampled often enough to be picked, or until it was settled. */
bool select_is_compared(const struct select *select, size_t arm);

/** Returns whether an arm was compared and is within the margin of the best. The stored winner is
 * also equal if it is not clearly slower: the 95 % interval of its time over that of the best
 * includes 1 plus the margin. */
bool select_is_equal(const struct select *select, size_t arm);

/** Returns whether an arm was not sampled, and the 95 % interval of its time over that of the best
 * is above 1. */
bool select_is_excluded(const struct select *select, size_t arm);

/**
 * Returns the most recent samples that an arm's time is reported from: those taken after the pick
 * was chosen if there are any, and undisturbed ones if there are any.
 *
 * @return their number
 */
int select_samples(const struct select *select, size_t arm,
                   struct drift_sample out[TCPLAN_MAX_SAMPLES]);

#endif
