#include "plan/decision/findings.h"

#include <math.h>

#include "plan/learn/residuals.h"
#include "plan/predictor.h"

/** What the samples of all arms, and what was met of the core, say of the time of each. */
struct finding {
    struct states_outlook outlook;
    struct states met;
    double follows;
    struct expected_spread expected;
    enum tcplan_basis basis;
    double pick_seconds; /**< of the pick in the good state, by its samples; 0: it has none */
    double pick_factor;  /**< its predicted time over that */
    struct running_mean look_errors; /**< logarithms of what is said now over what their looks said,
                                        of those that were compared */
};

static struct states_fit fit_of(const struct finding *finding, const struct select *select,
                                size_t arm) {
    struct states_sample sample[TCPLAN_MAX_SAMPLES];
    const int count = select_samples(select, arm, sample);
    return states_fit(&finding->met, sample, count, finding->follows, finding->expected);
}

/** The time of an arm in the good state by its ratio to the pick's: what was sampled in the same
 * rounds is compared, not what was sampled then and now. */
static double good_seconds_of(const struct select *select, size_t arm,
                              const struct finding *finding) {
    return finding->pick_seconds / select_compare(select, select->pick, select->leader).ratio *
           select_compare(select, arm, select->leader).ratio;
}

static void note_pick(struct finding *finding, struct states_fit fit) {
    finding->pick_seconds = fit.good_seconds;
    finding->pick_factor = states_predict(&finding->outlook, &fit, 0).seconds / fit.good_seconds;
}

static void note_prediction(const struct ranker *ranker, const struct finding *finding,
                            struct tcplan_entry *entry, const struct states_fit *fit) {
    const double residual = residuals_of_comparison(ranker, finding->basis);
    const struct tcplan_estimate predicted = states_predict(&finding->outlook, fit, residual);
    /* Other states of the core change the times of all that was compared alike: rounds show ratios,
     * and too little of how the ratios change. */
    const double factor =
        entry->compared ? finding->pick_factor * fit->good_seconds / predicted.seconds : 1;
    entry->prediction.seconds = factor * predicted.seconds;
    entry->prediction.low = factor * predicted.low;
    entry->prediction.high = factor * predicted.high;
    entry->good_seconds = finding->met.good > 0 ? fit->good_seconds : 0;
    entry->follows = finding->met.good > 0 ? fit->follows : 0;
    entry->good_error = finding->met.good > 0 ? fit->error : 0;
}

static void note_arm(const struct ranker *ranker, const struct select *select, size_t arm,
                     struct finding *finding) {
    struct tcplan_entry *entry = &ranker->ranking->entry[arm];
    struct states_sample sample[TCPLAN_MAX_SAMPLES];
    double ns[TCPLAN_MAX_SAMPLES];
    entry->compared = select_is_compared(select, arm);
    entry->missed = !entry->compared && !select_is_excluded(select, arm);
    entry->tied = select_is_equal(select, arm);
    entry->picked = arm == select->pick;
    entry->pick_ratio = select_ratio_to_pick(select, arm);
    const int count = select_samples(select, arm, sample);
    /* One sample alone says less than what it would replace. */
    if (count == 0 || (!entry->compared && count < 2)) return;
    for (int i = 0; i < count; i++) ns[i] = sample[i].seconds * 1e9;
    const struct tcplan_estimate look = entry->prediction;
    const enum tcplan_basis look_basis = entry->basis;
    note_samples(entry, ns, count, finding->basis);
    note_ceiling(entry, ranker->least_seconds);
    struct states_fit fit = fit_of(finding, select, arm);
    if (entry->compared && !entry->picked) fit.good_seconds = good_seconds_of(select, arm, finding);
    if (entry->at_ceiling) fit.good_seconds = fmax(fit.good_seconds, ranker->least_seconds);
    note_prediction(ranker, finding, entry, &fit);
    if (!entry->compared || entry->at_ceiling) return;
    residuals_learn_look(ranker, entry, &look, look_basis);
    running_mean_add(&finding->look_errors, log(entry->prediction.seconds / look.seconds));
}

static void scale_prediction(struct tcplan_entry *entry, double factor) {
    entry->prediction.seconds *= factor;
    entry->prediction.low *= factor;
    entry->prediction.high *= factor;
    for (int s = 0; s < entry->prediction.sample_count; s++) entry->prediction.sample[s] *= factor;
}

/** A baseline that was sampled too rarely to be compared has the time that its rounds with the pick
 * say, which is what it is there for. */
static void settle_baseline(const struct ranker *ranker, const struct select *select,
                            enum tcplan_basis basis) {
    const struct tcplan_entry *pick = &ranker->ranking->entry[select->pick];
    for (size_t a = 0; a < select->count; a++) {
        struct tcplan_entry *entry = &ranker->ranking->entry[a];
        if (!entry->is_baseline || entry->compared || entry->pick_ratio <= 0) continue;
        scale_prediction(entry,
                         entry->pick_ratio * pick->prediction.seconds / entry->prediction.seconds);
        if (entry->basis == TCPLAN_BASIS_ESTIMATE) entry->basis = basis;
    }
}

/** Looks of one ranking are off together: what those of the compared were off by is taken off the
 * others, which stand beside them. */
static void correct_looks(const struct ranker *ranker, const struct select *select,
                          const struct finding *finding) {
    struct tcplan_ranking *ranking = ranker->ranking;
    const double factor = exp(finding->look_errors.mean);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        struct tcplan_entry *entry = &ranking->entry[e];
        const bool was_sampled = e < select->count && select->arm[e].taken > 0;
        if (was_sampled || !entry->predicted || entry->at_ceiling ||
            entry->basis == TCPLAN_BASIS_ESTIMATE)
            continue;
        scale_prediction(entry, factor);
        note_ceiling(entry, ranker->least_seconds);
    }
}

static void note_selection(const struct ranker *ranker, const struct select *select,
                           enum tcplan_basis basis) {
    struct tcplan_ranking *ranking = ranker->ranking;
    struct tcplan_entry *pick = &ranking->entry[select->pick];
    struct finding finding = {
        .met = ranker_states(ranker), .expected = predictor_expected(basis), .basis = basis};
    finding.outlook = ranker_outlook(ranker, &finding.met);
    ranking->compared = select->compared;
    ranking->missed_count = select->uncompared;
    finding.follows =
        select_follows(select, &finding.met,
                       ranker_expected_follows(ranker, &finding.met, pick->prediction.seconds));
    const bool has_samples = select->arm[select->pick].taken > 0;
    if (has_samples) note_pick(&finding, fit_of(&finding, select, select->pick));
    for (size_t a = 0; a < select->count; a++) note_arm(ranker, select, a, &finding);
    correct_looks(ranker, select, &finding);
    settle_baseline(ranker, select, basis);
    if (!select->compared) { /* sampled, but with nobody beside it */
        pick->compared = false;
        pick->missed = true;
    }
    residuals_learn_comparison(ranker, &finding.met);
}

/**
 * What a time limit left no time to look at, and is faster by its estimate than all that was
 * compared, is the answer, which was compared with nothing. Without a limit it was looked at, or is
 * hopeless beside what was: that the times of the others are longer now is the machine's load, not
 * its merit.
 */
static void prefer_estimate(const struct ranker *ranker, const struct select *select) {
    struct tcplan_ranking *ranking = ranker->ranking;
    size_t best = select->pick;
    if (ranker->options.time_limit_seconds <= 0) return;
    for (size_t a = 0; a < select->count; a++) {
        const struct tcplan_entry *entry = &ranking->entry[a];
        if (entry->basis == TCPLAN_BASIS_ESTIMATE &&
            entry->prediction.seconds < ranking->entry[best].prediction.seconds)
            best = a;
    }
    if (best == select->pick) return;
    ranking->compared = false;
    ranking->missed_count = 0;
    for (size_t a = 0; a < select->count; a++) {
        struct tcplan_entry *entry = &ranking->entry[a];
        entry->compared = false;
        entry->pick_ratio = 0;
        entry->picked = a == best;
        entry->missed =
            entry->picked || entry->prediction.low <= ranking->entry[best].prediction.high;
        ranking->missed_count += entry->missed && !entry->picked;
    }
}

void findings_note(const struct ranker *ranker, const struct select *select,
                   enum tcplan_basis basis) {
    note_selection(ranker, select, basis);
    prefer_estimate(ranker, select);
}
