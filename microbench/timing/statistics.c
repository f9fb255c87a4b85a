#include "microbench/timing/statistics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "microbench/timing/quantile.h"

#define DISTURBED_FACTOR 2.5

void running_mean_add(struct running_mean *running, double value) {
    const double difference = value - running->mean;
    running->count++;
    running->mean += difference / (double)running->count;
    running->squares += difference * (value - running->mean);
    assert(!(running->squares < 0)); /* a sum of squares is not negative; it may be NaN */
}

double running_mean_variance(const struct running_mean *running) {
    return running->count > 1 ? running->squares / (double)(running->count - 1) : 0;
}

/** Sorts the first TCPLAN_MAX_SAMPLES values into `sorted`; returns their number. */
static int sort_samples(double sorted[TCPLAN_MAX_SAMPLES], const double *value, int count) {
    if (count > TCPLAN_MAX_SAMPLES) count = TCPLAN_MAX_SAMPLES;
    memcpy(sorted, value, (size_t)count * sizeof *value);
    sort_numbers(sorted, (size_t)count);
    return count;
}

double statistics_median(const double *value, int count) {
    double sorted[TCPLAN_MAX_SAMPLES];
    assert(count > 0);
    count = sort_samples(sorted, value, count);
    return sorted_median(sorted, (size_t)count);
}

double statistics_smallest(const double *value, int count) {
    double smallest = INFINITY;
    for (int i = 0; i < count; i++) smallest = fmin(smallest, value[i]);
    return smallest;
}

static void keep_samples(struct tcplan_estimate *estimate, const double *sample_ns, int count) {
    for (int i = 0; i < count && i < TCPLAN_MAX_SAMPLES; i++)
        estimate->sample[estimate->sample_count++] = sample_ns[i] * 1e-9;
}

struct tcplan_estimate statistics_informed_estimate(const double *sample_ns, int count,
                                                    struct expected_spread expected) {
    struct tcplan_estimate estimate = {0};
    keep_samples(&estimate, sample_ns, count);
    const double limit =
        expected.disturbed_factor * statistics_median(estimate.sample, estimate.sample_count);
    struct running_mean kept = {0};
    for (int i = 0; i < estimate.sample_count; i++) {
        if (estimate.sample[i] <= limit) running_mean_add(&kept, estimate.sample[i]);
    }
    const double expected_deviation = expected.share * kept.mean;
    const int freedom = expected.freedom + (int)kept.count - 1;
    const double variance =
        (expected.freedom * expected_deviation * expected_deviation + kept.squares) /
        (freedom > 0 ? freedom : 1);
    const double half = freedom > 0
                            ? quantile_student(0.95, freedom) * sqrt(variance / (double)kept.count)
                            : kept.mean;
    estimate.seconds = kept.mean;
    estimate.low = freedom > 0 ? fmax(kept.mean - half, 0) : kept.mean / 2;
    estimate.high = kept.mean + half;
    assert(kept.count > 0 && estimate.low <= estimate.seconds && estimate.seconds <= estimate.high);
    return estimate;
}

struct tcplan_estimate statistics_mean_estimate(const double *sample_ns, int count) {
    return statistics_informed_estimate(
        sample_ns, count, (struct expected_spread){.disturbed_factor = DISTURBED_FACTOR});
}

struct tcplan_estimate statistics_median_estimate(const double *sample_ns, int count) {
    struct tcplan_estimate estimate = {0};
    keep_samples(&estimate, sample_ns, count);
    double sorted[TCPLAN_MAX_SAMPLES];
    const int n = sort_samples(sorted, estimate.sample, estimate.sample_count);
    estimate.seconds = statistics_median(estimate.sample, n);
    /* The number of samples below the median is binomial: half plus or minus 1.96 standard
     * deviations of sqrt(n) / 2. */
    const int reach = (int)ceil(0.98 * sqrt((double)n));
    const int low = (n - 1) / 2 - reach;
    const int high = n / 2 + reach;
    estimate.low = sorted[low > 0 ? low : 0];
    estimate.high = sorted[high < n - 1 ? high : n - 1];
    assert(estimate.low <= estimate.seconds && estimate.seconds <= estimate.high);
    return estimate;
}
