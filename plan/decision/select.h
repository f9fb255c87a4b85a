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
    double spread;    /**< prior standard deviation of the logarithm of its time */
    bool is_baseline; /**< whether it is the baseline: sampled twice with the chosen arm at the end,
                         if affordable, for the speedup */
    bool is_stored; /**< whether it is the stored winner: sampled until it can be chosen, and chosen
                       unless the best arm is clearly faster */
    bool withdrawn; /**< whether it cannot be sampled, so that it is neither compared nor chosen */
    bool settled;   /**< whether it was sampled, and the next sample costs more than its expected
                       improvement */
    int taken;      /**< number of samples */
    int count;      /**< number of samples that count: undisturbed ones, or all if too few are
                       undisturbed */
    double square;  /**< expected squared error of the prior's logarithm, beyond the error that is
                       common to all priors */
    double tail; /**< fitted factor on the variance of its prior; large if the prior was far off */
    struct belief belief; /**< posterior of the logarithm of its time, for a reference of 1 s */
    double level[SELECT_MAX_ROUNDS];  /**< logarithms of its samples, for a reference of 1 s */
    double weight[SELECT_MAX_ROUNDS]; /**< weights of its samples; 0: ignored, below 1: outliers */
    struct drift_sample sample[SELECT_MAX_ROUNDS]; /**< sample of each round; 0 s: none */
};

struct select_rules {
    int least_rounds; /**< samples that an arm needs to be chosen, at least 2 */
    int most_rounds;  /**< maximum number of rounds, up to SELECT_MAX_ROUNDS */
    int final_rounds; /**< final samples of the chosen arm, from which its time is reported */
    double baseline_seconds; /**< longest sample of the baseline that is taken only for the report,
                                in seconds */
    bool is_steady;          /**< whether samples are so long that they have no outliers */
    double margin;           /**< relative difference within which arms are equal */
    double price;      /**< expected improvement that each second of sampling must have, above 0 */
    double elasticity; /**< prior elasticity of samples (microbench/timing/drift.h) */
    struct expected_spread expected; /**< prior of the variance of samples */
};

/** Functions that take samples and report limits. */
struct select_means {
    void *context;
    /** takes a sample of an arm; TCPLAN_NOT_APPLICABLE: the arm cannot be sampled */
    enum tcplan_status (*sample)(void *context, size_t arm, struct drift_sample *out,
                                 struct tcplan_error *error);
    /** returns the estimated seconds of the next sample of an arm */
    double (*cost)(void *context, size_t arm);
    /** returns the seconds until the time limit; INFINITY: no limit. A sample is taken only if
     * it ends before the limit */
    double (*left)(void *context);
    /** compares two equally fast arms: negative if `a` is preferred */
    int (*prefer)(void *context, size_t a, size_t b);
};

/** State of a decision, and its result. */
struct select {
    struct select_rules rules;
    size_t count;
    struct select_arm *arm; /**< borrowed */
    int rounds;             /**< number of rounds before the choice */
    int all_rounds;         /**< number of rounds, including the final ones after the choice */
    double elasticity;      /**< fitted elasticity of all samples */
    double variance;        /**< fitted variance of a sample's logarithm */
    double round_level[SELECT_MAX_ROUNDS]; /**< common deviation of the samples of a round */
    double round_freedom; /**< degrees of freedom that fitting these deviations uses */
    double prior_scale;   /**< fitted factor on the variances of all priors */
    size_t best; /**< sampled arm with the lowest posterior mean; without samples, arm with the
                    lowest prior mean */
    size_t pick;
    bool compared; /**< whether the chosen arm was compared with another arm, or all other arms are
                      excluded */
    size_t uncompared;   /**< number of arms that may be as fast as the chosen one, but have too few
                            samples */
    bool is_out_of_time; /**< whether the time limit prevented a sample */
};

/** Compares arms and chooses one. The chosen arm is a withdrawn arm only if all arms were
 * withdrawn. Returns errors of `sample` except TCPLAN_NOT_APPLICABLE. */
enum tcplan_status select_run(struct select *out, const struct select_rules *rules,
                              struct select_arm *arm, size_t count,
                              const struct select_means *means, struct tcplan_error *error);

/** Returns the time of `arm` divided by that of `other`, by their posterior means. */
double select_ratio(const struct select *select, size_t arm, size_t other);

/** Returns whether an arm has enough samples to be chosen, or was settled. */
bool select_is_compared(const struct select *select, size_t arm);

/** Returns whether an arm was compared and is within the margin of the best one, or is the
 * stored winner and not clearly slower: the 95 % interval of its time divided by the best one's
 * includes 1 plus the margin. */
bool select_is_equal(const struct select *select, size_t arm);

/** Returns whether an arm was not sampled, and the 95 % interval of its time divided by the best
 * arm's is above 1. */
bool select_is_excluded(const struct select *select, size_t arm);

/**
 * Writes the samples from which an arm's time is reported, most recent first: those after the
 * choice if there are any, and of these the undisturbed ones if there are any.
 * @return their number
 */
int select_samples(const struct select *select, size_t arm,
                   struct drift_sample out[TCPLAN_MAX_SAMPLES]);

#endif
