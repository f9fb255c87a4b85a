/*
 * Tests times relative to references, with invented timings and samples: the best and the mean
 * speed, elasticities, and intervals.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/predict/measure.h"
#include "microbench/timing/drift.h"
#include "support/rng.h"

enum { SAMPLES = 10, TIMINGS = 400 };

#define GOOD 20e-6
#define BAD 32e-6

static void assert_about(double found, double expected) {
    if (fabs(found / expected - 1) > 1e-9) fail_msg("found %.17g, expected %.17g", found, expected);
}

/* References. */

/** Makes timings that are a millisecond apart; of each `period` timings, the last `slow` ones are
 * on a slow core. */
static void make_up(struct drift_timing timing[TIMINGS], int period, int slow) {
    for (int l = 0; l < TIMINGS; l++)
        timing[l] = (struct drift_timing){.at_seconds = 1e-3 * l,
                                          .seconds = l % period >= period - slow ? BAD : GOOD};
}

static void the_best_and_the_mean_speed_are_found(void **state) {
    (void)state;
    struct drift_timing timing[TIMINGS];
    make_up(timing, 4, 1);
    const struct drift drift = drift_of(timing, TIMINGS);
    assert_about(drift.good_seconds, GOOD);
    assert_about(drift.mean_seconds, pow(GOOD, 0.75) * pow(BAD, 0.25));
    const struct drift none = drift_of(timing, 0);
    assert_true(none.good_seconds == 0 && none.mean_seconds == 0);
}

/** References of three times the best time were disturbed by another thread; a time of 0 is an
 * error of the clock. Neither counts. */
static void disturbed_references_do_not_count(void **state) {
    (void)state;
    struct drift_timing timing[TIMINGS];
    make_up(timing, 1, 0);
    for (int l = 3; l < TIMINGS; l += 10) timing[l].seconds = l % 20 == 3 ? 10 * GOOD : 0;
    const struct drift drift = drift_of(timing, TIMINGS);
    assert_about(drift.good_seconds, GOOD);
    assert_about(drift.mean_seconds, GOOD);
    const struct drift_range range = drift_within(timing, TIMINGS, 1e-3);
    assert_true(range.below < 1e-9 && range.above < 1e-9);
}

/** A short run has one clock speed, a long one the mean of both. So the range of a short run
 * contains both speeds, and that of a long run neither. */
static void the_range_covers_runs_of_equal_length(void **state) {
    (void)state;
    struct drift_timing timing[TIMINGS];
    make_up(timing, 20, 10);
    const double half = log(BAD / GOOD) / 2;
    const struct drift_range one = drift_within(timing, TIMINGS, 1e-4);
    assert_about(one.below, half);
    assert_about(one.above, half);
    const struct drift_range long_run = drift_within(timing, TIMINGS, 19.5e-3);
    assert_true(long_run.below < 0.03 && long_run.above < 0.03);
    const struct drift_range all = drift_within(timing, TIMINGS, 10);
    assert_true(all.below < 1e-9 && all.above < 1e-9); /* the timings span less than one run: there
                                                          is no range */
    const struct drift_range none = drift_within(timing, 0, 1e-3);
    assert_true(none.below == 0 && none.above == 0);
}

static void a_speed_that_was_met_rarely_is_in_the_range(void **state) {
    (void)state;
    struct drift_timing timing[TIMINGS];
    make_up(timing, 20, 1);
    const struct drift_range met = drift_within(timing, TIMINGS, 1e-3);
    assert_true(met.above > 0.9 * log(BAD / GOOD) && met.below < 0.05);
    make_up(timing, 100, 1);
    const struct drift_range hardly = drift_within(timing, TIMINGS, 1e-3);
    assert_true(hardly.above < 0.01);
}

/* Elasticity. */

/** Returns the elasticity of synthetic samples: powers of the reference times, with a different
 * constant factor in each series. */
static double elasticity_of(double power, bool in_slow_core, double expected) {
    struct drift_regression regression = {0};
    for (int series = 0; series < 4; series++) {
        drift_begin_series(&regression);
        for (int s = 0; s < SAMPLES; s++) {
            const double reference = in_slow_core && s % 3 == 0 ? BAD : GOOD;
            drift_add(&regression, pow(10, series) * pow(reference / GOOD, power), reference);
        }
    }
    return drift_elasticity(&regression, expected);
}

static void the_elasticity_is_found(void **state) {
    (void)state;
    assert_true(fabs(elasticity_of(1, true, 0.5) - 1) < 0.02);
    assert_true(fabs(elasticity_of(0.5, true, 1) - 0.5) < 0.02);
    assert_true(elasticity_of(0, true, 1) < 0.02);
    assert_true(elasticity_of(-1, true, 1) == 0);
    assert_about(elasticity_of(1, false, 0.75),
                 0.75); /* the references did not vary, so the elasticity is the prior */
    assert_true(elasticity_of(5, true, 1) < 1.5);
}

static void arithmetic_is_expected_to_follow(void **state) {
    (void)state;
    assert_about(drift_expected_elasticity(1e6, GOOD, 1e6 * GOOD), 1);
    assert_about(drift_expected_elasticity(1e6, GOOD, 2e6 * GOOD), 0.75);
    assert_about(drift_expected_elasticity(0, GOOD, 1), 0.5);
    assert_about(drift_expected_elasticity(5, 0, 1), 1);
    assert_true(drift_factor(0.5, GOOD, 4 * GOOD) == 2 && drift_factor(1, 0, GOOD) == 1);
}

static void noise_does_not_change_the_elasticity(void **state) {
    (void)state;
    struct drift_regression regression = {0};
    uint64_t bits = 3;
    for (int s = 0; s < 1000; s++)
        drift_add(&regression, 1 + 0.3 * rng_real(&bits), GOOD * (1 + 0.02 * rng_real(&bits)));
    assert_in_range(100 * drift_elasticity(&regression, 0), 0, 100);
    const struct drift_regression before = regression;
    drift_add(&regression, 1, 0);
    drift_add(&regression, 0, GOOD);
    assert_memory_equal(&regression, &before, sizeof before); /* samples without a valid time do not
                                                                 change the regression */
}

/* Times. */

/** Makes samples of a program that takes 1 s on the fast core, and proportionally longer on the
 * slow one; `slow` of the samples are on the slow core. */
static struct measurement measured(int slow, double power) {
    struct measurement measurement = {.sample_count = SAMPLES};
    for (int s = 0; s < SAMPLES; s++) {
        measurement.sample[s].reference_seconds = s < slow ? BAD : GOOD;
        measurement.sample[s].seconds =
            (1 + 0.001 * (s % 3)) * (s < slow ? pow(BAD / GOOD, power) : 1);
    }
    return measurement;
}

static struct tcplan_estimate estimate_of(const struct measurement *measurement,
                                          double reference_seconds) {
    return measurement_estimate(measurement, measurement_elasticity(&measurement, 1, 1),
                                reference_seconds);
}

static void samples_give_a_time_for_any_reference(void **state) {
    (void)state;
    for (int slow = 3; slow <= 7; slow += 4) {
        const struct measurement measurement = measured(slow, 1);
        const struct tcplan_estimate good = estimate_of(&measurement, GOOD);
        const struct tcplan_estimate bad = estimate_of(&measurement, BAD);
        assert_true(fabs(good.seconds - 1) < 0.01 && fabs(bad.seconds - BAD / GOOD) < 0.01);
        assert_true(good.low < good.seconds && good.high > good.seconds && good.high < 1.1);
        assert_true(good.sample_count == SAMPLES &&
                    fabs(good.sample[0] - BAD / GOOD) < 0.01); /* the elasticity is 0: samples are
                                                                  not scaled */
    }
    const struct measurement memory_bound = measured(5, 0);
    assert_true(fabs(estimate_of(&memory_bound, BAD).seconds - 1) < 0.03);
    struct measurement untold = measured(5, 1);
    for (int s = 0; s < SAMPLES; s++) untold.sample[s].reference_seconds = 0;
    const struct tcplan_estimate plain = estimate_of(&untold, GOOD);
    assert_true(plain.low < 1 && plain.high > BAD / GOOD);
}

/** The expected spread counts like additional samples. Disturbed samples do not count. */
static void few_samples_have_the_interval_that_is_expected(void **state) {
    (void)state;
    const struct expected_spread expected = {.share = 0.1, .freedom = 200, .disturbed_factor = 2};
    const struct drift_sample sample[] = {{.seconds = 1}, {.seconds = 1}, {.seconds = 5}};
    double error;
    const struct tcplan_estimate estimate = drift_estimate(sample, 3, 1, 0, expected, &error);
    assert_about(estimate.seconds, 1);
    assert_true(fabs(error / (0.1 / sqrt(2)) - 1) < 0.01);
    assert_true(fabs(log(estimate.high) / (1.96 * 0.1 * sqrt(1.5)) - 1) < 0.02);
}

static void half_widths_add_as_squares(void **state) {
    (void)state;
    struct tcplan_estimate estimate = {.seconds = 2, .low = 2 * exp(-0.3), .high = 2 * exp(0.6)};
    drift_widen(&estimate, (struct drift_range){.below = 0.4, .above = 0.8});
    assert_about(estimate.low, 2 * exp(-0.5));
    assert_about(estimate.high, 2 * exp(1));
    struct tcplan_estimate open = {.seconds = 1, .low = 0, .high = 1};
    drift_widen(&open, (struct drift_range){.below = 0.4, .above = 0.8});
    assert_true(open.low == 0);
    struct tcplan_estimate none = {.seconds = 0};
    drift_widen(&none, (struct drift_range){.below = 0.4, .above = 0.8});
    assert_true(none.low == 0 && none.high == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_and_the_mean_speed_are_found),
        cmocka_unit_test(disturbed_references_do_not_count),
        cmocka_unit_test(the_range_covers_runs_of_equal_length),
        cmocka_unit_test(a_speed_that_was_met_rarely_is_in_the_range),
        cmocka_unit_test(the_elasticity_is_found),
        cmocka_unit_test(arithmetic_is_expected_to_follow),
        cmocka_unit_test(noise_does_not_change_the_elasticity),
        cmocka_unit_test(samples_give_a_time_for_any_reference),
        cmocka_unit_test(few_samples_have_the_interval_that_is_expected),
        cmocka_unit_test(half_widths_add_as_squares),
    };
    return cmocka_run_group_tests_name("drift", tests, NULL, NULL);
}
