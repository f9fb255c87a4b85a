#include "plan/decision/select.h"

#include <assert.h>
#include <math.h>

#include "microbench/timing/quantile.h"
#include "plan/decision/arms.h"

#define LEVEL 0.95

/* FEWEST: number of samples of a baseline, at most that of final samples. MOST_TIMES: how often a
 * comparison may be reopened because the chosen arm is slower in its final samples. */
enum { FEWEST = 2, MOST_TIMES = 8 };

/** Fits the elasticity to the samples of all arms with at least two. */
static double elasticity_of(const struct select *select) {
    struct drift_regression regression = {0};
    for (size_t a = 0; a < select->count; a++) {
        drift_begin_series(&regression);
        for (int r = 0; r < select->all_rounds && select->arm[a].taken > 1; r++) {
            const struct drift_sample *sample = &select->arm[a].sample[r];
            if (!sample->disturbed)
                drift_add(&regression, sample->seconds, sample->reference_seconds);
        }
    }
    return drift_elasticity(&regression, select->rules.elasticity);
}

double select_ratio(const struct select *select, size_t arm, size_t other) {
    assert(arm < select->count && other < select->count);
    return exp(select->arm[arm].belief.mean - select->arm[other].belief.mean);
}

/** Copies an arm's samples of rounds from `first` on, most recent first; returns their number. */
static int samples_from(const struct select *select, size_t arm, int first, bool quiet,
                        struct drift_sample out[TCPLAN_MAX_SAMPLES]) {
    assert(first >= 0 && first <= select->all_rounds);
    int count = 0;
    for (int r = select->all_rounds - 1; r >= first && count < TCPLAN_MAX_SAMPLES; r--) {
        const struct drift_sample *sample = &select->arm[arm].sample[r];
        if (sample->seconds > 0 && !(quiet && sample->disturbed)) out[count++] = *sample;
    }
    return count;
}

int select_samples(const struct select *select, size_t arm,
                   struct drift_sample out[TCPLAN_MAX_SAMPLES]) {
    int count = 0;
    for (int which = 0; which < 4 && count == 0; which++)
        count = samples_from(select, arm, which < 2 ? select->rounds : 0, which % 2 == 0, out);
    return count;
}

/** Returns whether the 95 % interval of an arm's time over that of the best is above `ratio`. */
static bool is_slower(const struct select *select, size_t arm, double ratio) {
    const struct belief own = select->arm[arm].belief;
    const struct belief best = select->arm[select->best].belief;
    return own.mean - best.mean - log(ratio) >
           quantile_normal(LEVEL) * sqrt(own.variance + best.variance);
}

bool select_is_excluded(const struct select *select, size_t arm) {
    return select->arm[arm].count == 0 && is_slower(select, arm, 1);
}

static bool has_enough(const struct select *select, size_t arm) {
    return select->arm[arm].count >= select->rules.least_rounds;
}

bool select_is_compared(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    return !own->withdrawn && own->count > 0 &&
           (arm == select->best || has_enough(select, arm) || own->settled);
}

bool select_is_equal(const struct select *select, size_t arm) {
    const double most = 1 + select->rules.margin;
    return select_is_compared(select, arm) && (arm == select->best || has_enough(select, arm)) &&
           (select_ratio(select, arm, select->best) <= most ||
            (select->arm[arm].is_stored && !is_slower(select, arm, most)));
}

/** Returns whether the expected improvement of a sample exceeds its price. */
static bool is_worth(const struct select *select, const struct select_means *means, size_t arm) {
    return arms_improvement(select, arm) > select->rules.price * means->cost(means->context, arm);
}

/** Updates the posteriors and `settled` of all arms. */
static void believe(struct select *select, const struct select_means *means) {
    arms_believe(select);
    for (size_t a = 0; a < select->count; a++)
        select->arm[a].settled = select->arm[a].count > 0 && !is_worth(select, means, a);
}

/** Returns whether an arm can still become the best one. */
static bool matters(const struct select *select, size_t arm) {
    return arm != select->best && !select->arm[arm].withdrawn && !select_is_excluded(select, arm);
}

/** Returns an arm to compare with the best one, whatever the price: the chosen arm must have been
 * compared with at least one other. Returns the best arm if that was done or is impossible. */
static size_t next_to_compare(const struct select *select) {
    size_t next = select->best;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *own = &select->arm[a];
        if (a == select->best) continue;
        if (own->count > 0 && !own->withdrawn) return select->best;
        if (!matters(select, a)) continue;
        const struct select_arm *other = &select->arm[next];
        if (next == select->best || own->taken > other->taken ||
            (own->taken == other->taken && own->seconds < other->seconds))
            next = a;
    }
    return next;
}

/** Returns whether an arm's only sample is slower than the best while its prior was faster. A
 * steady sample that is clearly slower needs no confirmation. */
static bool is_contradicted(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    return own->count == 1 && own->seconds < select->arm[select->best].seconds &&
           !(select->rules.is_steady && is_slower(select, arm, 1));
}

/** Returns whether an arm without samples has a posterior mean below that of the best arm. */
static bool is_believed_faster(const struct select *select, size_t arm) {
    return select->arm[arm].count == 0 && select_ratio(select, arm, select->best) < 1;
}

static bool is_wanted(const struct select *select, const struct select_means *means, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    if (own->withdrawn || arm == select->best || select->arm[select->best].count == 0) return false;
    if (own->is_stored && !has_enough(select, arm)) return true;
    return matters(select, arm) &&
           (arm == next_to_compare(select) || is_worth(select, means, arm) ||
            is_contradicted(select, arm) || is_believed_faster(select, arm));
}

static bool is_anyone_wanted(const struct select *select, const struct select_means *means) {
    for (size_t a = 0; a < select->count; a++) {
        if (is_wanted(select, means, a)) return true;
    }
    return false;
}

/** Returns whether the best arm has enough samples, including the final samples that are still to
 * be taken. */
static bool has_best_enough(const struct select *select) {
    const int count = select->arm[select->best].count;
    return count > 0 && count + select->rules.final_rounds >= select->rules.least_rounds;
}

static bool has_time(struct select *select, const struct select_means *means, size_t arm) {
    const bool fits = means->cost(means->context, arm) <= means->left(means->context);
    select->is_out_of_time |= !fits;
    return fits;
}

/** Takes a sample of an arm in the current round, if there is time. */
static enum tcplan_status sample(struct select *select, size_t arm,
                                 const struct select_means *means, struct tcplan_error *error) {
    struct select_arm *own = &select->arm[arm];
    struct drift_sample taken = {0};
    if (!has_time(select, means, arm)) return TCPLAN_OK;
    assert(select->all_rounds > 0 && select->all_rounds <= SELECT_MAX_ROUNDS);
    assert(own->sample[select->all_rounds - 1].seconds == 0); /* an arm has one sample per round */
    enum tcplan_status status = means->sample(means->context, arm, &taken, error);
    own->withdrawn = status == TCPLAN_NOT_APPLICABLE;
    if (!own->withdrawn && status != TCPLAN_OK) return status;
    if (!own->withdrawn) {
        own->sample[select->all_rounds - 1] = taken;
        assert(taken.seconds > 0);
        own->taken++;
    }
    believe(select, means);
    return TCPLAN_OK;
}

/** Takes one sample of the best arm and of each arm that needs one; alternate rounds go in opposite
 * directions. */
static enum tcplan_status sample_round(struct select *select, const struct select_means *means,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const bool backwards = select->all_rounds % 2;
    size_t others = 0;
    select->all_rounds++;
    for (size_t s = 0; s < select->count && status == TCPLAN_OK; s++) {
        const size_t arm = backwards ? select->count - 1 - s : s;
        const bool is_best = arm == select->best;
        if (is_best ? others == 0 && has_best_enough(select) && !is_anyone_wanted(select, means)
                    : !is_wanted(select, means, arm))
            continue;
        status = sample(select, arm, means, error);
        others += !is_best;
    }
    select->elasticity = elasticity_of(select);
    believe(select, means);
    return status;
}

/** Takes rounds until no arm needs a sample, or a limit is reached. */
static enum tcplan_status compare(struct select *select, const struct select_means *means,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const int most_rounds =
        (int)fmin(select->rules.most_rounds, SELECT_MAX_ROUNDS - select->rules.final_rounds);
    select->rounds = select->all_rounds;
    while (status == TCPLAN_OK && select->rounds < most_rounds && !select->is_out_of_time &&
           !select->arm[select->best].withdrawn &&
           (is_anyone_wanted(select, means) || !has_best_enough(select))) {
        status = sample_round(select, means, error);
        select->rounds = select->all_rounds;
    }
    return status;
}

static void pick(struct select *select, const struct select_means *means) {
    select->pick = select->best;
    for (size_t a = 0; a < select->count; a++) {
        if (!select_is_equal(select, a) || select->arm[select->pick].is_stored) continue;
        if (select->arm[a].is_stored || means->prefer(means->context, a, select->pick) < 0)
            select->pick = a;
    }
}

/** Counts the arms that were compared with the chosen one, and those that may be as fast but were
 * not. */
static void count_compared(struct select *select) {
    size_t others = 0;
    select->uncompared = 0;
    for (size_t a = 0; a < select->count; a++) {
        if (a == select->pick) continue;
        const bool is_compared = select_is_compared(select, a);
        others += is_compared;
        select->uncompared += !is_compared && !select_is_excluded(select, a);
    }
    select->compared =
        select_is_compared(select, select->pick) && (others > 0 || select->uncompared == 0);
}

/** Returns the baseline if it has too few samples and another sample is affordable; otherwise
 * the chosen arm. */
static size_t baseline_to_compare(const struct select *select, const struct select_means *means) {
    const int wanted = select->rules.final_rounds < FEWEST ? select->rules.final_rounds : FEWEST;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *own = &select->arm[a];
        if (own->is_baseline && !own->withdrawn && a != select->pick && own->count < wanted &&
            means->cost(means->context, a) <= select->rules.baseline_seconds)
            return a;
    }
    return select->pick;
}

/** Takes the final samples of the chosen arm, and of the baseline, so that the speedup is measured.
 */
static enum tcplan_status sample_pick(struct select *select, const struct select_means *means,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const size_t pick = select->pick;
    for (int r = 0; select->all_rounds < SELECT_MAX_ROUNDS && status == TCPLAN_OK; r++) {
        const size_t other =
            r < 2 * select->rules.least_rounds ? baseline_to_compare(select, means) : pick;
        if (other == pick && r >= select->rules.final_rounds) break;
        if (select->arm[pick].count == 0 || !has_time(select, means, pick)) break;
        const bool is_first = select->all_rounds++ % 2 == 0;
        status = sample(select, is_first ? pick : other, means, error);
        if (status == TCPLAN_OK && other != pick)
            status = sample(select, is_first ? other : pick, means, error);
    }
    return status;
}

enum tcplan_status select_run(struct select *out, const struct select_rules *rules,
                              struct select_arm *arm, size_t count,
                              const struct select_means *means, struct tcplan_error *error) {
    assert(count > 0 && rules->least_rounds >= 2 && rules->price > 0);
    assert(rules->expected.freedom > 0);
    *out = (struct select){.rules = *rules, .count = count, .arm = arm};
    out->elasticity = rules->elasticity;
    believe(out, means);
    out->pick = out->best;
    enum tcplan_status status = TCPLAN_OK;
    bool is_settled = arm[out->best].withdrawn;
    for (int times = 0; times < MOST_TIMES && status == TCPLAN_OK && !is_settled; times++) {
        status = compare(out, means, error);
        if (status != TCPLAN_OK) break;
        pick(out, means);
        status = sample_pick(out, means, error);
        /* If the chosen arm is slower in its final samples, the comparison is reopened. */
        is_settled = out->rounds >= rules->most_rounds || out->is_out_of_time ||
                     (has_enough(out, out->best) && !is_anyone_wanted(out, means));
    }
    if (!select_is_equal(out, out->pick)) pick(out, means);
    assert(out->pick < count && out->best < count);
    count_compared(out);
    return status;
}
