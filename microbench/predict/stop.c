#include "microbench/predict/stop.h"

#include <math.h>
#include <stdlib.h>

#include "microbench/timing/quantile.h"

/* LEAST_TREND: fewest values that show a trend. TREND_VALUES: number of latest values in which a
 * trend is sought. */
enum { LEAST_TREND = 8, TREND_VALUES = 32 };

#define TREND_QUANTILE 2.326 /* one-sided quantile of the normal distribution for 1 % */

const char *stop_reason_name(enum stop_reason reason) {
    static const char *const names[STOP_REASONS] = {"running", "time", "count", "precise",
                                                    "beaten"};
    return names[reason];
}

struct stop_rules stop_rules_defaults(void) {
    return (struct stop_rules){.most_seconds = 10,
                               .most_samples = 200,
                               .precise_share = 0.01,
                               .beaten = true,
                               .least_precise = 2,
                               .least_beaten = 2,
                               .level = 0.99,
                               .interval = STOP_STUDENT,
                               .aim = STOP_HIGHEST};
}

bool stop_rules_end(const struct stop_rules *rules) {
    return rules->most_seconds > 0 || rules->most_samples > 0;
}

double stop_worst(enum stop_aim aim) {
    return aim == STOP_HIGHEST ? -INFINITY : INFINITY;
}

bool stop_is_better(enum stop_aim aim, double value, double best) {
    return aim == STOP_HIGHEST ? value > best : value < best;
}

double stop_margin(const struct stop_rules *rules, const struct running_mean *samples) {
    if (samples->count < 2) return INFINITY;
    const double quantile = rules->interval == STOP_NORMAL
                                ? quantile_normal(rules->level)
                                : quantile_student(rules->level, samples->count - 1);
    return quantile * sqrt(running_mean_variance(samples) / (double)samples->count);
}

/** The centre of a series with its confidence interval. */
struct estimate {
    double low, centre, high;
    int64_t count; /* number of values */
};

static struct estimate estimate_mean(const struct stop_rules *rules,
                                     const struct running_mean *samples) {
    const double margin = stop_margin(rules, samples);
    return (struct estimate){samples->mean - margin, samples->mean, samples->mean + margin,
                             samples->count};
}

static int by_value(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/** Returns how many values to omit at either end, so that the others contain the median of the
 * distribution with this probability; -1: all values together do not. The number of values below
 * the median is binomial (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 7.1). */
static int omitted_ends(int count, double level) {
    double share = ldexp(1, -count); /* probability that `below` values are below the median */
    double outside = 0;
    for (int below = 0; below < count; below++) {
        outside += share;
        if (2 * outside > 1 - level) return below - 1;
        share *= (double)(count - below) / (below + 1);
    }
    return -1;
}

static struct estimate estimate_median(const struct stop_rules *rules,
                                       const struct stop_series *series) {
    double sorted[STOP_LATEST];
    const int count = (int)(series->mean.count < STOP_LATEST ? series->mean.count : STOP_LATEST);
    for (int v = 0; v < count; v++)
        sorted[v] = series->latest[(series->added - 1 - v) % STOP_LATEST];
    if (count == 0) return (struct estimate){-INFINITY, 0, INFINITY, 0};
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    const int omitted = omitted_ends(count, rules->level);
    const double centre = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
    return omitted < 0
               ? (struct estimate){-INFINITY, centre, INFINITY, count}
               : (struct estimate){sorted[omitted], centre, sorted[count - 1 - omitted], count};
}

static struct estimate estimate_series(const struct stop_rules *rules,
                                       const struct stop_series *series) {
    return rules->interval == STOP_MEDIAN ? estimate_median(rules, series)
                                          : estimate_mean(rules, &series->mean);
}

static bool is_beaten(const struct stop_rules *rules, const struct estimate *found, double best) {
    if (!rules->beaten || found->count < 2 || found->count < rules->least_beaten) return false;
    return stop_is_better(rules->aim, best, rules->aim == STOP_HIGHEST ? found->high : found->low);
}

static bool is_precise(const struct stop_rules *rules, const struct estimate *found) {
    if (rules->precise_share <= 0 || found->count < 2 || found->count < rules->least_precise)
        return false;
    return 0.5 * (found->high - found->low) <= rules->precise_share * fabs(found->centre);
}

/** Checks conditions 3 and 4. */
static enum stop_reason check_estimate(const struct stop_rules *rules, const struct estimate *found,
                                       double best) {
    if (is_beaten(rules, found, best)) return STOP_BEATEN;
    return is_precise(rules, found) ? STOP_PRECISE : STOP_NOT;
}

static bool needs_estimate(const struct stop_rules *rules) {
    return rules->beaten || rules->precise_share > 0;
}

/** Checks the conditions on the number of values and on time. */
static enum stop_reason check_limits(const struct stop_rules *rules, int64_t count,
                                     double elapsed_seconds) {
    if (rules->most_samples > 0 && count >= rules->most_samples) return STOP_COUNT;
    if (rules->most_seconds > 0 && elapsed_seconds >= rules->most_seconds) return STOP_TIME;
    return STOP_NOT;
}

enum stop_reason stop_check(const struct stop_rules *rules, const struct running_mean *samples,
                            double elapsed_seconds, double best) {
    enum stop_reason reason = STOP_NOT;
    if (needs_estimate(rules)) {
        const struct estimate found = estimate_mean(rules, samples);
        reason = check_estimate(rules, &found, best);
    }
    return reason == STOP_NOT ? check_limits(rules, samples->count, elapsed_seconds) : reason;
}

/** Returns whether the latest values become better: a test of Mann and Kendall, which counts the
 * pairs in which the later value is better and assumes no distribution (H. B. Mann, Nonparametric
 * tests against trend, 1945). One in a hundred series without a trend counts as rising. */
static bool rises(const struct stop_rules *rules, const struct stop_series *series) {
    const int count = (int)(series->added < TREND_VALUES ? series->added : TREND_VALUES);
    int better = 0;
    if (count < LEAST_TREND) return false;
    for (int later = 0; later < count; later++) {
        const double value = series->latest[(series->added - 1 - later) % STOP_LATEST];
        for (int earlier = later + 1; earlier < count; earlier++) {
            const double before = series->latest[(series->added - 1 - earlier) % STOP_LATEST];
            better += stop_is_better(rules->aim, value, before);
            better -= stop_is_better(rules->aim, before, value);
        }
    }
    return better > TREND_QUANTILE * sqrt(count * (count - 1.0) * (2.0 * count + 5) / 18);
}

void stop_series_add(struct stop_series *series, const struct stop_rules *rules, double value) {
    series->latest[series->added++ % STOP_LATEST] = value;
    series->rises = rules->ramps && rises(rules, series);
    if (series->rises) series->mean = (struct running_mean){0};
    running_mean_add(&series->mean, value);
}

double stop_series_centre(const struct stop_rules *rules, const struct stop_series *series) {
    return estimate_series(rules, series).centre;
}

enum stop_reason stop_check_series(const struct stop_rules *rules, const struct stop_series *series,
                                   double elapsed_seconds, double best) {
    const bool is_settled = !rules->ramps || (!series->rises && series->added >= LEAST_TREND);
    enum stop_reason reason = STOP_NOT;
    if (needs_estimate(rules) && is_settled) {
        const struct estimate found = estimate_series(rules, series);
        reason = check_estimate(rules, &found, best);
    }
    return reason == STOP_NOT ? check_limits(rules, series->added, elapsed_seconds) : reason;
}
