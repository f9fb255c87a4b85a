#include "microbench/timing/drift.h"

#include <assert.h>
#include <math.h>

#include "base/sorted.h"
#include "microbench/timing/quantile.h"

#define GOOD_SHARE 0.05

/* A reference that takes this many times the shortest time was disturbed; changes of the clock
 * rate are smaller. */
#define DISTURBED_FACTOR 3.0

/* The prior of an elasticity, as variances: elasticities deviate by 0.3 from the expected one,
 * and samples by 5 %. */
#define ELASTICITY_VARIANCE (0.3 * 0.3)
#define SAMPLE_VARIANCE (0.05 * 0.05)
#define MOST_ELASTICITY 1.2

#define LEVEL 0.95

/* References. */

double drift_good(double *reference_seconds, int count) {
    if (count == 0) return 0;
    sort_numbers(reference_seconds, (size_t)count);
    assert(reference_seconds[0] > 0); /* samples without a reference are left out */
    return reference_seconds[(int)(GOOD_SHARE * count)];
}

struct drift drift_of(const struct drift_timing timing[], int count) {
    double seconds[DRIFT_TIMINGS];
    struct running_mean logs = {0};
    int known = 0;
    for (int l = count > DRIFT_TIMINGS ? count - DRIFT_TIMINGS : 0; l < count; l++) {
        if (timing[l].seconds > 0) seconds[known++] = timing[l].seconds;
    }
    if (known == 0) return (struct drift){0};
    const double good = drift_good(seconds, known);
    for (int l = 0; l < known && seconds[l] <= DISTURBED_FACTOR * good; l++)
        running_mean_add(&logs, log(seconds[l]));
    return (struct drift){.good_seconds = good, .mean_seconds = exp(logs.mean)};
}

/** Computes the mean logarithms of timings in batches of this many seconds; returns the number
 * of batches. */
static int batch_means(double out[DRIFT_TIMINGS], const struct drift_timing timing[], int count,
                       double batch_seconds) {
    const double most = DISTURBED_FACTOR * drift_of(timing, count).good_seconds;
    struct running_mean batch = {0};
    double began = 0;
    int batches = 0;
    for (int l = 0; l < count && l < DRIFT_TIMINGS; l++) {
        if (!(timing[l].seconds > 0) || timing[l].seconds > most) continue;
        if (batch.count == 0 || timing[l].at_seconds - began >= batch_seconds) {
            batch = (struct running_mean){0};
            began = timing[l].at_seconds;
            batches++;
        }
        running_mean_add(&batch, log(timing[l].seconds));
        out[batches - 1] = batch.mean;
    }
    return batches;
}

struct drift_range drift_within(const struct drift_timing timing[], int count, double run_seconds) {
    assert(run_seconds >= 0);
    double mean[DRIFT_TIMINGS];
    const int batches = batch_means(mean, timing, count, run_seconds);
    struct running_mean all = {0};
    if (batches == 0) return (struct drift_range){0};
    for (int b = 0; b < batches; b++) running_mean_add(&all, mean[b]);
    sort_numbers(mean, (size_t)batches);
    const int beyond = (int)((1 - LEVEL) / 2 * batches);
    assert(beyond < batches);
    return (struct drift_range){.below = all.mean - mean[beyond],
                                .above = mean[batches - 1 - beyond] - all.mean};
}

/* Elasticity. */

void drift_begin_series(struct drift_regression *regression) {
    regression->count = 0;
    regression->mean = regression->mean_reference = 0;
}

void drift_add(struct drift_regression *regression, double seconds, double reference_seconds) {
    if (!(seconds > 0) || !(reference_seconds > 0)) return;
    const double reference = log(reference_seconds);
    const double difference = reference - regression->mean_reference;
    regression->count++;
    regression->mean_reference += difference / regression->count;
    regression->squares += difference * (reference - regression->mean_reference);
    regression->mean += (log(seconds) - regression->mean) / regression->count;
    regression->products += difference * (log(seconds) - regression->mean);
}

double drift_elasticity(const struct drift_regression *regression, double expected) {
    const double ridge = SAMPLE_VARIANCE / ELASTICITY_VARIANCE;
    const double slope = (regression->products + ridge * expected) / (regression->squares + ridge);
    return fmin(fmax(slope, 0), MOST_ELASTICITY);
}

double drift_expected_elasticity(double references, double reference_seconds, double seconds) {
    const bool is_known = reference_seconds > 0 && seconds > 0;
    const double alike = is_known ? fmin(references * reference_seconds / seconds, 1) : 1;
    return (1 + alike) / 2;
}

double drift_factor(double elasticity, double reference_seconds, double other_seconds) {
    return reference_seconds > 0 && other_seconds > 0
               ? pow(other_seconds / reference_seconds, elasticity)
               : 1;
}

/* Times. */

struct tcplan_estimate drift_estimate(const struct drift_sample sample[], int count,
                                      double elasticity, double reference_seconds,
                                      struct expected_spread expected, double *error) {
    double seconds[TCPLAN_MAX_SAMPLES] = {0};
    struct running_mean logs = {0};
    if (count > TCPLAN_MAX_SAMPLES) count = TCPLAN_MAX_SAMPLES;
    for (int s = 0; s < count; s++)
        seconds[s] = sample[s].seconds *
                     drift_factor(elasticity, sample[s].reference_seconds, reference_seconds);
    const double most = expected.disturbed_factor * statistics_median(seconds, count);
    for (int s = 0; s < count; s++) {
        if (seconds[s] <= most) running_mean_add(&logs, log(seconds[s]));
    }
    assert(logs.count > 0); /* some reference was not disturbed */
    const int freedom = (int)fmax(expected.freedom + (double)logs.count - 1, 1);
    const double variance =
        (expected.freedom * expected.share * expected.share + logs.squares) / freedom;
    *error = sqrt(variance / (double)logs.count);
    const double half = quantile_student(LEVEL, freedom) * hypot(sqrt(variance), *error);
    return (struct tcplan_estimate){
        .seconds = exp(logs.mean), .low = exp(logs.mean - half), .high = exp(logs.mean + half)};
}

void drift_widen(struct tcplan_estimate *estimate, struct drift_range error) {
    const double seconds = estimate->seconds;
    if (!(seconds > 0)) return;
    assert(estimate->low <= seconds && seconds <= estimate->high);
    estimate->low = seconds * exp(-hypot(log(seconds / estimate->low), error.below));
    estimate->high = seconds * exp(hypot(log(estimate->high / seconds), error.above));
}
