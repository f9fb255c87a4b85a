/*
 * Tests the decision with noisy scripted times: disturbances common to all arms, references that
 * show them, and disturbed samples.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/simulation.h"

struct bad_picks {
    int picks;
    double samples; /**< number of samples of all decisions */
};

/** Simulates random machines with the settings of `simulation`; returns how many chosen arms are
 * slower than the fastest one by more than `allowed`. */
static struct bad_picks bad_picks_like(const struct simulation *like, double allowed) {
    struct select_rules rules = default_rules();
    struct bad_picks bad = {0};
    if (like->weather == OUTLIERS)
        rules.price /= 10; /* with outliers, medians need more samples than means do */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(like->weather, seed, like->noise);
        simulation.references = like->references;
        simulation.effective = like->effective;
        struct select_arm arm[MOST_ARMS];
        const size_t count = 2 + random_next(&simulation.random) % (MOST_ARMS - 2);
        double fastest = INFINITY;
        for (size_t a = 0; a < count; a++)
            fastest = fmin(fastest, simulation.truth[a] = 1 + random_unit(&simulation.random));
        arms_of(arm, &simulation, count);
        const struct select select = decide(&simulation, &rules, arm, count);
        assert_compared(&select, arm);
        bad.picks += simulation.truth[select.pick] > (1 + allowed) * fastest;
        bad.samples += simulation.samples;
    }
    return bad;
}

static int bad_picks(enum weather weather, double noise, double allowed) {
    return bad_picks_like(&(struct simulation){.weather = weather, .noise = noise, .effective = 1},
                          allowed)
        .picks;
}

static void the_pick_was_compared_and_is_fast_in_steady_weather(void **state) {
    (void)state;
    assert_in_range(bad_picks(STEADY, 0.01, 0.03), 0, SEEDS / 100);
    assert_in_range(bad_picks(STEADY, 0.05, 0.1), 0, SEEDS / 50);
}

static void outliers_do_not_decide(void **state) {
    (void)state;
    assert_in_range(bad_picks(OUTLIERS, 0.02, 0.1), 0, SEEDS / 50);
}

static void swings_between_two_speeds_do_not_decide(void **state) {
    (void)state;
    assert_in_range(bad_picks(SWINGS, 0.01, 0.1), 0, SEEDS / 20);
}

static void drift_does_not_change_the_pick(void **state) {
    (void)state;
    assert_in_range(bad_picks(DRIFT, 0.005, 0.03), 0, SEEDS / 50);
}

/** Each sample takes 5 % longer than the previous one, and one arm takes 2 % longer than the other.
 */
static void later_sampling_does_not_make_an_arm_slower(void **state) {
    (void)state;
    for (size_t slower = 0; slower < 2; slower++) {
        struct simulation simulation = simulation_of(LANDSLIDE, 1, 0);
        struct select_arm arm[2] = {{.seconds = 1, .spread = 0.3}, {.seconds = 1.1, .spread = 0.3}};
        struct select_rules rules = default_rules();
        rules.margin = 0;
        simulation.truth[slower] = 1.02;
        simulation.truth[1 - slower] = 1;
        assert_int_equal(decide(&simulation, &rules, arm, 2).pick, 1 - slower);
    }
}

/** Returns how many estimated differences of two arms are within 1.96 standard errors of the true
 * one. */
static int covered(enum weather weather, double noise) {
    struct select_rules rules = default_rules();
    int count = 0;
    rules.price = 1e-12;
    rules.most_rounds = 6;
    for (uint64_t seed = 0; seed < 5 * SEEDS; seed++) {
        struct simulation simulation = simulation_of(weather, seed, noise);
        struct select_arm arm[2] = {{.seconds = 1, .spread = 0.3}, {.seconds = 1.1, .spread = 0.3}};
        simulation.truth[0] = 1;
        simulation.truth[1] = 1.05;
        const struct select select = decide(&simulation, &rules, arm, 2);
        const double error = log(select_ratio(&select, 1, 0) / 1.05);
        count += fabs(error) < 1.96 * sqrt(arm[0].belief.variance + arm[1].belief.variance);
    }
    return count;
}

static void the_posterior_has_the_stated_uncertainty(void **state) {
    (void)state;
    assert_in_range(covered(STEADY, 0.03), 4.6 * SEEDS, 4.9 * SEEDS);
    assert_in_range(covered(SWINGS, 0.03), 4.6 * SEEDS, 4.9 * SEEDS);
    assert_in_range(covered(DRIFT, 0.03), 4.6 * SEEDS, 4.9 * SEEDS);
    assert_in_range(covered(OUTLIERS, 0.03), 4.3 * SEEDS, 4.9 * SEEDS);
}

/** Times are proportional to the core's speed, or to its square root. Correction by references
 * needs fewer samples, with no more wrong choices. */
static void reference_effects_are_subtracted(void **state) {
    (void)state;
    for (int half = 0; half < 2; half++) {
        struct simulation like = {.weather = SWINGS,
                                  .noise = 0.01,
                                  .effective = half ? 0.5 : 1,
                                  .references = TRUE_REFERENCES};
        const struct bad_picks told = bad_picks_like(&like, 0.03);
        like.references = NO_REFERENCES;
        const struct bad_picks untold = bad_picks_like(&like, 0.03);
        assert_in_range(told.picks, 0, half ? untold.picks : untold.picks / 2);
        assert_true(told.samples < 0.8 * untold.samples);
    }
}

static void references_that_samples_do_not_follow_do_no_harm(void **state) {
    (void)state;
    const struct simulation like = {
        .weather = STEADY, .noise = 0.01, .effective = 1, .references = IDLE_REFERENCES};
    assert_in_range(bad_picks_like(&like, 0.03).picks, 0, SEEDS / 50);
}

/** The elasticity is estimated from the samples; without data, it is the prior. */
static void the_elasticity_of_samples_is_found(void **state) {
    (void)state;
    struct select_rules rules = default_rules();
    rules.elasticity = 0.75;
    for (int half = 0; half < 2; half++) {
        double mean = 0;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct simulation simulation = simulation_of(SWINGS, seed, 0.01);
            struct select_arm arm[4];
            simulation.references = TRUE_REFERENCES;
            simulation.effective = half ? 0.5 : 1;
            for (int a = 0; a < 4; a++) simulation.truth[a] = 1;
            arms_of(arm, &simulation, 4);
            mean += decide(&simulation, &rules, arm, 4).elasticity / SEEDS;
        }
        assert_true(fabs(mean - (half ? 0.5 : 1)) < 0.1);
    }
    struct simulation simulation = simulation_of(SWINGS, 1, 0.01);
    struct select_arm arm[4];
    for (int a = 0; a < 4; a++) simulation.truth[a] = 1;
    arms_of(arm, &simulation, 4);
    assert_true(fabs(decide(&simulation, &rules, arm, 4).elasticity - 0.75) < 1e-9);
}

/* Disturbed samples. */

static void disturbed_samples_do_not_decide(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(STEADY, seed, 0.01);
        struct select_arm arm[3];
        const struct select_rules rules = default_rules();
        struct drift_sample taken[TCPLAN_MAX_SAMPLES];
        for (int a = 0; a < 3; a++) simulation.truth[a] = 1 + 0.1 * a;
        simulation.disturbs[0] = true;
        arms_of(arm, &simulation, 3);
        arm[0].spread = 0.3;
        const struct select select = decide(&simulation, &rules, arm, 3);
        assert_int_equal(select.pick, 0);
        const int count = select_samples(&select, 0, taken);
        for (int i = 0; i < count; i++) assert_true(taken[i].seconds < 1.5);
    }
}

static void if_all_is_disturbed_disturbed_samples_decide(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = default_rules();
    simulation.all_disturbed = true;
    for (int a = 0; a < 3; a++) simulation.truth[a] = 1.2 - 0.1 * a;
    arms_of(arm, &simulation, 3);
    const struct select select = decide(&simulation, &rules, arm, 3);
    assert_compared(&select, arm);
    assert_int_equal(select.pick, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pick_was_compared_and_is_fast_in_steady_weather),
        cmocka_unit_test(outliers_do_not_decide),
        cmocka_unit_test(swings_between_two_speeds_do_not_decide),
        cmocka_unit_test(drift_does_not_change_the_pick),
        cmocka_unit_test(later_sampling_does_not_make_an_arm_slower),
        cmocka_unit_test(the_posterior_has_the_stated_uncertainty),
        cmocka_unit_test(reference_effects_are_subtracted),
        cmocka_unit_test(references_that_samples_do_not_follow_do_no_harm),
        cmocka_unit_test(the_elasticity_of_samples_is_found),
        cmocka_unit_test(disturbed_samples_do_not_decide),
        cmocka_unit_test(if_all_is_disturbed_disturbed_samples_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
