/*
 * Tests that samples of a core with two clock speeds are converted to the faster speed. Times are
 * synthetic.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "routines/sampler/generation/good_state.h"
#include "support/rng.h"

enum { POINTS = 60, SAMPLES = 10 };

#define GOOD 20e-6
#define RATIO 1.4

/** Makes points whose times are a power of the reference times; one sample in three has the slow
 * speed. */
static void make_up(struct timed_point point[], struct timed_sample sample[][SAMPLES], double power,
                    bool in_slow_core) {
    uint64_t seed = 1;
    double now = 0;
    for (int p = 0; p < POINTS; p++) {
        const double seconds = 1e-6 * (p + 1);
        for (int s = 0; s < SAMPLES; s++) {
            const double slower = in_slow_core && rng_once_in(&seed, 3) ? RATIO : 1;
            sample[p][s] = (struct timed_sample){.seconds = seconds * pow(slower, power) *
                                                            (1 + 0.002 * rng_real(&seed)),
                                                 .before = GOOD * slower,
                                                 .after = GOOD * slower,
                                                 .apart_seconds = 2 * seconds,
                                                 .at_seconds = now += 1e-3};
        }
        point[p] = (struct timed_point){.flops = 0, .count = SAMPLES, .sample = sample[p]};
    }
}

static void assert_good_times(double power, bool in_slow_core) {
    static struct timed_sample sample[POINTS][SAMPLES];
    struct timed_point point[POINTS];
    make_up(point, sample, power, in_slow_core);
    const double good = good_state_drift(point, POINTS).good_seconds;
    assert_true(fabs(good / GOOD - 1) < 0.01);
    const double elasticity = good_state_elasticity(good, point, POINTS);
    if (in_slow_core) assert_true(fabs(elasticity - power) < 0.03);
    for (int p = 0; p < POINTS; p++) {
        double out[SAMPLES];
        const int count = good_state_times(out, good, &point[p], elasticity);
        assert_true(count == SAMPLES || (in_slow_core && count >= GOOD_STATE_ENOUGH));
        for (int s = 0; s < count; s++) assert_true(fabs(out[s] / (1e-6 * (p + 1)) - 1) < 0.02);
    }
}

static void slow_samples_become_those_of_the_good_state(void **state) {
    (void)state;
    assert_good_times(1, true);
    assert_good_times(0.5, true);
    assert_good_times(0, true); /* elasticity 0, as if limited by memory: times are unchanged */
    assert_good_times(1, false);
}

static void without_references_times_stay(void **state) {
    (void)state;
    const struct timed_sample sample[] = {{.seconds = 1e-3}, {.seconds = 2e-3}};
    const struct timed_point point = {.count = 2, .sample = sample};
    double out[2];
    assert_true(good_state_drift(&point, 1).good_seconds == 0);
    assert_true(good_state_is_enough(0, &point));
    assert_int_equal(good_state_times(out, 0, &point, good_state_elasticity(0, &point, 1)), 2);
    assert_true(out[0] == 1e-3 && out[1] == 2e-3);
}

/** The uncertainty of a time is a quarter of its correction. */
static void corrected_times_are_uncertain(void **state) {
    (void)state;
    struct timed_sample sample[SAMPLES];
    for (int s = 0; s < SAMPLES; s++)
        sample[s] =
            (struct timed_sample){.seconds = 1e-3, .before = GOOD * RATIO, .after = GOOD * RATIO};
    const struct timed_point slow = {.count = SAMPLES, .sample = sample};
    assert_true(fabs(good_state_doubt(GOOD, &slow, 1) - 0.25 * (1 - 1 / RATIO)) < 1e-9);
    assert_true(good_state_doubt(GOOD, &slow, 0) < 1e-9); /* elasticity 0: no correction, so no
                                                             uncertainty */
    for (int s = 0; s < GOOD_STATE_ENOUGH; s++) sample[s].before = sample[s].after = GOOD;
    const struct timed_point some = {.count = SAMPLES, .sample = sample};
    assert_true(good_state_doubt(GOOD, &some, 1) == 0); /* enough samples at the faster speed: none
                                                           is corrected */
    const struct timed_point none = {.count = 0};
    assert_true(good_state_doubt(GOOD, &none, 1) == 0);
}

/** Another thread on the same core makes the reference a few per cent slower, and other work much
 * slower: it is another speed. */
static void a_slightly_slower_reference_is_another_speed(void **state) {
    (void)state;
    assert_true(good_state_is(GOOD, GOOD) && good_state_is(GOOD, 1.02 * GOOD));
    assert_false(good_state_is(GOOD, 1.06 * GOOD));
    assert_false(good_state_is(GOOD, 0)); /* unknown */
}

/** A disturbed reference does not reduce a sample's time. */
static void disturbed_references_correct_nothing(void **state) {
    (void)state;
    struct timed_sample sample[SAMPLES];
    double out[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        sample[s] = (struct timed_sample){.seconds = 1e-6,
                                          .before = GOOD * (s % 2 ? 7 : 1.02),
                                          .after = GOOD * 0.98,
                                          .apart_seconds = 1e-6,
                                          .at_seconds = s};
    }
    const struct timed_point point = {.count = SAMPLES, .sample = sample};
    assert_int_equal(good_state_times(out, GOOD, &point, 1),
                     SAMPLES / 2); /* samples between two fast references remain, unchanged */
    for (int s = 0; s < SAMPLES / 2; s++) assert_true(out[s] == 1e-6);
}

static void any_number_of_samples_is_drawn_evenly(void **state) {
    (void)state;
    enum { MANY = 5000 };
    static struct timed_sample sample[MANY];
    for (int s = 0; s < MANY; s++) { /* slow in the last tenth only */
        const double reference = s < MANY * 9 / 10 ? GOOD : GOOD * RATIO;
        sample[s] = (struct timed_sample){
            .seconds = 1, .before = reference, .after = reference, .at_seconds = s};
    }
    const struct timed_point point = {.count = MANY, .sample = sample};
    const struct drift drift = good_state_drift(&point, 1);
    assert_true(fabs(drift.good_seconds / GOOD - 1) < 0.001);
    assert_true(fabs(log(drift.mean_seconds / GOOD) / log(RATIO) - 0.1) < 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_samples_become_those_of_the_good_state),
        cmocka_unit_test(without_references_times_stay),
        cmocka_unit_test(corrected_times_are_uncertain),
        cmocka_unit_test(a_slightly_slower_reference_is_another_speed),
        cmocka_unit_test(disturbed_references_correct_nothing),
        cmocka_unit_test(any_number_of_samples_is_drawn_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
