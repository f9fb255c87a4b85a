/*
 * What references beside samples tell of the core's states: how far samples follow them, what the states are, and what times would be in another one.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/predict/measure.h"
#include "microbench/timing/states.h"
#include "support/rng.h"

enum { SAMPLES = 10 };

#define GOOD 20e-6
#define BAD 32e-6

static void assert_about(double found, double expected) {
    if (fabs(found / expected - 1) > 1e-9) fail_msg("found %.17g, expected %.17g", found, expected);
}

/** Series of samples that all take `power` of what their references do, each series with a constant of its own. */
static double follows_of(double power, bool in_slow_core) {
    struct states_regression regression = {0};
    for (int series = 0; series < 4; series++) {
        states_begin_series(&regression);
        for (int s = 0; s < SAMPLES; s++) {
            const double reference = in_slow_core && s % 3 == 0 ? BAD : GOOD;
            states_add(&regression, pow(10, series) * pow(reference / GOOD, power), reference);
        }
    }
    return states_follows(&regression);
}

static void samples_follow_as_far_as_they_do(void **state) {
    (void)state;
    assert_true(fabs(follows_of(1, true) - 1) < 0.01);
    assert_true(fabs(follows_of(0.5, true) - 0.5) < 0.01);
    assert_true(follows_of(0, true) == 0);
    assert_true(follows_of(-1, true) == 0);
    assert_true(follows_of(1, false) == 0); /* nothing changed: nothing is known */
    assert_true(follows_of(5, true) < 1.5);
}

static void chance_is_not_followed(void **state) {
    (void)state;
    struct states_regression regression = {0};
    uint64_t bits = 3;
    for (int s = 0; s < 1000; s++) states_add(&regression, 1 + 0.3 * rng_real(&bits), GOOD * (1 + 0.02 * rng_real(&bits)));
    assert_in_range(100 * states_follows(&regression), 0, 100);
    const struct states_regression before = regression;
    states_add(&regression, 1, 0);
    states_add(&regression, 0, GOOD);
    assert_memory_equal(&regression, &before, sizeof before); /* what is not known tells nothing */
}

static void states_are_what_references_show(void **state) {
    (void)state;
    double reference[SAMPLES] = {BAD, GOOD, GOOD, BAD, GOOD, GOOD, GOOD, BAD, GOOD, GOOD};
    const struct states states = states_of(0.5, reference, SAMPLES);
    assert_true(states.follows == 0.5 && states.good == GOOD && states.usual == GOOD && states.bad == BAD);
    assert_about(states_speed_share(&states), 1);
    assert_about(states_factor(0.5, GOOD, BAD), sqrt(BAD / GOOD));
    assert_about(states_factor(1, BAD, GOOD), GOOD / BAD);
    assert_true(states_factor(1, 0, GOOD) == 1 && states_factor(1, GOOD, 0) == 1);
    const struct states none = states_of(1, NULL, 0);
    struct tcplan_estimate estimate = {.seconds = 2, .low = 1, .high = 3};
    assert_true(states_widen(&none, &estimate) == 0 && states_speed_share(&none) == 0);
    assert_true(estimate.low == 1 && estimate.seconds == 2 && estimate.high == 3);
}

/** A program that takes 1 s on the fast core, and as much longer as the core is slower; `slow` of the samples meet the slow one. */
static struct measurement measured(int slow, double power) {
    struct measurement measurement = {.sample_count = SAMPLES};
    for (int s = 0; s < SAMPLES; s++) {
        measurement.reference_seconds[s] = s < slow ? BAD : GOOD;
        measurement.sample_ns[s] = 1e9 * (1 + 0.001 * (s % 3)) * (s < slow ? pow(BAD / GOOD, power) : 1);
    }
    return measurement;
}

static struct tcplan_estimate estimate_of(const struct measurement *measurement, double *good_seconds) {
    double references[SAMPLES];
    const struct states states = measurement_states(&measurement, 1, references);
    return measurement_estimate(measurement, &states, good_seconds);
}

static void a_measured_time_says_what_the_states_do_to_it(void **state) {
    (void)state;
    double good_seconds;
    const struct measurement mostly_fast = measured(3, 1);
    struct tcplan_estimate estimate = estimate_of(&mostly_fast, &good_seconds);
    assert_true(fabs(estimate.seconds - 1) < 0.01 && fabs(good_seconds - 1) < 0.01);
    assert_true(estimate.low < 1.01 && estimate.high > 0.95 * BAD / GOOD);
    assert_true(estimate.sample_count == SAMPLES && fabs(estimate.sample[0] - BAD / GOOD) < 0.01); /* samples stay what they were */
    const struct measurement mostly_slow = measured(7, 1);
    estimate = estimate_of(&mostly_slow, &good_seconds);
    assert_true(fabs(estimate.seconds / (BAD / GOOD) - 1) < 0.05 && fabs(good_seconds - 1) < 0.05);
    assert_true(estimate.low < 1.05 && estimate.high > 0.99 * BAD / GOOD);
}

static void what_does_not_follow_the_core_is_left_alone(void **state) {
    (void)state;
    double good_seconds;
    const struct measurement memory_bound = measured(5, 0);
    const struct tcplan_estimate estimate = estimate_of(&memory_bound, &good_seconds);
    assert_true(fabs(good_seconds - estimate.seconds) < 0.01 && estimate.high < 1.01 && estimate.low > 0.99);
    struct measurement untold = measured(5, 1);
    for (int s = 0; s < SAMPLES; s++) untold.reference_seconds[s] = 0;
    const struct tcplan_estimate plain = estimate_of(&untold, &good_seconds);
    assert_true(good_seconds == 0 && plain.low > 0.99 && plain.high > 1.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_follow_as_far_as_they_do),
        cmocka_unit_test(chance_is_not_followed),
        cmocka_unit_test(states_are_what_references_show),
        cmocka_unit_test(a_measured_time_says_what_the_states_do_to_it),
        cmocka_unit_test(what_does_not_follow_the_core_is_left_alone),
    };
    return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
