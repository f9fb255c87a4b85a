#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/timing/statistics.h"
#include "support/rng.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static struct running_mean running_of(const double *value, int count) {
    struct running_mean running = {0};
    for (int i = 0; i < count; i++) running_mean_add(&running, value[i]);
    return running;
}

static void mean_and_variance_are_those_of_all_values(void **state) {
    (void)state;
    const struct running_mean running = running_of((const double[]){2, 4, 4, 4, 5, 5, 7, 9}, 8);
    assert_int_equal(running.count, 8);
    assert_near(running.mean, 5, 1e-15);
    assert_near(running_mean_variance(&running), 32.0 / 7, 1e-14);
}

/* The mean of squares minus the square of the mean would lose all digits of this variance. */
static void a_variance_far_below_the_mean_is_accurate(void **state) {
    (void)state;
    const struct running_mean running =
        running_of((const double[]){1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}, 4);
    assert_near(running_mean_variance(&running), 30, 1e-6);
}

static void the_median_is_the_middle_value(void **state) {
    (void)state;
    assert_true(statistics_median((const double[]){5}, 1) == 5);
    assert_true(statistics_median((const double[]){3, 1, 2}, 3) == 2);
    assert_true(statistics_median((const double[]){9, 7, 7, 1, 8}, 5) == 7);
}

static void the_median_of_an_even_count_is_the_mean_of_the_middle_two(void **state) {
    (void)state;
    assert_true(statistics_median((const double[]){1, 2}, 2) == 1.5);
    assert_true(statistics_median((const double[]){100, 1, 3, 2}, 4) == 2.5);
}

static void the_values_are_left_as_they_were(void **state) {
    (void)state;
    double value[] = {3, 1, 2};
    statistics_median(value, 3);
    assert_true(value[0] == 3 && value[1] == 1 && value[2] == 2);
}

static void the_mean_of_windows_is_in_seconds_with_its_student_interval(void **state) {
    (void)state;
    /* 1, 2, 3: mean 2, standard deviation 1, standard error 1/sqrt(3). */
    const struct tcplan_estimate estimate =
        statistics_mean_estimate((const double[]){1e9, 2e9, 3e9}, 3);
    assert_near(estimate.seconds, 2, 1e-12);
    assert_near(estimate.high, 2 + 4.302652729911275 / sqrt(3), 1e-9);
    assert_near(estimate.low, 0, 0); /* 2 - 2.48 is negative, which a time cannot be */
    assert_int_equal(estimate.sample_count, 3);
    for (int i = 0; i < 3; i++) assert_near(estimate.sample[i], i + 1, 1e-12);
}

static void a_narrow_interval_contains_the_mean(void **state) {
    (void)state;
    const struct tcplan_estimate estimate =
        statistics_mean_estimate((const double[]){99, 100, 101, 100}, 4);
    const double error = sqrt(2.0 / 3 / 4) * 3.182446305284263 * 1e-9;
    assert_near(estimate.seconds, 100e-9, 1e-21);
    assert_near(estimate.low, 100e-9 - error, 1e-15);
    assert_near(estimate.high, 100e-9 + error, 1e-15);
}

static void equal_samples_have_an_interval_of_one_point(void **state) {
    (void)state;
    double ns[7];
    for (int i = 0; i < 7; i++) ns[i] = 123.456;
    const struct tcplan_estimate mean = statistics_mean_estimate(ns, 7),
                                 median = statistics_median_estimate(ns, 7);
    assert_true(mean.low == mean.seconds && mean.high == mean.seconds);
    assert_true(median.low == median.seconds && median.high == median.seconds);
}

static void disturbed_samples_are_excluded_from_the_mean_but_stored(void **state) {
    (void)state;
    const double ns[] = {10e9, 10e9, 26e9, 10e9, 1000e9};
    const struct tcplan_estimate estimate = statistics_mean_estimate(ns, 5);
    assert_near(estimate.seconds, 10, 1e-12);
    assert_near(estimate.high, 10, 1e-12);
    assert_int_equal(estimate.sample_count, 5);
    assert_near(estimate.sample[4], 1000, 1e-9);
}

static void a_sample_of_less_than_two_and_a_half_medians_counts(void **state) {
    (void)state;
    const struct tcplan_estimate estimate =
        statistics_mean_estimate((const double[]){10e9, 10e9, 24e9}, 3);
    assert_near(estimate.seconds, 44.0 / 3, 1e-9);
}

static void one_sample_alone_may_be_off_by_a_factor_of_two(void **state) {
    (void)state;
    const struct tcplan_estimate estimate = statistics_mean_estimate((const double[]){4e9}, 1);
    assert_near(estimate.seconds, 4, 1e-12);
    assert_near(estimate.low, 2, 1e-12);
    assert_near(estimate.high, 8, 1e-12);
}

static void samples_beyond_the_largest_number_are_dropped(void **state) {
    (void)state;
    double ns[2 * TCPLAN_MAX_SAMPLES];
    for (int i = 0; i < 2 * TCPLAN_MAX_SAMPLES; i++) ns[i] = i < TCPLAN_MAX_SAMPLES ? 1e9 : 2e9;
    const struct tcplan_estimate mean = statistics_mean_estimate(ns, 2 * TCPLAN_MAX_SAMPLES);
    const struct tcplan_estimate median = statistics_median_estimate(ns, 2 * TCPLAN_MAX_SAMPLES);
    assert_int_equal(mean.sample_count, TCPLAN_MAX_SAMPLES);
    assert_int_equal(median.sample_count, TCPLAN_MAX_SAMPLES);
    assert_near(mean.seconds, 1, 1e-12);
    assert_near(median.high, 1, 1e-12);
}

static void repeated_runs_have_the_range_of_their_median(void **state) {
    (void)state;
    double ns[25];
    for (int i = 0; i < 25; i++) ns[i] = (double)((i * 7) % 25 + 1) * 1e9; /* 1 to 25, shuffled */
    const struct tcplan_estimate estimate = statistics_median_estimate(ns, 25);
    assert_near(estimate.seconds, 13, 1e-12);
    assert_near(estimate.low, 8, 1e-12); /* rounded up from the 13th value minus 0.98 * 5 */
    assert_near(estimate.high, 18, 1e-12);
    assert_near(estimate.sample[1], ns[1] * 1e-9, 1e-12);
}

static void few_runs_have_the_range_of_all_of_them(void **state) {
    (void)state;
    const struct tcplan_estimate three =
        statistics_median_estimate((const double[]){3e9, 1e9, 2e9}, 3);
    assert_true(three.low == three.sample[1] && three.high == three.sample[0]);
    const struct tcplan_estimate one = statistics_median_estimate((const double[]){3e9}, 1);
    assert_true(one.low == one.seconds && one.high == one.seconds);
}

static void assert_same_estimate(const struct tcplan_estimate *a, const struct tcplan_estimate *b) {
    assert_true(a->seconds == b->seconds && a->low == b->low && a->high == b->high);
    assert_int_equal(a->sample_count, b->sample_count);
    for (int i = 0; i < a->sample_count; i++) assert_true(a->sample[i] == b->sample[i]);
}

static void an_expectation_that_counts_for_nothing_changes_nothing(void **state) {
    (void)state;
    static const double ns[] = {10e9, 11e9, 26e9, 9e9, 1000e9, 12e9};
    const struct expected_spread worthless = {.share = 0.7, .freedom = 0, .disturbed_factor = 2.5};
    for (int count = 1; count <= 6; count++) {
        const struct tcplan_estimate mean = statistics_mean_estimate(ns, count);
        const struct tcplan_estimate informed = statistics_informed_estimate(ns, count, worthless);
        assert_same_estimate(&mean, &informed);
    }
}

static void an_expectation_that_counts_for_much_decides(void **state) {
    (void)state;
    static const double wide[] = {1e9, 2e9, 3e9, 4e9}, narrow[] = {2.5e9, 2.5e9, 2.5e9, 2.5e9};
    const struct expected_spread certain = {
        .share = 0.1, .freedom = 100000000, .disturbed_factor = 2.5};
    const double half = 1.95996 * 0.1 * 2.5 / sqrt(4);
    const struct tcplan_estimate from_wide = statistics_informed_estimate(wide, 4, certain);
    const struct tcplan_estimate from_narrow = statistics_informed_estimate(narrow, 4, certain);
    assert_near(from_wide.seconds, 2.5, 1e-12);
    assert_near(from_wide.low, 2.5 - half, 1e-5);
    assert_near(from_wide.high, 2.5 + half, 1e-5);
    assert_near(from_narrow.low, 2.5 - half, 1e-5);
    assert_near(from_narrow.high, 2.5 + half, 1e-5);
}

static void prior_and_sample_variance_are_weighted_by_freedom(void **state) {
    (void)state;
    /* The samples have variance 1 with 2 degrees of freedom. The prior has a standard deviation of
     * 0.5 * 2 with 3 degrees of freedom. */
    const struct expected_spread expected = {.share = 0.5, .freedom = 3, .disturbed_factor = 2.5};
    const struct tcplan_estimate same =
        statistics_informed_estimate((const double[]){1e9, 2e9, 3e9}, 3, expected);
    assert_near(same.high, 2 + 2.570581835636314 / sqrt(3), 1e-9);
    /* Expected: none, (0 * 3 + 2) / 5. */
    const struct expected_spread none = {.share = 0, .freedom = 3, .disturbed_factor = 2.5};
    const struct tcplan_estimate less =
        statistics_informed_estimate((const double[]){1e9, 2e9, 3e9}, 3, none);
    assert_near(less.high, 2 + 2.570581835636314 * sqrt(0.4 / 3), 1e-9);
    assert_near(less.low, 2 - 2.570581835636314 * sqrt(0.4 / 3), 1e-9);
}

static void one_sample_has_the_interval_that_is_expected(void **state) {
    (void)state;
    const struct expected_spread expected = {.share = 0.1, .freedom = 3, .disturbed_factor = 2.5};
    const struct tcplan_estimate estimate =
        statistics_informed_estimate((const double[]){4e9}, 1, expected);
    assert_near(estimate.seconds, 4, 1e-12);
    assert_near(estimate.low, 4 - 3.182446305284263 * 0.4, 1e-9);
    assert_near(estimate.high, 4 + 3.182446305284263 * 0.4, 1e-9);
    const struct expected_spread wide = {.share = 10, .freedom = 1, .disturbed_factor = 2.5};
    const struct tcplan_estimate unsure =
        statistics_informed_estimate((const double[]){4e9}, 1, wide);
    assert_true(unsure.low == 0 && isfinite(unsure.high)); /* times are not negative */
}

static void the_prior_also_sets_the_threshold_of_disturbance(void **state) {
    (void)state;
    static const double ns[] = {10e9, 10e9, 10e9, 18e9};
    const struct expected_spread quiet = {.share = 0.1, .freedom = 3, .disturbed_factor = 1.5};
    const struct expected_spread noisy = {.share = 0.1, .freedom = 3, .disturbed_factor = 2.5};
    assert_near(statistics_informed_estimate(ns, 4, quiet).seconds, 10, 1e-12);
    assert_int_equal(statistics_informed_estimate(ns, 4, quiet).sample_count, 4);
    assert_near(statistics_informed_estimate(ns, 4, noisy).seconds, 12, 1e-12);
}

/** Returns the share of intervals that contain the known mean, for samples with a uniform
 * distribution. */
static double coverage(struct tcplan_estimate estimate_of(const double *, int), int count,
                       double truth) {
    enum { SERIES = 4000 };
    uint64_t random = 1;
    int covered = 0;
    for (int s = 0; s < SERIES; s++) {
        double ns[TCPLAN_MAX_SAMPLES];
        for (int i = 0; i < count; i++) ns[i] = 1e9 * (1 + 0.1 * rng_real(&random));
        const struct tcplan_estimate estimate = estimate_of(ns, count);
        covered += estimate.low <= truth && truth <= estimate.high;
    }
    return (double)covered / SERIES;
}

static void intervals_hold_the_truth_in_95_of_100_cases(void **state) {
    (void)state;
    assert_near(coverage(statistics_mean_estimate, 6, 1), 0.95, 0.02);
    assert_near(coverage(statistics_mean_estimate, 40, 1), 0.95, 0.02);
    assert_true(coverage(statistics_median_estimate, 10, 1) >= 0.93);
    assert_true(coverage(statistics_median_estimate, 60, 1) >= 0.93);
}

/* Estimates with a prior: here the true standard deviation of the uniform samples, below a much
 * too small one. */
static struct tcplan_estimate well_informed(const double *sample_ns, int count) {
    return statistics_informed_estimate(
        sample_ns, count,
        (struct expected_spread){.share = 0.0577, .freedom = 3, .disturbed_factor = 2.5});
}

static struct tcplan_estimate misinformed(const double *sample_ns, int count) {
    return statistics_informed_estimate(
        sample_ns, count,
        (struct expected_spread){.share = 0.005, .freedom = 3, .disturbed_factor = 2.5});
}

static double width(struct tcplan_estimate estimate) {
    return estimate.high - estimate.low;
}

static void informed_intervals_hold_the_truth_from_the_first_sample_on(void **state) {
    (void)state;
    for (int count = 1; count <= 6; count++) assert_true(coverage(well_informed, count, 1) >= 0.94);
    assert_near(coverage(well_informed, 40, 1), 0.95, 0.02);
    assert_true(coverage(misinformed, 2, 1) < 0.8); /* the prior causes the good coverage, not the
                                                       number of samples */
    assert_near(coverage(misinformed, 60, 1), 0.95,
                0.02); /* with many samples, a wrong prior has little effect */
    static const double two[] = {1e9, 1.04e9};
    assert_true(width(well_informed(two, 2)) < width(statistics_mean_estimate(two, 2)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_variance_are_those_of_all_values),
        cmocka_unit_test(a_variance_far_below_the_mean_is_accurate),
        cmocka_unit_test(the_median_is_the_middle_value),
        cmocka_unit_test(the_median_of_an_even_count_is_the_mean_of_the_middle_two),
        cmocka_unit_test(the_values_are_left_as_they_were),
        cmocka_unit_test(the_mean_of_windows_is_in_seconds_with_its_student_interval),
        cmocka_unit_test(a_narrow_interval_contains_the_mean),
        cmocka_unit_test(equal_samples_have_an_interval_of_one_point),
        cmocka_unit_test(disturbed_samples_are_excluded_from_the_mean_but_stored),
        cmocka_unit_test(a_sample_of_less_than_two_and_a_half_medians_counts),
        cmocka_unit_test(one_sample_alone_may_be_off_by_a_factor_of_two),
        cmocka_unit_test(samples_beyond_the_largest_number_are_dropped),
        cmocka_unit_test(repeated_runs_have_the_range_of_their_median),
        cmocka_unit_test(few_runs_have_the_range_of_all_of_them),
        cmocka_unit_test(an_expectation_that_counts_for_nothing_changes_nothing),
        cmocka_unit_test(an_expectation_that_counts_for_much_decides),
        cmocka_unit_test(prior_and_sample_variance_are_weighted_by_freedom),
        cmocka_unit_test(one_sample_has_the_interval_that_is_expected),
        cmocka_unit_test(the_prior_also_sets_the_threshold_of_disturbance),
        cmocka_unit_test(intervals_hold_the_truth_in_95_of_100_cases),
        cmocka_unit_test(informed_intervals_hold_the_truth_from_the_first_sample_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
