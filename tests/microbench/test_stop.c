#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/predict/stop.h"
#include "microbench/timing/quantile.h"
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

/** Returns rules without any condition. */
static struct stop_rules no_rules(void) {
    return (struct stop_rules){.level = 0.99, .interval = STOP_STUDENT, .aim = STOP_HIGHEST};
}

static void one_value_has_no_variance_and_no_interval(void **state) {
    (void)state;
    const struct running_mean running = running_of((const double[]){3}, 1);
    const struct stop_rules rules = no_rules();
    assert_true(running_mean_variance(&running) == 0);
    assert_true(isinf(stop_margin(&rules, &running)));
}

static void the_interval_is_the_quantile_times_the_standard_error(void **state) {
    (void)state;
    const struct running_mean running = running_of((const double[]){1, 2, 3}, 3);
    struct stop_rules rules = no_rules();
    assert_near(stop_margin(&rules, &running), 9.925 / sqrt(3), 1e-3);
    rules.interval = STOP_NORMAL;
    assert_near(stop_margin(&rules, &running), 2.5758 / sqrt(3), 1e-4);
    rules.level = 0.95;
    assert_near(stop_margin(&rules, &running), 1.95996 / sqrt(3), 1e-5);
}

static void without_stop_conditions_everything_runs(void **state) {
    (void)state;
    const struct stop_rules rules = no_rules();
    const struct running_mean running = {.count = 1000000, .mean = 5};
    assert_int_equal(stop_check(&rules, &running, 1e9, 10), STOP_NOT);
    assert_false(stop_rules_end(&rules));
}

static void only_time_and_count_end_every_series(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.beaten = true;
    rules.precise_share = 0.5;
    assert_false(stop_rules_end(&rules));
    rules.most_samples = 1;
    assert_true(stop_rules_end(&rules));
    rules.most_samples = 0;
    rules.most_seconds = 1;
    assert_true(stop_rules_end(&rules));
}

static void time_stops_when_it_is_spent(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.most_seconds = 10;
    const struct running_mean running = {.count = 1, .mean = 5};
    assert_int_equal(stop_check(&rules, &running, 9.999, 1), STOP_NOT);
    assert_int_equal(stop_check(&rules, &running, 10, 1), STOP_TIME);
}

static void the_count_stops_when_it_is_reached(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.most_samples = 3;
    assert_int_equal(stop_check(&rules, &(struct running_mean){.count = 2, .mean = 5}, 0, 1),
                     STOP_NOT);
    assert_int_equal(stop_check(&rules, &(struct running_mean){.count = 3, .mean = 5}, 0, 1),
                     STOP_COUNT);
}

/* Returns the running mean of `count` values 99 and 101. Their variance is n / (n - 1), so the
 * confidence interval shrinks with the count. */
static struct running_mean alternating(int count) {
    struct running_mean running = {0};
    for (int i = 0; i < count; i++) running_mean_add(&running, i % 2 ? 101 : 99);
    return running;
}

static struct stop_series series_of(const struct stop_rules *rules, const double *value,
                                    int count) {
    struct stop_series series = {0};
    for (int v = 0; v < count; v++) stop_series_add(&series, rules, value[v]);
    return series;
}

static void the_median_needs_eight_values_and_ignores_slow_ones(void **state) {
    (void)state;
    const double value[] = {100, 100.5, 5, 99.5, 100, 100.2, 99.8, 100.1, 99.9, 100};
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.01;
    rules.interval = STOP_MEDIAN;
    struct stop_series series = series_of(&rules, value, 7);
    assert_near(stop_series_centre(&rules, &series), 100, 1e-12);
    rules.beaten = true;
    assert_int_equal(stop_check_series(&rules, &series, 0, 1000), STOP_NOT);
    series = series_of(&rules, value, 8); /* the interval is from the smallest to the largest */
    assert_int_equal(stop_check_series(&rules, &series, 0, 100.4), STOP_NOT);
    assert_int_equal(stop_check_series(&rules, &series, 0, 100.6), STOP_BEATEN);
    double many[40];
    for (int v = 0; v < 40; v++) many[v] = value[v % 10];
    series = series_of(&rules, many, 40);
    assert_near(stop_series_centre(&rules, &series), 100, 1e-12);
    assert_int_equal(stop_check_series(&rules, &series, 0, 50), STOP_PRECISE);
    rules.interval = STOP_STUDENT; /* the mean has a wide interval, because of the slow values */
    assert_int_equal(stop_check_series(&rules, &series, 0, 50), STOP_NOT);
    assert_near(stop_series_centre(&rules, &series), 90.5, 1e-9);
}

static void the_median_of_a_long_series_is_that_of_its_latest_values(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    struct stop_series series = {0};
    rules.interval = STOP_MEDIAN;
    assert_near(stop_series_centre(&rules, &series), 0, 0);
    for (int v = 0; v < 1000; v++) stop_series_add(&series, &rules, v < 800 ? 1 : 7);
    assert_near(stop_series_centre(&rules, &series), 7, 0);
    assert_int_equal(series.added, 1000);
}

/** A series that rises from 50 to 99 and then alternates about 100. */
static void a_rising_series_is_not_ended_and_counts_from_its_end(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    struct stop_series series = {0};
    rules.beaten = true;
    rules.precise_share = 0.05;
    rules.most_samples = 200;
    rules.ramps = true;
    for (int v = 0; v < 50; v++) {
        stop_series_add(&series, &rules, 50 + v);
        assert_int_equal(stop_check_series(&rules, &series, 0, 1000), STOP_NOT);
    }
    for (int v = 0; v < 40; v++) stop_series_add(&series, &rules, v % 2 ? 101 : 99);
    assert_near(stop_series_centre(&rules, &series), 100, 1);
    assert_int_equal(stop_check_series(&rules, &series, 0, 90), STOP_PRECISE);
    assert_int_equal(stop_check_series(&rules, &series, 0, 1000), STOP_BEATEN);

    rules.ramps = false; /* then the ramp is part of the mean */
    series = (struct stop_series){0};
    for (int v = 0; v < 50; v++) stop_series_add(&series, &rules, 50 + v);
    for (int v = 0; v < 40; v++) stop_series_add(&series, &rules, v % 2 ? 101 : 99);
    assert_true(stop_series_centre(&rules, &series) < 90);

    rules.ramps = true; /* times fall while they become better */
    rules.aim = STOP_LOWEST;
    series = (struct stop_series){0};
    for (int v = 0; v < 20; v++) stop_series_add(&series, &rules, 50 - v);
    assert_true(series.rises);
    series = (struct stop_series){0};
    for (int v = 0; v < 20; v++) stop_series_add(&series, &rules, 50 + v);
    assert_false(series.rises);
}

static void an_interval_within_the_share_stops(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.01;
    int stopped_at = 0;
    for (int count = 2; count <= 40 && stopped_at == 0; count += 2) {
        const struct running_mean running = alternating(count);
        const double margin =
            quantile_student(0.99, count - 1) * sqrt(1.0 * count / (count - 1) / count);
        const enum stop_reason reason = stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST));
        assert_int_equal(reason, margin <= 1 ? STOP_PRECISE : STOP_NOT);
        if (reason == STOP_PRECISE) stopped_at = count;
    }
    assert_int_equal(stopped_at, 12); /* 3.106 / sqrt(11) = 0.936; with 10: 3.250 / 3 = 1.083 */
}

static void the_normal_interval_stops_earlier(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.01;
    rules.interval = STOP_NORMAL;
    struct running_mean running = alternating(8); /* 2.576 / sqrt(7) = 0.974 */
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_PRECISE);
    running = alternating(6); /* 2.576 / sqrt(5) = 1.152 */
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_NOT);
}

static void precision_waits_for_its_least_count(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.01;
    rules.least_precise = 5;
    const double equal[] = {7, 7, 7, 7, 7};
    for (int count = 1; count < 5; count++) {
        const struct running_mean running = running_of(equal, count);
        assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_NOT);
    }
    const struct running_mean running = running_of(equal, 5);
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_PRECISE);
}

static void a_single_sample_is_never_precise_nor_beaten(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.5;
    rules.beaten = true;
    const struct running_mean running = running_of((const double[]){7}, 1);
    assert_int_equal(stop_check(&rules, &running, 0, 1e9), STOP_NOT);
}

static void a_speed_is_beaten_when_its_interval_ends_below_the_best(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.beaten = true;
    const struct running_mean running = running_of((const double[]){9, 10, 11, 10}, 4);
    const double bound = running.mean + stop_margin(&rules, &running);
    assert_int_equal(stop_check(&rules, &running, 0, bound - 1e-9), STOP_NOT);
    assert_int_equal(stop_check(&rules, &running, 0, bound + 1e-9), STOP_BEATEN);
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_NOT);
}

static void a_time_is_beaten_when_its_interval_begins_above_the_best(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.beaten = true;
    rules.aim = STOP_LOWEST;
    const struct running_mean running = running_of((const double[]){9, 10, 11, 10}, 4);
    const double bound = running.mean - stop_margin(&rules, &running);
    assert_int_equal(stop_check(&rules, &running, 0, bound + 1e-9), STOP_NOT);
    assert_int_equal(stop_check(&rules, &running, 0, bound - 1e-9), STOP_BEATEN);
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_LOWEST)), STOP_NOT);
}

/* As on the paper's Xeon 2695 v4, a candidate is slow in its first samples, and the fastest later.
 */
static void the_least_count_protects_candidates_that_speed_up_late(void **state) {
    (void)state;
    struct stop_rules rules = stop_rules_defaults();
    rules.interval = STOP_NORMAL;
    const double best = 50;
    struct running_mean running = {0};
    enum stop_reason reason = STOP_NOT;
    for (int i = 0; i < 200 && reason == STOP_NOT; i++) {
        running_mean_add(&running, (i < 10 ? 30 : 60) + 0.1 * (i % 3));
        reason = stop_check(&rules, &running, 0, best);
    }
    assert_int_equal(reason, STOP_BEATEN);
    assert_int_equal(running.count, 2);

    rules.least_beaten = 100;
    rules.least_precise = 100;
    running = (struct running_mean){0};
    reason = STOP_NOT;
    for (int i = 0; i < 200 && reason == STOP_NOT; i++) {
        running_mean_add(&running, (i < 10 ? 30 : 60) + 0.1 * (i % 3));
        reason = stop_check(&rules, &running, 0, best);
    }
    assert_int_not_equal(reason, STOP_BEATEN);
    assert_true(running.mean > best);
}

static void each_condition_can_be_switched_off(void **state) {
    (void)state;
    const struct stop_rules all = stop_rules_defaults();
    const struct running_mean running = {.count = 200, .mean = 10}; /* without variance */
    assert_int_equal(stop_check(&all, &running, 10, 11), STOP_BEATEN);
    struct stop_rules rules = all;
    rules.beaten = false;
    assert_int_equal(stop_check(&rules, &running, 10, 11), STOP_PRECISE);
    rules.precise_share = 0;
    assert_int_equal(stop_check(&rules, &running, 10, 11), STOP_COUNT);
    rules.most_samples = 0;
    assert_int_equal(stop_check(&rules, &running, 10, 11), STOP_TIME);
    rules.most_seconds = 0;
    assert_int_equal(stop_check(&rules, &running, 10, 11), STOP_NOT);
}

static void negative_means_have_a_share_too(void **state) {
    (void)state;
    struct stop_rules rules = no_rules();
    rules.precise_share = 0.01;
    const struct running_mean running = running_of((const double[]){-100, -100, -100.01}, 3);
    assert_int_equal(stop_check(&rules, &running, 0, stop_worst(STOP_HIGHEST)), STOP_PRECISE);
}

static void reasons_have_names(void **state) {
    (void)state;
    assert_string_equal(stop_reason_name(STOP_NOT), "running");
    assert_string_equal(stop_reason_name(STOP_TIME), "time");
    assert_string_equal(stop_reason_name(STOP_COUNT), "count");
    assert_string_equal(stop_reason_name(STOP_PRECISE), "precise");
    assert_string_equal(stop_reason_name(STOP_BEATEN), "beaten");
}

/** Returns an approximately normal number: the sum of twelve uniform ones, with variance 4. */
static double bell(uint64_t *random) {
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += rng_real(random);
    return sum;
}

/** Returns the share of random series of `count` values whose interval contains the true mean. */
static double coverage(enum stop_interval interval, int count) {
    enum { SERIES = 4000 };
    struct stop_rules rules = no_rules();
    rules.interval = interval;
    uint64_t random = 1;
    int covered = 0;
    for (int s = 0; s < SERIES; s++) {
        struct running_mean running = {0};
        for (int i = 0; i < count; i++) running_mean_add(&running, 50 + bell(&random));
        covered += fabs(running.mean - 50) <= stop_margin(&rules, &running);
    }
    return (double)covered / SERIES;
}

static void student_intervals_hold_the_mean_as_often_as_they_say(void **state) {
    (void)state;
    assert_near(coverage(STOP_STUDENT, 3), 0.99, 0.006);
    assert_near(coverage(STOP_STUDENT, 10), 0.99, 0.006);
    assert_near(coverage(STOP_STUDENT, 40), 0.99, 0.006);
    assert_true(coverage(STOP_NORMAL, 3) < 0.93); /* 0.99 is the nominal coverage of the paper's
                                                     interval */
    assert_near(coverage(STOP_NORMAL, 40), 0.99, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_value_has_no_variance_and_no_interval),
        cmocka_unit_test(the_interval_is_the_quantile_times_the_standard_error),
        cmocka_unit_test(without_stop_conditions_everything_runs),
        cmocka_unit_test(only_time_and_count_end_every_series),
        cmocka_unit_test(time_stops_when_it_is_spent),
        cmocka_unit_test(the_count_stops_when_it_is_reached),
        cmocka_unit_test(the_median_needs_eight_values_and_ignores_slow_ones),
        cmocka_unit_test(the_median_of_a_long_series_is_that_of_its_latest_values),
        cmocka_unit_test(a_rising_series_is_not_ended_and_counts_from_its_end),
        cmocka_unit_test(an_interval_within_the_share_stops),
        cmocka_unit_test(the_normal_interval_stops_earlier),
        cmocka_unit_test(precision_waits_for_its_least_count),
        cmocka_unit_test(a_single_sample_is_never_precise_nor_beaten),
        cmocka_unit_test(a_speed_is_beaten_when_its_interval_ends_below_the_best),
        cmocka_unit_test(a_time_is_beaten_when_its_interval_begins_above_the_best),
        cmocka_unit_test(the_least_count_protects_candidates_that_speed_up_late),
        cmocka_unit_test(each_condition_can_be_switched_off),
        cmocka_unit_test(negative_means_have_a_share_too),
        cmocka_unit_test(reasons_have_names),
        cmocka_unit_test(student_intervals_hold_the_mean_as_often_as_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
