#include "plan/decision/select.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "microbench/timing/quantile.h"
#include "plan/decision/promise.h"

/*
 * If the variance of samples is this many times the usual one, the usual one is ignored, and the
 * median replaces the mean as soon as there are enough samples for an interval of it.
 */
#define UNUSUAL_FACTOR 4.0

/* Of the intervals of ratios, which hold after all rounds together: arms are judged in each. */
#define LEVEL 0.95

/* Of an interval of that level, a standard error for few samples: what is enough where a look said
 * the same (bench_selection). */
#define AGREEING_SHARE 0.2

/* One arm alone is compared with nobody; and so many have a seat in a round. */
enum { FEWEST = 2, SEATS = 8, MOST_TIMES = 8 };

/* Drift of the core. */

/** Over all arms; one sample of an arm tells nothing. */
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

/* Ratios. */

/** Natural logarithms of the ratios in the last rounds that have both arms, those alone in
 * which nothing was disturbed where asked for. */
static int log_ratios(const struct select *select, size_t a, size_t b, bool quiet,
                      double out[TCPLAN_MAX_SAMPLES]) {
    int count = 0;
    for (int r = select->rounds - 1; r >= 0 && count < TCPLAN_MAX_SAMPLES; r--) {
        const struct drift_sample *x = &select->arm[a].sample[r];
        const struct drift_sample *y = &select->arm[b].sample[r];
        if (x->seconds <= 0 || y->seconds <= 0 || (quiet && (x->disturbed || y->disturbed)))
            continue;
        out[count++] =
            log(x->seconds / y->seconds *
                drift_factor(select->elasticity, x->reference_seconds, y->reference_seconds));
    }
    return count;
}

/** The interval of a median, in logarithms, for samples of any distribution; false where they are
 * too few. */
static bool median_of(struct select_ratio *out, double *value, int count) {
    const int beyond = quantile_median_sequence(LEVEL, count);
    if (beyond < 0) return false;
    sort_numbers(value, (size_t)count);
    *out = (struct select_ratio){.pairs = count,
                                 .ratio = exp(sorted_median(value, (size_t)count)),
                                 .low = exp(value[beyond]),
                                 .high = exp(value[count - 1 - beyond])};
    return true;
}

/** The interval of the ratios of two samples; the spread that is usual counts in (as in
 * statistics_informed_estimate()). */
static struct select_ratio ratio_of(const struct select *select, double *value, int count) {
    const struct expected_spread expected = select->rules.expected;
    const double usual = 2 * expected.share * expected.share;
    struct running_mean logs = {0};
    struct select_ratio ratio;
    for (int i = 0; i < count; i++) running_mean_add(&logs, value[i]);
    const bool is_usual = running_mean_variance(&logs) <= UNUSUAL_FACTOR * usual;
    if (!is_usual && median_of(&ratio, value, count)) return ratio;
    const int known = is_usual ? expected.freedom : 0;
    const int freedom = known + count - 1;
    const double half = quantile_sequence(LEVEL, count, freedom) *
                        sqrt((known * usual + logs.squares) / freedom / count);
    return (struct select_ratio){.pairs = count,
                                 .ratio = exp(logs.mean),
                                 .low = exp(logs.mean - half),
                                 .high = exp(logs.mean + half)};
}

bool select_gave_up(const struct select *select, int samples) {
    return samples >= 2 * select->rules.least_rounds;
}

struct select_ratio select_compare(const struct select *select, size_t arm, size_t other) {
    double value[TCPLAN_MAX_SAMPLES];
    if (arm == other)
        return (struct select_ratio){
            .pairs = select->arm[arm].taken, .ratio = 1, .low = 1, .high = 1};
    if (select->arm[arm].taken == 0 || select->arm[other].taken == 0)
        return (struct select_ratio){.ratio = 1, .high = INFINITY};
    int count = log_ratios(select, arm, other, false, value);
    const bool gave_up = select_gave_up(select, count);
    const int quiet = log_ratios(select, arm, other, true, value);
    count = quiet >= select->rules.least_rounds || !gave_up
                ? quiet
                : log_ratios(select, arm, other, false, value);
    if (count == 0) return (struct select_ratio){.ratio = 1, .high = INFINITY};
    return ratio_of(select, value, count);
}

double select_ratio_to_pick(const struct select *select, size_t arm) {
    double least_seconds = INFINITY;
    struct running_mean pick = {0};
    int count = 0;
    for (int r = 0; r < select->all_rounds; r++) {
        const double pick_seconds = select->arm[select->pick].sample[r].seconds;
        const double seconds = select->arm[arm].sample[r].seconds;
        if (pick_seconds > 0) running_mean_add(&pick, log(pick_seconds));
        if (!(pick_seconds > 0 && seconds > 0)) continue;
        least_seconds = fmin(least_seconds, seconds);
        count++;
    }
    return count >= FEWEST ? fmax(1, least_seconds / exp(pick.mean)) : 0;
}

/* What is known of the arms. */

/** Samples of an arm that have something to say together. */
struct some_samples {
    int count;
    const struct drift_sample *sample[TCPLAN_MAX_SAMPLES];
};

/** Samples of rounds from `first` on, the last ones first. */
static struct some_samples samples_from(const struct select *select, size_t arm, int first,
                                        bool quiet) {
    struct some_samples some = {0};
    for (int r = select->all_rounds - 1; r >= first && some.count < TCPLAN_MAX_SAMPLES; r--) {
        const struct drift_sample *sample = &select->arm[arm].sample[r];
        if (sample->seconds > 0 && !(quiet && sample->disturbed))
            some.sample[some.count++] = sample;
    }
    return some;
}

/** The undisturbed ones, or else all. */
static struct some_samples quiet_from(const struct select *select, size_t arm, int first) {
    const struct some_samples quiet = samples_from(select, arm, first, true);
    return quiet.count > 0 ? quiet : samples_from(select, arm, first, false);
}

/** Those that did not choose the arm, or else all. */
static struct some_samples telling_samples(const struct select *select, size_t arm) {
    const struct some_samples final = quiet_from(select, arm, select->rounds);
    return final.count > 0 ? final : quiet_from(select, arm, 0);
}

static int seconds_of(const struct some_samples *some, double seconds[TCPLAN_MAX_SAMPLES]) {
    for (int i = 0; i < some->count; i++) seconds[i] = some->sample[i]->seconds;
    return some->count;
}

int select_samples(const struct select *select, size_t arm,
                   struct drift_sample out[TCPLAN_MAX_SAMPLES]) {
    const struct some_samples some = telling_samples(select, arm);
    for (int i = 0; i < some.count; i++) out[i] = *some.sample[i];
    return some.count;
}

/** Seconds of the leader: what was measured of it, or else what is known before. */
static double leader_seconds(const struct select *select) {
    double seconds[TCPLAN_MAX_SAMPLES];
    const struct some_samples some = quiet_from(select, select->leader, 0);
    return seconds_of(&some, seconds) > 0 ? statistics_median(seconds, some.count)
                                          : select->arm[select->leader].seconds;
}

static bool has_enough_pairs(const struct select *select, size_t arm) {
    return select_compare(select, arm, select->leader).pairs >= select->rules.least_rounds;
}

/** Whether an arm is as fast as the leader, or slower, for all that is to be known. */
static bool is_left(const struct select *select, size_t arm) {
    return select->arm[arm].left && select_compare(select, arm, select->leader).pairs > 0;
}

bool select_is_compared(const struct select *select, size_t arm) {
    return !select->arm[arm].withdrawn && (has_enough_pairs(select, arm) || is_left(select, arm));
}

bool select_is_equal(const struct select *select, size_t arm) {
    const struct select_ratio own = select_compare(select, arm, select->leader);
    const double most =
        (1 + select->rules.margin) * select_compare(select, select->fastest, select->leader).ratio;
    return !select->arm[arm].withdrawn && has_enough_pairs(select, arm) && own.ratio <= most &&
           (!select->arm[arm].beaten || own.high <= most);
}

bool select_is_excluded(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    if (arm == select->leader) return false;
    return own->beaten ||
           (samples_from(select, arm, 0, true).count == 0 && own->low > leader_seconds(select));
}

/** Whether an arm may be as fast as the leader, and is to be sampled to know. */
static bool matters(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    return arm != select->leader && !own->withdrawn && !select_is_excluded(select, arm);
}

/** The arm that has beaten the leader by most; the leader itself where nobody has. */
static size_t next_leader(const struct select *select) {
    size_t best = select->leader;
    double best_ratio = 1;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_ratio own = select_compare(select, a, select->leader);
        if (select->arm[a].withdrawn || own.pairs < select->rules.least_rounds || own.high >= 1 ||
            own.ratio >= best_ratio)
            continue;
        best = a;
        best_ratio = own.ratio;
    }
    return best;
}

/** Whether a look had an arm slower than the leader as well: that is a second witness, where the
 * rules have it so. */
static bool look_agrees(const struct select *select, size_t arm) {
    return select->rules.trusts_looks &&
           select->arm[arm].seconds > select->arm[select->leader].seconds;
}

/** Drops those whose ratio to the leader, times `factor`, is above 1 for certain; of two witnesses
 * each need not be as certain. */
static void drop_beaten(struct select *select, double factor) {
    for (size_t a = 0; a < select->count; a++) {
        const struct select_ratio own = select_compare(select, a, select->leader);
        const bool agrees = look_agrees(select, a);
        const int rounds = agrees ? 1 : select->rules.least_rounds;
        const double low =
            agrees && own.low > 0 ? own.ratio * pow(own.low / own.ratio, AGREEING_SHARE) : own.low;
        if (a != select->leader && own.pairs >= rounds && low * factor > 1)
            select->arm[a].beaten = true;
    }
}

/**
 * Who leads does so until it is beaten for certain: what is known of the others is known by that
 * one. A beaten arm stays so, for who leads later is faster than who led then.
 */
static void judge(struct select *select) {
    select->elasticity = elasticity_of(select);
    for (size_t steps = 0; steps < select->count; steps++) {
        const size_t next = next_leader(select);
        drop_beaten(select, select_compare(select, select->leader, next).low);
        if (next == select->leader) break;
        select->arm[select->leader].beaten = true;
        select->arm[next].beaten = false;
        select->leader = next;
    }
}

/* Rounds. */

/** Who is sampled before whom: who has samples already, who promises most. */
static bool goes_before(const struct select *select, size_t a, size_t b) {
    const struct select_arm *x = &select->arm[a];
    const struct select_arm *y = &select->arm[b];
    if ((x->taken > 0) != (y->taken > 0)) return x->taken > 0;
    return x->seconds < y->seconds;
}

/** Whether an arm and the leader have a round in which nothing disturbed them, or was beaten. */
static bool is_met(const struct select *select, size_t arm) {
    const struct select_arm *own = &select->arm[arm];
    return own->taken > 0 && !own->withdrawn &&
           (own->beaten || select_compare(select, arm, select->leader).pairs > 0);
}

/**
 * Whether a sample of an arm promises what it costs. Who seems faster than the leader becomes the
 * pick only if it has met that in the least rounds.
 */
static bool is_worth(const struct select *select, const struct select_means *means, size_t arm) {
    if (select->belief.is_known && arm == select->belief.best && !has_enough_pairs(select, arm))
        return true;
    return promise_of(select, arm) > select->rules.price * means->cost(means->context, arm);
}

/** What is believed by all samples, and of whom more are not worth it. */
static void believe(struct select *select, const struct select_means *means) {
    promise_believe(select);
    for (size_t a = 0; a < select->count; a++)
        select->arm[a].left = select->arm[a].taken > 0 && !is_worth(select, means, a);
}

/** Whom the leader is to meet next whatever that promises, as a pick has met somebody: the leader
 * itself where it has, or there is nobody. */
static size_t next_to_meet(const struct select *select) {
    size_t next = select->leader;
    for (size_t a = 0; a < select->count; a++) {
        if (a == select->leader) continue;
        if (is_met(select, a)) return select->leader;
        if (matters(select, a) && (next == select->leader || goes_before(select, a, next)))
            next = a;
    }
    return next;
}

/** Whether an arm is sampled in the next round, where `next` is to be met. */
static bool is_wanted(const struct select *select, const struct select_means *means, size_t arm,
                      size_t next) {
    return matters(select, arm) && (arm == next || is_worth(select, means, arm));
}

/** The leader, and of those that matter as many as there are seats. */
static size_t seat(const struct select *select, const struct select_means *means,
                   size_t seated[SEATS]) {
    const size_t next = next_to_meet(select);
    size_t count = 1;
    seated[0] = select->leader;
    for (size_t a = 0; a < select->count; a++) {
        if (!is_wanted(select, means, a, next)) continue;
        size_t place = count < SEATS ? count++ : SEATS;
        for (; place > 1 && goes_before(select, a, seated[place - 1]); place--) {
            if (place < SEATS) seated[place] = seated[place - 1];
        }
        if (place < SEATS) seated[place] = a;
    }
    return count;
}

/** As many of the seated as can be sampled in time. */
static size_t in_time(struct select *select, const size_t *seated, size_t count,
                      const struct select_means *means) {
    double left = means->left(means->context);
    size_t fit = 0;
    for (; fit < count; fit++) {
        left -= means->cost(means->context, seated[fit]);
        if (left < 0) break;
    }
    select->is_cut = select->is_cut || fit < count;
    return fit;
}

static enum tcplan_status sample(struct select *select, size_t arm,
                                 const struct select_means *means, struct tcplan_error *error) {
    struct select_arm *own = &select->arm[arm];
    struct drift_sample taken = {0};
    enum tcplan_status status = means->sample(means->context, arm, &taken, error);
    own->withdrawn = status == TCPLAN_NOT_APPLICABLE;
    if (own->withdrawn) return TCPLAN_OK;
    own->sample[select->all_rounds] = taken;
    own->taken++;
    believe(select, means);
    return status;
}

static enum tcplan_status sample_round(struct select *select, const size_t *seated, size_t count,
                                       const struct select_means *means,
                                       struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    const bool backwards = select->all_rounds % 2;
    size_t taken = 0;
    for (size_t s = 0; s < count && status == TCPLAN_OK; s++) {
        const size_t arm = seated[backwards ? count - 1 - s : s];
        const bool is_needed =
            arm == select->leader || taken < FEWEST || is_worth(select, means, arm);
        if (!is_needed || in_time(select, &arm, 1, means) == 0) continue;
        status = sample(select, arm, means, error);
        taken++;
    }
    select->all_rounds++;
    return status;
}

/** Another leader where this one cannot be sampled: who goes before all others. False where there
 * is none. */
static bool replace_withdrawn(struct select *select) {
    if (!select->arm[select->leader].withdrawn) return true;
    for (size_t a = 0; a < select->count; a++) {
        if (select->arm[a].withdrawn) continue;
        if (select->arm[select->leader].withdrawn || goes_before(select, a, select->leader))
            select->leader = a;
    }
    return !select->arm[select->leader].withdrawn;
}

static bool is_anyone_wanted(const struct select *select, const struct select_means *means) {
    const size_t next = next_to_meet(select);
    for (size_t a = 0; a < select->count; a++) {
        if (is_wanted(select, means, a, next)) return true;
    }
    return false;
}

/** Whether a leader that nobody is sampled with any more has the least samples, those of the pick
 * alone included that follow. */
static bool has_enough_alone(const struct select *select) {
    const int taken = select->arm[select->leader].taken;
    return taken > 0 && taken + select->rules.final_rounds >= select->rules.least_rounds;
}

/** Rounds until nobody matters any more, or a limit is reached. */
static enum tcplan_status compare(struct select *select, const struct select_means *means,
                                  struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    select->rounds = select->all_rounds;
    const int most_rounds =
        (int)fmin(select->rules.most_rounds, SELECT_MAX_ROUNDS - select->rules.final_rounds);
    while (status == TCPLAN_OK && select->rounds < most_rounds) {
        size_t seated[SEATS];
        const size_t wanted = seat(select, means, seated);
        if (wanted == 1 && has_enough_alone(select)) break;
        const size_t count = in_time(select, seated, wanted, means);
        if (count < wanted && count < FEWEST) break;
        status = sample_round(select, seated, count, means, error);
        select->rounds = select->all_rounds;
        if (!replace_withdrawn(select)) break;
        judge(select);
        believe(select, means);
    }
    return status;
}

/* The pick. */

static size_t fastest_of(const struct select *select) {
    size_t fastest = select->leader;
    double smallest = 1;
    for (size_t a = 0; a < select->count; a++) {
        const double ratio = select_compare(select, a, select->leader).ratio;
        if (select->arm[a].withdrawn || !has_enough_pairs(select, a) || select->arm[a].beaten ||
            ratio >= smallest)
            continue;
        fastest = a;
        smallest = ratio;
    }
    return fastest;
}

static void pick(struct select *select, const struct select_means *means) {
    select->pick = select->fastest = fastest_of(select);
    for (size_t a = 0; a < select->count; a++) {
        if (select_is_equal(select, a) && means->prefer(means->context, a, select->pick) < 0)
            select->pick = a;
    }
}

/** Whom the pick was compared with, and whom it was not although nothing excludes that they are as
 * fast. */
static void count_compared(struct select *select) {
    size_t others = 0;
    select->uncompared = 0;
    for (size_t a = 0; a < select->count; a++) {
        const bool open = !select_is_compared(select, a) && !select_is_excluded(select, a);
        others += a != select->pick && (select_is_compared(select, a) ||
                                        (select->arm[a].beaten && select->arm[a].taken > 0));
        select->uncompared += a != select->pick && open;
    }
    select->compared =
        select_is_compared(select, select->pick) && (others > 0 || select->uncompared == 0);
}

/** The baseline, if it has no two rounds with the pick and is not much slower; the pick: there is
 * none.
 */
static size_t baseline_without_pick(const struct select *select) {
    const double most_seconds = select->rules.baseline_factor * select->arm[select->pick].seconds;
    for (size_t a = 0; a < select->count; a++) {
        const struct select_arm *own = &select->arm[a];
        if (own->is_baseline && !own->withdrawn && a != select->pick && own->low <= most_seconds &&
            select_ratio_to_pick(select, a) == 0)
            return a;
    }
    return select->pick;
}

/** Samples of the pick alone, or beside the baseline, so that it is known how
 * much faster the pick is. */
static enum tcplan_status sample_pick(struct select *select, const struct select_means *means,
                                      struct tcplan_error *error) {
    enum tcplan_status status = TCPLAN_OK;
    for (int r = 0; select->all_rounds < SELECT_MAX_ROUNDS && status == TCPLAN_OK; r++) {
        const size_t seated[2] = {select->pick, baseline_without_pick(select)};
        const size_t wanted = seated[1] != seated[0] && r < FEWEST ? 2 : 1;
        if (wanted == 1 && r >= select->rules.final_rounds) break;
        const bool is_met = select_is_compared(select, select->pick) ||
                            (select->pick == select->leader && select->arm[select->pick].taken > 0);
        if (!is_met || in_time(select, &select->pick, 1, means) == 0) break;
        status = sample_round(select, seated, in_time(select, seated, wanted, means), means, error);
    }
    return status;
}

/** The fastest by what is known before of those that can be sampled, or else of all. */
static size_t first_leader(const struct select *select) {
    size_t leader = 0;
    for (size_t a = 1; a < select->count; a++) {
        const struct select_arm *own = &select->arm[a];
        const struct select_arm *best = &select->arm[leader];
        if (own->withdrawn != best->withdrawn ? best->withdrawn : own->seconds < best->seconds)
            leader = a;
    }
    return leader;
}

enum tcplan_status select_run(struct select *out, const struct select_rules *rules,
                              struct select_arm *arm, size_t count,
                              const struct select_means *means, struct tcplan_error *error) {
    assert(count > 0 && rules->least_rounds >= 2 && rules->price > 0);
    *out = (struct select){.rules = *rules, .count = count, .arm = arm};
    assert(rules->expected.freedom > 0);
    out->leader = first_leader(out);
    out->pick = out->leader;
    enum tcplan_status status = TCPLAN_OK;
    bool is_settled = arm[out->leader].withdrawn;
    for (int times = 0; times < MOST_TIMES && status == TCPLAN_OK && !is_settled; times++) {
        status = compare(out, means, error);
        if (status != TCPLAN_OK) break;
        pick(out, means);
        status = sample_pick(out, means, error);
        /* A pick whose own time is longer than it was thought calls in others as well. */
        is_settled = out->rounds >= rules->most_rounds || !is_anyone_wanted(out, means);
    }
    count_compared(out);
    return status;
}
