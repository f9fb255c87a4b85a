#include "plan/decision/findings.h"

#include <math.h>

#include "base/units.h"
#include "plan/candidates.h"
#include "plan/learn/between.h"
#include "plan/predictor.h"

/** Values that all reported times of a comparison share. */
struct finding {
    enum tcplan_basis basis;
    double reference_seconds; /**< reference time to which reported times are corrected */
    double pick_seconds;      /**< seconds of the chosen arm by its samples; 0: no samples */
    double pick_error;        /**< standard error of the logarithm of `pick_seconds` */
};

static struct tcplan_estimate estimate_of(const struct finding *finding,
                                          const struct select *select, size_t arm, double *error) {
    struct drift_sample sample[TCPLAN_MAX_SAMPLES];
    const int count = select_samples(select, arm, sample);
    return drift_estimate(sample, count, select->elasticity, finding->reference_seconds,
                          predictor_expected(finding->basis), error);
}

/** Returns the time of an arm: the chosen arm's time, multiplied by the ratio of their posterior
 * means. */
static double seconds_by_pick(const struct select *select, size_t arm,
                              const struct finding *finding) {
    return finding->pick_seconds * select_ratio(select, arm, select->pick);
}

/** Corrects the time of an arm that was evaluated but not compared by the mean error of the
 * compared arms' evaluations, as the decision did. */
static void scale_by_pick(const struct ranker *ranker, const struct select *select, size_t arm,
                          const struct finding *finding) {
    struct tcplan_entry *entry = &ranker->ranking->entry[arm];
    struct tcplan_estimate *prediction = &entry->prediction;
    const double factor = seconds_by_pick(select, arm, finding) / prediction->seconds;
    if (!(factor > 0) || entry->at_ceiling || entry->basis == TCPLAN_BASIS_ESTIMATE) return;
    prediction->seconds *= factor;
    prediction->low *= factor;
    prediction->high *= factor;
    for (int s = 0; s < prediction->sample_count; s++) prediction->sample[s] *= factor;
    note_ceiling(entry, ranker->least_seconds);
}

/** Sets the predicted time of an entry, its 95 % interval and its samples. */
static void note_estimate(struct tcplan_entry *entry, const struct tcplan_estimate *estimate,
                          double seconds) {
    const double factor = seconds / estimate->seconds;
    entry->prediction.seconds = seconds;
    entry->prediction.low = factor * estimate->low;
    entry->prediction.high = factor * estimate->high;
}

static void note_arm(const struct ranker *ranker, const struct select *select, size_t arm,
                     struct finding *finding) {
    struct tcplan_entry *entry = &ranker->ranking->entry[arm];
    struct drift_sample sample[TCPLAN_MAX_SAMPLES];
    double ns[TCPLAN_MAX_SAMPLES];
    double error;
    entry->compared = select_is_compared(select, arm);
    entry->missed = !entry->compared && !select_is_excluded(select, arm);
    entry->tied = select_is_equal(select, arm);
    entry->picked = arm == select->pick;
    const int count = select_samples(select, arm, sample);
    /* One sample of an arm that was not compared is less accurate than its prediction. */
    if (count == 0 || (!entry->compared && count < 2)) {
        scale_by_pick(ranker, select, arm, finding);
        return;
    }
    for (int i = 0; i < count; i++) ns[i] = sample[i].seconds * NS_PER_SECOND;
    const double systematic = predictor_systematic_share(finding->basis);
    note_samples(entry, ns, count, finding->basis);
    note_ceiling(entry, ranker->least_seconds);
    struct tcplan_estimate estimate = estimate_of(finding, select, arm, &error);
    drift_widen(&estimate, (struct drift_range){systematic, systematic});
    double seconds = estimate.seconds;
    if (entry->compared && !entry->picked) seconds = seconds_by_pick(select, arm, finding);
    if (entry->at_ceiling) seconds = fmax(seconds, ranker->least_seconds);
    note_estimate(entry, &estimate, seconds);
}

static void note_selection(const struct ranker *ranker, const struct select *select,
                           enum tcplan_basis basis) {
    struct tcplan_ranking *ranking = ranker->ranking;
    struct tcplan_entry *pick = &ranking->entry[select->pick];
    struct finding finding = {.basis = basis,
                              .reference_seconds = ranker_drift(ranker).mean_seconds};
    ranking->compared = select->compared;
    ranking->missed_count = select->uncompared;
    ranking->load.elasticity = select->elasticity;
    if (select->arm[select->pick].taken > 0)
        finding.pick_seconds =
            estimate_of(&finding, select, select->pick, &finding.pick_error).seconds;
    for (size_t a = 0; a < select->count; a++) note_arm(ranker, select, a, &finding);
    if (!select->compared) { /* arms were sampled, but none was compared */
        pick->compared = false;
        pick->missed = true;
    }
    if (pick->compared && !pick->at_ceiling) between_learn(ranker, pick, finding.pick_error);
}

/**
 * Chooses a candidate that the time limit left unevaluated, if its estimate is below both the time
 * and the estimate of the chosen arm. Estimates of one ranking share their bias, so they are
 * comparable. Without a time limit, every candidate that could win was evaluated; a lower estimate
 * then only shows that other load slowed the chosen arm.
 */
static void prefer_estimate(const struct ranker *ranker, const struct select *select) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const struct tcplan_entry *pick = &ranking->entry[select->pick];
    double least_seconds = fmin(pick->prediction.seconds, pick->estimate_seconds);
    size_t best = select->pick;
    if (ranker->options.time_limit_seconds <= 0) return;
    for (size_t a = 0; a < select->count; a++) {
        const struct tcplan_entry *entry = &ranking->entry[a];
        if (entry->basis != TCPLAN_BASIS_ESTIMATE || entry->prediction.seconds >= least_seconds)
            continue;
        best = a;
        least_seconds = entry->prediction.seconds;
    }
    if (best == select->pick) return;
    ranking->compared = false;
    ranking->missed_count = 0;
    for (size_t a = 0; a < select->count; a++) {
        struct tcplan_entry *entry = &ranking->entry[a];
        entry->compared = false;
        entry->picked = a == best;
        entry->missed =
            entry->picked || entry->prediction.low <= ranking->entry[best].prediction.high;
        ranking->missed_count += entry->missed && !entry->picked;
    }
}

/** Lowers the bounds of entries that were faster than their bounds, and the recorded kernel
 * times that their samples contradict. */
static void correct_bounds(struct ranker *ranker, const struct select *select) {
    for (size_t a = 0; a < select->count; a++) {
        struct tcplan_entry *entry = &ranker->ranking->entry[a];
        if (select->arm[a].taken > 0) candidate_learn(ranker, entry);
        entry->lower_bound_seconds = fmin(entry->lower_bound_seconds, entry->prediction.seconds);
    }
}

void findings_note(struct ranker *ranker, const struct select *select, enum tcplan_basis basis) {
    note_selection(ranker, select, basis);
    correct_bounds(ranker, select);
    prefer_estimate(ranker, select);
}
