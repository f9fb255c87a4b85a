#include "microbench/timing/states.h"

#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "microbench/timing/quantile.h"

/* References of one state are within this of each other, one standard deviation; so many of them
 * may be chance. */
#define REFERENCE_SPREAD 0.03
enum { REFERENCE_SAMPLES = 3 };
#define MOST_FOLLOWED 1.2

/* Slower than the fastest tenth by so much, or than another process, is no state of the core, but
 * somebody who had it, or a clock that stood. */
#define DISTURBED_FACTOR 3.0

/* Three standard deviations between two states, which two references at least met. */
#define LEAST_RATIO 1.1
enum { LEAST_LOOKS = 2 };

/* A look stands for no more than this on either side: between looks that are farther apart nobody
 * watched. */
#define LOOK_SECONDS 0.05

/*
 * What one thread can do: 10^13 operations, or bytes, a second are more than any does, of which a
 * reference has some 200,000 (reference.h); and none takes a second. What a clock says that stands,
 * or goes in steps of so much, are no times.
 */
#define LEAST_REFERENCE_SECONDS 2e-8
#define MOST_REFERENCE_SECONDS 1.0

/* Speeds farther apart than this are none of one core's. */
#define MOST_RATIO 100

/* Dwell times that are tried, each twice the one before. */
#define SHORTEST_DWELL 1e-4
enum { DWELL_TIMES = 20 };

#define GOOD_STATE 0.1

/* The share drifts over minutes. What its variance is before anything is known of it, and how many
 * processes that counts as. */
#define USUAL_DRIFT (1.0 / 6)
#define USUAL_DRIFT_COUNT 3.0

/* The changes of the pace that STATES_USUAL_CHANGE counts as. */
#define USUAL_CHANGE_COUNT 1.0
#define MINUTE_SECONDS 60.0

/* What was met so long ago says half of what is met now. */
#define HALF_LIFE_SECONDS 3600.0

/* How far what is timed follows the core: its spread before it is known, and of samples (as
 * variances). */
#define FOLLOWS_VARIANCE (0.3 * 0.3)
#define SAMPLE_VARIANCE (0.05 * 0.05)

#define LEVEL 0.95
enum { SHARES = 32, BISECTIONS = 28, MANY = 200 };

/* Two speeds. */

/** A number of looks, sorted, in two parts: the smallest sum of squares around their means. */
static int best_split(const double *value, int count, double *lower, double *upper) {
    double total = 0;
    double below = 0;
    double best = -INFINITY;
    int split = 0;
    for (int i = 0; i < count; i++) total += value[i];
    for (int i = 1; i < count; i++) {
        below += value[i - 1];
        const double above = total - below;
        const double between =
            below * below / i +
            above * above / (count - i); /* greatest where the squares within are smallest */
        if (between <= best) continue;
        best = between;
        split = i;
        *lower = below / i;
        *upper = above / (count - i);
    }
    return split;
}

/** Logarithms of the references that nobody disturbed, sorted. */
static int sorted_logs(double out[], const struct states_look look[], int count) {
    int known = 0;
    for (int i = 0; i < count; i++) {
        if (look[i].seconds > 0) out[known++] = log(look[i].seconds);
    }
    sort_numbers(out, (size_t)known);
    while (known > 0 &&
           out[known - 1] > out[(int)(GOOD_STATE * (known - 1))] + log(DISTURBED_FACTOR))
        known--;
    return known;
}

static void set_speeds(struct states *out, const double *value, int count,
                       const struct states *known) {
    double lower = 0;
    double upper = 0;
    const int split = best_split(value, count, &lower, &upper);
    if (split >= LEAST_LOOKS && count - split >= LEAST_LOOKS && upper - lower >= log(LEAST_RATIO)) {
        *out = (struct states){.good = exp(lower), .ratio = exp(upper - lower)};
        return;
    }
    const double middle = value[count / 2];
    const bool is_slow = known->ratio > 1 && middle > log(known->good) + log(known->ratio) / 2;
    *out = (struct states){.good = exp(middle) / (is_slow ? known->ratio : 1),
                           .ratio = is_slow ? known->ratio : 1};
}

static bool is_slow_look(const struct states *states, const struct states_look *look) {
    return states->ratio > 1 && look->seconds > states->good * sqrt(states->ratio);
}

static double apart(const struct states_look *a, const struct states_look *b) {
    return fmax(b->at_seconds - a->at_seconds, 0);
}

/** A look stands for half of the time to its neighbours. */
static void set_share(struct states *states, const struct states_look look[], int count) {
    double slow = 0;
    for (int i = 0; i + 1 < count; i++) {
        const double half = fmin(apart(&look[i], &look[i + 1]) / 2, LOOK_SECONDS);
        states->watched_seconds += 2 * half;
        slow += half * (is_slow_look(states, &look[i]) + is_slow_look(states, &look[i + 1]));
    }
    if (states->watched_seconds > 0) {
        states->share = slow / states->watched_seconds;
    } else if (count > 0) {
        states->share = is_slow_look(states, &look[0]);
    }
}

/** How likely the looks are with a dwell time, as a logarithm. */
static double likelihood(const struct states *states, const struct states_look look[], int count,
                         double dwell_seconds) {
    const double share = fmin(fmax(states->share, 0.01), 0.99);
    double sum = 0;
    for (int i = 0; i + 1 < count; i++) {
        const double remembered = exp(-apart(&look[i], &look[i + 1]) / dwell_seconds);
        const bool from = is_slow_look(states, &look[i]);
        const bool to = is_slow_look(states, &look[i + 1]);
        const double chance = to ? share : 1 - share;
        sum += log(remembered * (from == to) + (1 - remembered) * chance + 1e-9);
    }
    return sum;
}

static void set_dwell(struct states *states, const struct states_look look[], int count) {
    double best = -INFINITY;
    bool changes = false;
    for (int i = 0; i + 1 < count; i++)
        changes = changes || is_slow_look(states, &look[i]) != is_slow_look(states, &look[i + 1]);
    if (!changes) return;
    for (int d = 0; d < DWELL_TIMES; d++) {
        const double dwell_seconds = SHORTEST_DWELL * exp2(d);
        const double likely = likelihood(states, look, count, dwell_seconds);
        if (likely <= best) continue;
        best = likely;
        states->dwell_seconds = dwell_seconds;
    }
}

struct states states_of(const struct states_look look[], int count, const struct states *known) {
    struct states out = {0};
    double value[STATES_LOOKS];
    if (count > STATES_LOOKS) look += count - STATES_LOOKS;
    if (count > STATES_LOOKS) count = STATES_LOOKS;
    const int values = sorted_logs(value, look, count);
    if (values == 0) return out;
    set_speeds(&out, value, values, known);
    set_share(&out, look, count);
    set_dwell(&out, look, count);
    return out;
}

double states_good_reference(double *reference_seconds, int count) {
    if (count == 0) return 0;
    sort_numbers(reference_seconds, (size_t)count);
    return reference_seconds[(int)(GOOD_STATE * (count - 1))];
}

bool states_can_be(const struct states *states) {
    return states->good >= LEAST_REFERENCE_SECONDS && states->good <= MOST_REFERENCE_SECONDS &&
           states->ratio >= 1 && states->ratio < MOST_RATIO && states->share >= 0 &&
           states->share <= 1 && states->dwell_seconds >= 0 && states->watched_seconds > 0;
}

/* What will be met. */

static double recency(const struct states_kept *kept, int64_t now) {
    return exp2(-fmax((double)(now - kept->made), 0) / HALF_LIFE_SECONDS);
}

struct states states_known(const struct states_kept kept[], int count, int64_t now) {
    double weights = 0;
    double good = 0;
    double ratio = 0;
    for (int k = 0; k < count; k++) {
        const double weight =
            recency(&kept[k], now) + 1e-6; /* what is old says at least what was possible */
        if (!(kept[k].states.ratio > 1)) continue;
        weights += weight;
        good += weight * log(kept[k].states.good);
        ratio += weight * log(kept[k].states.ratio);
    }
    if (!(weights > 0)) return (struct states){0};
    return (struct states){.good = exp(good / weights), .ratio = exp(ratio / weights)};
}

/** How many times the states were met anew. */
static double meetings(const struct states *states, double dwell_seconds) {
    return dwell_seconds > 0 ? states->watched_seconds / (2 * dwell_seconds) : 1;
}

/** The mean of the dwell times that are known, in logarithms, by how often states were met. */
static double mean_dwell(const struct states *met, const struct states_kept kept[], int count) {
    double weights = 0;
    double sum = 0;
    for (int k = -1; k < count; k++) {
        const struct states *one = k < 0 ? met : &kept[k].states;
        if (!(one->dwell_seconds > 0)) continue;
        const double weight = meetings(one, one->dwell_seconds) + 1;
        weights += weight;
        sum += weight * log(one->dwell_seconds);
    }
    return weights > 0 ? exp(sum / weights) : 0;
}

/** The weight of what one process met: the inverse of the variance that its share has as that of
 * another minute. */
static double weight_of(const struct states *one, double dwell_seconds, double drift,
                        double recent) {
    const double met = meetings(one, dwell_seconds);
    return met > 0 ? recent / (1 / met + drift) : 0;
}

/** The expected share, half a time of each state being met before anything is known, and the weight
 * behind it. */
static double mean_share(const struct states *met, const struct states_kept kept[], int count,
                         int64_t now, double dwell_seconds, double drift, double *weights) {
    double sum = 0.5;
    *weights = 1;
    for (int k = -1; k < count; k++) {
        const struct states *one = k < 0 ? met : &kept[k].states;
        const double weight =
            weight_of(one, dwell_seconds, drift, k < 0 ? 1 : recency(&kept[k], now));
        *weights += weight;
        sum += weight * one->share;
    }
    return sum / *weights;
}

/** How much shares of processes differ beyond what chance makes of each, drawn to what is usual. */
static double drift_of(const struct states *met, const struct states_kept kept[], int count,
                       double share, double dwell_seconds) {
    const double chance = share * (1 - share);
    double sum = USUAL_DRIFT_COUNT * USUAL_DRIFT;
    double weights = USUAL_DRIFT_COUNT;
    for (int k = -1; k < count; k++) {
        const struct states *one = k < 0 ? met : &kept[k].states;
        const double times = meetings(one, dwell_seconds);
        if (times < 1) continue;
        const double difference = one->share - share;
        sum += difference * difference / chance - 1 / times;
        weights++;
    }
    return fmin(fmax(sum / weights, 0.01), 1);
}

double states_mean_reference(const struct states *met) {
    return met->good > 0 ? met->good * pow(met->ratio, met->share) : 0;
}

/**
 * The variance of what the pace changes by between two processes, one behind the other, drawn to
 * what is usual. Those of one minute tell little of it, and how long ago it was says nothing.
 */
static double change_of(const struct states *met, const struct states_kept kept[], int count,
                        int64_t now) {
    double sum = USUAL_CHANGE_COUNT * STATES_USUAL_CHANGE * STATES_USUAL_CHANGE;
    double weights = USUAL_CHANGE_COUNT;
    double before = 0;
    int64_t made_before = 0;
    for (int k = 0; k <= count; k++) {
        const double pace = states_mean_reference(k < count ? &kept[k].states : met);
        const int64_t made = k < count ? kept[k].made : now;
        if (!(pace > 0)) continue;
        if (before > 0) {
            const double weight = fmin(fmax((double)(made - made_before) / MINUTE_SECONDS, 0), 1);
            const double change = fmin(fabs(log(pace / before)), log(DISTURBED_FACTOR));
            sum += weight * change * change;
            weights += weight;
        }
        before = pace;
        made_before = made;
    }
    return sum / weights;
}

/** Of such a change, what is not the share's. */
static double pace_change_of(const struct states_outlook *outlook, double change) {
    const double slower = log(outlook->ratio);
    return sqrt(fmax(
        change - slower * slower * outlook->share * (1 - outlook->share) * outlook->spread, 0));
}

struct states_outlook states_outlook(const struct states *met, const struct states_kept kept[],
                                     int count, int64_t now) {
    const double ratio = met->ratio > 1 ? met->ratio : states_known(kept, count, now).ratio;
    const double change = change_of(met, kept, count, now);
    if (!(ratio > 1))
        return (struct states_outlook){
            .ratio = 1, .pace_change = sqrt(change), .unwatched = STATES_USUAL_CHANGE};
    struct states_outlook out = {.ratio = ratio,
                                 .dwell_seconds = mean_dwell(met, kept, count),
                                 .unwatched = STATES_USUAL_CHANGE};
    double weights;
    out.share = mean_share(met, kept, count, now, out.dwell_seconds, USUAL_DRIFT, &weights);
    const double drift = drift_of(met, kept, count, out.share, out.dwell_seconds);
    out.share = mean_share(met, kept, count, now, out.dwell_seconds, drift, &weights);
    out.spread = fmin(drift + 1 / weights, 1);
    out.pace_change = pace_change_of(&out, change);
    return out;
}

double states_speed_share(const struct states_outlook *outlook) {
    return 1 - outlook->share + outlook->share / outlook->ratio;
}

/* Samples. */

/**
 * What the mean between two moments of such a chain differs by from that of all, over what the mean
 * of its ends differs by: the best linear prediction.
 */
static double told_by_ends(const struct states *met, const struct states_sample *sample) {
    const double half =
        met->dwell_seconds > 0 ? sample->apart_seconds / (2 * met->dwell_seconds) : 0;
    return half > 1e-6 ? tanh(half) / half : 1;
}

double states_felt(const struct states *met, const struct states_sample *sample) {
    if (!(sample->reference_seconds > 0) || !(met->good > 0)) return sample->reference_seconds;
    const double mean = met->share * log(met->ratio);
    const double seen = log(sample->reference_seconds / met->good);
    return met->good * exp(mean + told_by_ends(met, sample) * (seen - mean));
}

void states_begin_series(struct states_regression *regression) {
    regression->count = 0;
    regression->mean = regression->mean_reference = 0;
}

void states_add(struct states_regression *regression, double seconds, double reference_seconds) {
    if (!(seconds > 0) || !(reference_seconds > 0)) return;
    const double reference = log(reference_seconds);
    const double difference = reference - regression->mean_reference;
    regression->count++;
    regression->mean_reference += difference / regression->count;
    regression->squares += difference * (reference - regression->mean_reference);
    regression->mean += (log(seconds) - regression->mean) / regression->count;
    regression->products += difference * (log(seconds) - regression->mean);
}

void states_add_felt(struct states_regression *regression, const struct states *met,
                     const struct states_sample *sample) {
    const double told = told_by_ends(met, sample);
    states_add(regression, sample->seconds, states_felt(met, sample));
    regression->squares += told * told * sample->squares;
    regression->products += told * sample->products;
}

static double drawn_slope(const struct states_regression *regression, double squares,
                          double expected) {
    const double slope =
        (regression->products + squares * expected) / (regression->squares + squares);
    return fmin(fmax(slope, 0), MOST_FOLLOWED);
}

double states_follows(const struct states_regression *regression) {
    return drawn_slope(regression, REFERENCE_SAMPLES * REFERENCE_SPREAD * REFERENCE_SPREAD, 0);
}

double states_follows_drawn(const struct states_regression *regression, double expected) {
    return drawn_slope(regression, SAMPLE_VARIANCE / FOLLOWS_VARIANCE, expected);
}

double states_follows_expected(const struct states *met, double references, double seconds) {
    const double alike =
        met->good > 0 && seconds > 0 ? fmin(references * met->good / seconds, 1) : 1;
    return (1 + alike) / 2;
}

double states_factor(double follows, double reference_seconds, double state_seconds) {
    return reference_seconds > 0 && state_seconds > 0
               ? pow(state_seconds / reference_seconds, follows)
               : 1;
}

/** The samples that nobody disturbed: what is that much above the median is left out. */
static int keep_undisturbed(struct states_sample out[], const struct states_sample sample[],
                            int count, double factor) {
    double seconds[TCPLAN_MAX_SAMPLES] = {0};
    int kept = 0;
    for (int i = 0; i < count; i++) seconds[i] = sample[i].seconds;
    const double most = factor * statistics_median(seconds, count);
    for (int i = 0; i < count; i++) {
        if (sample[i].seconds <= most) out[kept++] = sample[i];
    }
    return kept;
}

struct states_fit states_fit(const struct states *met, const struct states_sample sample[],
                             int count, double follows, struct expected_spread expected) {
    struct states_sample kept[TCPLAN_MAX_SAMPLES];
    struct states_regression regression = {0};
    count = keep_undisturbed(kept, sample, count < TCPLAN_MAX_SAMPLES ? count : TCPLAN_MAX_SAMPLES,
                             expected.disturbed_factor);
    for (int i = 0; i < count; i++) states_add_felt(&regression, met, &kept[i]);
    struct states_fit fit = {.follows = states_follows_drawn(&regression, follows),
                             .freedom = expected.freedom + count - 1};
    struct running_mean logs = {0};
    for (int i = 0; i < count; i++) {
        running_mean_add(&logs,
                         log(kept[i].seconds *
                             states_factor(fit.follows, states_felt(met, &kept[i]), met->good)));
    }
    if (fit.freedom < 1) fit.freedom = 1;
    const double squares = expected.freedom * expected.share * expected.share + logs.squares;
    fit.good_seconds = exp(logs.mean);
    const double variance = squares / fit.freedom;
    fit.error = sqrt(variance / count);
    fit.deviation = sqrt(variance + variance / count);
    return fit;
}

/* Predicting. */

/** Of a single run, by the share of its time that the core is slow. */
struct mixture {
    double weight[SHARES + 1];
    double factor[SHARES + 1]; /**< logarithms of its time over that in the good state */
    double deviation;
    int freedom;
};

/** How much of a state's variance is left in the mean over so many dwell times. */
static double left_after(double dwells) {
    return dwells > 1e-3 ? 2 * (dwells - 1 + exp(-dwells)) / (dwells * dwells) : 1;
}

/** The share of a run that is slow is taken for beta distributed: near to 0 or 1 for short ones,
 * near to the mean for long ones. */
static void weigh_shares(struct mixture *mixture, const struct states_outlook *outlook,
                         double good_seconds) {
    const double dwells = outlook->dwell_seconds > 0 ? good_seconds / outlook->dwell_seconds : 0;
    const double variance = outlook->spread + (1 - outlook->spread) * left_after(dwells);
    const double counts = 1 / fmin(fmax(variance, 1e-3), 0.99) - 1;
    double before = 0;
    for (int s = 0; s <= SHARES; s++) {
        const double end = (s + 0.5) / SHARES;
        const double below = end < 1 ? quantile_beta_share(end, counts * outlook->share,
                                                           counts * (1 - outlook->share))
                                     : 1;
        mixture->weight[s] = below - before;
        before = below;
    }
}

/** What a time changes by from minutes to others: neighbours that take the core take caches and
 * memory as well, so that both parts change together. */
static double change_over_minutes(const struct states_outlook *outlook, double follows) {
    const double watched = fmin(follows, 1);
    return watched * outlook->pace_change + (1 - watched) * outlook->unwatched;
}

/**
 * Degrees of freedom of a deviation of which `drawn` was drawn from samples with so many, and the
 * rest is known (F. E. Satterthwaite, An approximate distribution of estimates of variance
 * components, 1946).
 */
static int freedom_of(double drawn, int freedom, double deviation) {
    const double share = drawn > 0 ? pow(deviation / drawn, 4) : MANY;
    return (int)fmin(freedom * share, MANY);
}

static struct mixture mixture_of(const struct states_outlook *outlook, const struct states_fit *fit,
                                 double residual) {
    const double change = change_over_minutes(outlook, fit->follows);
    struct mixture mixture = {.deviation = hypot(hypot(fit->deviation, residual), change)};
    mixture.freedom = freedom_of(fit->deviation, fit->freedom, mixture.deviation);
    const double slow = pow(outlook->ratio, -fit->follows); /* speed in the other state */
    for (int s = 0; s <= SHARES; s++) mixture.factor[s] = -log(1 - (1 - slow) * s / SHARES);
    if (outlook->ratio > 1) {
        weigh_shares(&mixture, outlook, fit->good_seconds);
    } else {
        mixture.weight[0] = 1;
    }
    return mixture;
}

static double share_below(const struct mixture *mixture, double value) {
    double share = 0;
    for (int s = 0; s <= SHARES; s++) {
        const double deviations = (value - mixture->factor[s]) / mixture->deviation;
        if (mixture->weight[s] < 1e-6) continue;
        share +=
            mixture->weight[s] *
            (1 + copysign(quantile_student_share(fabs(deviations), mixture->freedom), deviations)) /
            2;
    }
    return share;
}

static double mixture_quantile(const struct mixture *mixture, double level) {
    const double reach =
        mixture->deviation * quantile_student(1 - (1 - LEVEL) / 100, mixture->freedom);
    double low = mixture->factor[0] - reach;
    double high = mixture->factor[SHARES] + reach;
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        *(share_below(mixture, middle) < level ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

struct tcplan_estimate states_predict(const struct states_outlook *outlook,
                                      const struct states_fit *fit, double residual) {
    const struct mixture mixture = mixture_of(outlook, fit, residual);
    double mean = 0;
    for (int s = 0; s <= SHARES; s++) mean += mixture.weight[s] * exp(mixture.factor[s]);
    return (struct tcplan_estimate){
        .seconds = fit->good_seconds * mean,
        .low = fit->good_seconds * exp(mixture_quantile(&mixture, (1 - LEVEL) / 2)),
        .high = fit->good_seconds * exp(mixture_quantile(&mixture, (1 + LEVEL) / 2))};
}

double states_widen(const struct states *met, const struct states_outlook *outlook, double follows,
                    double residual, struct tcplan_estimate *estimate) {
    if (!(met->good > 0) || !(estimate->low > 0)) return 0;
    const double own = log(estimate->high / estimate->low) / (2 * quantile_normal(LEVEL));
    const double in_some_state = follows * log(met->ratio) * sqrt(met->share * (1 - met->share));
    const struct states_fit fit = {
        .good_seconds = estimate->seconds / (1 + met->share * (pow(met->ratio, follows) - 1)),
        .follows = follows,
        .deviation = hypot(own, in_some_state),
        .freedom = MANY};
    const struct tcplan_estimate run = states_predict(outlook, &fit, residual);
    estimate->seconds = run.seconds;
    estimate->low = run.low;
    estimate->high = run.high;
    return fit.good_seconds;
}
