#include "plan/decision/arms.h"

#include <assert.h>
#include <math.h>

/* Degrees of freedom of the errors' distribution: the smallest number for which its variance is
 * finite. The variance of a mean grows by MEAN_FACTOR (the inverse of Fisher's information of the
 * location). */
#define TAIL 3.0
#define MEAN_FACTOR ((TAIL + 3) / (TAIL + 1))

/* Prior standard deviation of the error common to all evaluations of a comparison: twice that of 72
 * comparisons of random contractions (0.14), whose largest errors were 0.4. */
#define COMMON_SPREAD 0.3

/* Weight of the prior of a round's deviation, 0, in samples. */
#define PRIOR_SAMPLES 0.5

/* Weight of the prior of the factor on prior variances, in arms. */
#define PRIOR_ARMS 8.0

/* Iterations of the fit, which converges geometrically. */
enum { STEPS = 8 };

/** Returns the logarithm of a sample's time, corrected to a reference time of 1 s. */
static double level_of(const struct select *select, const struct drift_sample *sample) {
    return log(sample->seconds) - (sample->reference_seconds > 0
                                       ? select->elasticity * log(sample->reference_seconds)
                                       : 0);
}

/** Selects the samples that count: undisturbed ones or, if none of twice the usual number is
 * undisturbed, all. */
static void choose_samples(const struct select *select, struct select_arm *arm) {
    int quiet = 0;
    for (int r = 0; r < select->all_rounds; r++)
        quiet += arm->sample[r].seconds > 0 && !arm->sample[r].disturbed;
    const bool takes_all = quiet == 0 && arm->taken >= 2 * select->rules.least_rounds;
    arm->count = 0;
    for (int r = 0; r < select->all_rounds; r++) {
        const struct drift_sample *sample = &arm->sample[r];
        const bool counts = sample->seconds > 0 && (takes_all || !sample->disturbed);
        arm->weight[r] = counts;
        arm->level[r] = counts ? level_of(select, sample) : 0;
        arm->count += counts;
    }
}

/** Returns the prior variance of an arm before the factor `tail`, which increases the variance
 * of priors that were far off. */
static double usual_variance(const struct select *select, const struct select_arm *arm) {
    return select->prior_scale * arm->spread * arm->spread;
}

static double prior_variance(const struct select *select, const struct select_arm *arm) {
    return arm->tail * usual_variance(select, arm);
}

/** Returns the weighted mean of an arm's samples, and its variance. */
static struct belief sampled(const struct select *select, const struct select_arm *arm) {
    double sum = 0;
    double weights = 0;
    for (int r = 0; r < select->all_rounds; r++) {
        sum += arm->weight[r] * (arm->level[r] - select->round_level[r]);
        weights += arm->weight[r];
    }
    assert(weights > 0); /* a counted sample has a weight */
    return (struct belief){sum / weights, MEAN_FACTOR * select->variance / weights};
}

/** Returns the mean of a sample's level minus the logarithm of its seconds, over all samples:
 * the mean correction by the references. */
static double offset_of_levels(const struct select *select) {
    double sum = 0;
    int count = 0;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *arm = &select->arm[a];
        for (int r = 0; r < select->all_rounds; r++) {
            if (arm->weight[r] > 0) sum += arm->level[r] - log(arm->sample[r].seconds);
            count += arm->weight[r] > 0;
        }
    }
    return count > 0 ? sum / count : 0;
}

/**
 * Returns the belief about the error common to all evaluations: the mean difference of measured and
 * evaluated times of the sampled arms, as a logarithm. Evaluations have heavy tails, so each arm
 * also gets a factor on its prior variance (`tail`), which keeps a single wrong evaluation from
 * changing the common error. Without samples, the error is 0 with variance 0.
 */
static struct belief common_error(struct select *select) {
    const struct belief prior = {offset_of_levels(select), COMMON_SPREAD * COMMON_SPREAD};
    struct belief common = prior;
    bool is_sampled = false;
    for (size_t a = 0; a < select->count; a++) select->arm[a].tail = 1;
    for (int step = 0; step < STEPS; step++) {
        double sum = prior.mean / prior.variance;
        double weights = 1 / prior.variance;
        for (size_t a = 0; a < select->count; a++) {
            struct select_arm *arm = &select->arm[a];
            if (arm->count == 0) continue;
            const struct belief own = sampled(select, arm);
            const double error = own.mean - log(arm->seconds);
            const double off = error - common.mean;
            const double usual = usual_variance(select, arm) + own.variance;
            arm->tail = (TAIL + off * off / usual) / (TAIL + 1);
            const double weight = 1 / (prior_variance(select, arm) + own.variance);
            assert(isfinite(weight) && arm->seconds > 0);
            sum += weight * error;
            weights += weight;
            is_sampled = true;
        }
        common = (struct belief){sum / weights, 1 / weights};
    }
    return is_sampled ? common : (struct belief){0};
}

/** Sets the posterior of each arm, and the expected squared error of its prior. */
static void believe_arms(struct select *select) {
    const struct belief common = common_error(select);
    for (size_t a = 0; a < select->count; a++) {
        struct select_arm *arm = &select->arm[a];
        const struct belief prior = {log(arm->seconds) + common.mean, prior_variance(select, arm)};
        if (arm->count > 0) {
            const struct belief own = sampled(select, arm);
            arm->belief = belief_observe(prior, own.mean, own.variance);
        } else {
            arm->belief = (struct belief){prior.mean, prior.variance + common.variance};
        }
        const double error = arm->belief.mean - prior.mean;
        arm->square = error * error + arm->belief.variance;
    }
}

/** Fits the factor on the variances of priors: their squared errors in this comparison relative to
 * the expected ones. */
static void fit_priors(struct select *select) {
    double squares = PRIOR_ARMS;
    double freedom = PRIOR_ARMS - 1; /* estimating the common error uses one degree of freedom */
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *arm = &select->arm[a];
        if (arm->count == 0) continue;
        squares += arm->square / (arm->tail * arm->spread * arm->spread);
        freedom++;
    }
    if (freedom > PRIOR_ARMS) select->prior_scale = squares / freedom;
}

/** Fits the deviation that the samples of each round have in common, shrunk towards 0. */
static void fit_rounds(struct select *select) {
    select->round_freedom = 0;
    for (int r = 0; r < select->all_rounds; r++) {
        double sum = 0;
        double weights = PRIOR_SAMPLES;
        for (size_t a = 0; a < select->count; a++) {
            const struct select_arm *arm = &select->arm[a];
            if (arm->count == 0) continue;
            sum += arm->weight[r] * (arm->level[r] - arm->belief.mean);
            weights += arm->weight[r];
        }
        select->round_level[r] = sum / weights;
        select->round_freedom += 1 - PRIOR_SAMPLES / weights;
    }
}

/** Sets the variance of errors, to which the prior contributes `expected.freedom` degrees of
 * freedom, and the weights of samples. */
static void fit_errors(struct select *select) {
    const struct expected_spread expected = select->rules.expected;
    double squares = expected.freedom * expected.share * expected.share;
    double freedom = -select->round_freedom;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *arm = &select->arm[a];
        if (arm->count == 0) continue;
        freedom += arm->count - 1;
        for (int r = 0; r < select->all_rounds; r++) {
            const double error = arm->level[r] - arm->belief.mean - select->round_level[r];
            squares += arm->weight[r] * error * error;
        }
    }
    /* With single samples in different rounds, the rounds use more degrees of freedom than there
     * are samples. */
    freedom = expected.freedom + fmax(freedom, 0);
    assert(freedom > 0);
    select->variance = squares / freedom;
    for (size_t a = 0; a < select->count; a++) {
        struct select_arm *arm = &select->arm[a];
        for (int r = 0; r < select->all_rounds && arm->count > 0; r++) {
            const double error = arm->level[r] - arm->belief.mean - select->round_level[r];
            if (arm->weight[r] > 0)
                arm->weight[r] = (TAIL + 1) / (TAIL + error * error / select->variance);
        }
    }
}

/** Returns the sampled arm with the lowest mean; without samples, the arm with the lowest prior
 * mean. */
static size_t fastest_of(const struct select *select) {
    const struct select_arm *best = NULL;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *arm = &select->arm[a];
        if (arm->withdrawn) continue;
        const bool is_known = arm->count > 0;
        if (!best || is_known > (best->count > 0) ||
            (is_known == (best->count > 0) && arm->belief.mean < best->belief.mean))
            best = arm;
    }
    return best ? (size_t)(best - select->arm) : 0;
}

void arms_believe(struct select *select) {
    const double share = select->rules.expected.share;
    select->variance = share * share;
    select->prior_scale = 1;
    for (int r = 0; r < select->all_rounds; r++) select->round_level[r] = 0;
    for (size_t a = 0; a < select->count; a++) choose_samples(select, &select->arm[a]);
    for (int step = 0; step < STEPS; step++) {
        believe_arms(select);
        fit_priors(select);
        fit_rounds(select);
        fit_errors(select);
    }
    believe_arms(select);
    select->best = fastest_of(select);
}

double arms_improvement(const struct select *select, size_t arm) {
    assert(arm < select->count && select->best < select->count);
    const struct select_arm *best = &select->arm[select->best];
    struct belief other = select->arm[arm].belief;
    if (best->count == 0) return INFINITY;
    other.variance *= other.variance / (other.variance + MEAN_FACTOR * select->variance);
    return belief_improvement(best->belief, other);
}
