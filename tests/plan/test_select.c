/*
 * Tests the decision with scripted times: which arms are sampled, dropped and chosen, and after how
 * many samples it ends.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/simulation.h"

/* Sampled arms. */

/** The leader is expected to take 1 s, but takes 3. The others are expected to take 2 s, with a
 * lower bound of 1.5 s. */
static void a_leader_slower_than_its_estimate_readmits_excluded_arms(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[MOST_ARMS] = {{.seconds = 1, .spread = 0.3}};
    const struct select_rules rules = default_rules();
    simulation.truth[0] = 3;
    for (size_t a = 1; a < MOST_ARMS; a++) {
        arm[a] = (struct select_arm){.seconds = 2 + 0.01 * (double)a, .spread = 0.3};
        simulation.truth[a] = a == MOST_ARMS - 1 ? 1.9 : 2.5;
    }
    const struct select select = decide(&simulation, &rules, arm, MOST_ARMS);
    assert_compared(&select, arm);
    assert_int_equal(select.pick, MOST_ARMS - 1);
}

static void certain_exclusion_costs_nothing(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[3] = {{.seconds = 1, .spread = 0.3},
                                {.seconds = 4, .spread = 0.3},
                                {.seconds = 5, .spread = 0.3}};
    const struct select_rules rules = default_rules();
    for (int a = 0; a < 3; a++) simulation.truth[a] = arm[a].seconds;
    const struct select select = decide(&simulation, &rules, arm, 3);
    assert_int_equal(select.pick, 0);
    assert_true(select.compared);
    assert_int_equal(simulation.samples, 1 + rules.final_rounds); /* both arms together have the
                                                                     minimum number of samples */
}

/** An arm is dropped if its evaluation and one sample both show that it is slower. */
static void an_arm_slower_in_evaluation_and_sample_is_dropped(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.005);
    struct select_arm arm[5] = {{0}};
    struct select_rules rules = default_rules();
    const double truth[5] = {1, 1.02, 1.3, 1.4, 1.5};
    for (int a = 0; a < 5; a++) {
        simulation.truth[a] = truth[a];
        arm[a] = (struct select_arm){.seconds = truth[a], .spread = 0.3};
    }
    const struct select select = decide(&simulation, &rules, arm, 5);
    assert_true(select.compared && select.pick < 2);
    assert_in_range(arm[1].taken, rules.least_rounds, SELECT_MAX_ROUNDS);
    for (int a = 2; a < 5; a++)
        assert_true(arm[a].taken == 0 || (arm[a].taken == 1 && select_is_compared(&select, a)));
    assert_int_equal(arm[2].taken, 1);
}

/** One slow sample does not drop the arm with the fastest evaluation. */
static void one_sample_does_not_drop_the_leader_of_the_evaluation(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(COLD_AT_FIRST, 1, 0.005);
    struct select_arm arm[4];
    struct select_rules rules = default_rules();
    arms_evaluated(arm, (const double[4]){1, 1.1, 1.2, 1.3});
    for (int a = 0; a < 4; a++) simulation.truth[a] = 1 + 0.2 * a;
    const struct select select = decide(&simulation, &rules, arm, 4);
    assert_int_equal(select.pick, 0); /* its first sample, with cold caches, took 3 */
}

/** One slow sample drops it if samples have no outliers. */
static void one_steady_sample_drops_the_leader_of_the_evaluation(void **state) {
    (void)state;
    for (int steady = 0; steady <= 1; steady++) {
        struct simulation simulation = simulation_of(STEADY, 1, 0.005);
        struct select_arm arm[4];
        struct select_rules rules = default_rules();
        rules.is_steady = steady;
        arms_evaluated(arm, (const double[4]){1, 1.1, 1.2, 1.3});
        for (int a = 0; a < 4; a++) simulation.truth[a] = a == 0 ? 1.6 : 1 + 0.1 * a;
        const struct select select = decide(&simulation, &rules, arm, 4);
        assert_int_equal(select.pick, 1);
        assert_int_equal(arm[0].taken, steady ? 1 : 2);
    }
}

static void the_last_remaining_arm_was_compared(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.005);
    struct select_arm arm[4];
    struct select_rules rules = default_rules();
    arms_evaluated(arm, (const double[4]){1, 1.3, 1.4, 1.5});
    for (int a = 0; a < 4; a++) simulation.truth[a] = a == 0 ? 1 : 1.2 + 0.1 * a;
    const struct select select = decide(&simulation, &rules, arm, 4);
    assert_true(select.compared && select.pick == 0 && select.uncompared == 0);
    for (int a = 1; a < 4; a++) assert_int_equal(arm[a].taken, 1);
}

/** If samples are expected to depend on the core's speed, the first round drops no arm in another
 * clock regime: a single round does not show the dependence. */
static void the_first_round_counts_in_the_same_state_of_the_core(void **state) {
    (void)state;
    int bad[2] = {0};
    for (int expects = 0; expects < 2; expects++) {
        struct select_rules rules = default_rules();
        rules.least_rounds = 2;
        rules.elasticity = expects;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct simulation simulation = simulation_of(SWINGS, seed, 0.01);
            struct select_arm arm[4];
            simulation.references = TRUE_REFERENCES;
            for (int a = 0; a < 4; a++) simulation.truth[a] = 1 + 0.15 * a;
            arms_evaluated(arm,
                           (const double[4]){1.1, 1, 1.2, 1.3}); /* the fastest arm is not the one
                                                                    with the fastest evaluation */
            const struct select select = decide(&simulation, &rules, arm, 4);
            bad[expects] += select.pick != 0;
        }
    }
    assert_true(4 * bad[1] < bad[0]);
}

/* The stored winner. */

/** Counts the seeds for which the stored winner, arm 0, stays the choice: it takes 1 s and was
 * evaluated with `evaluated` s; the other arm takes `other` s. */
static int seeds_of_stored_choice(double evaluated, double other, double noise) {
    int count = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(STEADY, seed, noise);
        struct select_rules rules = default_rules();
        struct select_arm arm[2] = {{.seconds = evaluated, .spread = 0.3, .is_stored = true},
                                    {.seconds = other, .spread = 0.3}};
        simulation.truth[0] = 1;
        simulation.truth[1] = other;
        simulation.preference[0] = 1; /* the other one is simpler */
        const struct select select = decide(&simulation, &rules, arm, 2);
        assert_in_range(arm[0].taken, rules.least_rounds, SELECT_MAX_ROUNDS);
        assert_true(select_is_compared(&select, 0));
        count += select.pick == 0;
    }
    return count;
}

static void the_stored_winner_is_replaced_only_by_a_clearly_faster_one(void **state) {
    (void)state;
    assert_int_equal(seeds_of_stored_choice(1, 1, 0.003), SEEDS);
    assert_int_equal(seeds_of_stored_choice(1, 0.6, 0.003), 0);
    assert_in_range(seeds_of_stored_choice(1, 0.97, 0.02), 9 * SEEDS / 10, SEEDS);
}

static void the_stored_winner_is_compared_however_slow_its_evaluation(void **state) {
    (void)state;
    assert_int_equal(seeds_of_stored_choice(4, 1.3, 0.003), SEEDS);
    assert_int_equal(seeds_of_stored_choice(4, 0.6, 0.003), 0);
}

/** The best was expected to take 1 s and takes 1.4: all evaluations are too short. Sampling the
 * others is not worth its price, but one is believed to be faster than the best. */
static void no_arm_that_is_believed_to_be_faster_stays_unsampled(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.003);
    struct select_arm arm[4];
    struct select_rules rules = default_rules();
    rules.price = 1e3;
    arms_evaluated(arm, (const double[4]){1, 1.02, 1.05, 1.1});
    for (int a = 0; a < 4; a++) simulation.truth[a] = 1.4 - 0.1 * a;
    const struct select select = decide(&simulation, &rules, arm, 4);
    for (size_t a = 0; a < 4; a++) {
        if (arm[a].taken == 0) assert_true(select_ratio(&select, a, select.pick) > 1);
    }
}

/* The baseline. */

/** For the speedup, the baseline is sampled in the same rounds as the chosen arm, even if other
 * arms decided. The exception is a baseline that takes much longer. */
static void the_baseline_has_a_round_with_the_pick(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(STEADY, seed, 0.004);
        struct select_arm arm[3] = {{0}};
        struct select_rules rules = default_rules();
        rules.baseline_seconds = seed % 2 ? 3 : 1.5;
        for (int a = 0; a < 3; a++) {
            simulation.truth[a] = a == 2 ? 2 : 1.1 - 0.1 * a;
            arm[a] = (struct select_arm){
                .seconds = a == 2 ? 2 : 1 + 0.01 * a, .spread = 0.3, .is_baseline = a == 2};
        }
        const struct select select = decide(&simulation, &rules, arm, 3);
        assert_int_equal(select.pick, 1);
        const double ratio = select_ratio(&select, 2, 1);
        assert_true(seed % 2 ? ratio > 1.9 && ratio < 2.1
                             : simulation.taken[2] == 0 || ratio > 1.9);
    }
}

/** A baseline is sampled however slow it is, if the sample is affordable. */
static void a_baseline_far_slower_than_the_pick_is_sampled_if_affordable(void **state) {
    (void)state;
    for (int affordable = 0; affordable < 2; affordable++) {
        struct simulation simulation = simulation_of(STEADY, 1, 0.004);
        struct select_arm arm[2] = {{.seconds = 1e-3, .spread = 0.3},
                                    {.seconds = 50e-3, .spread = 0.3, .is_baseline = true}};
        struct select_rules rules = default_rules();
        rules.baseline_seconds = affordable ? 60e-3 : 40e-3;
        for (int a = 0; a < 2; a++) simulation.truth[a] = arm[a].seconds;
        const struct select select = decide(&simulation, &rules, arm, 2);
        assert_int_equal(select.pick, 0);
        assert_int_equal(simulation.taken[1], affordable ? 2 : 0);
        assert_true(select_is_compared(&select, 1) == (affordable == 1));
        if (affordable) assert_true(fabs(select_ratio(&select, 1, 0) / 50 - 1) < 0.05);
    }
}

/** If other load disturbs all samples, they count nevertheless, also those of the baseline. */
static void a_baseline_whose_samples_are_all_disturbed_is_compared(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.004);
    struct select_arm arm[2] = {{.seconds = 1, .spread = 0.3},
                                {.seconds = 2, .spread = 0.3, .is_baseline = true}};
    struct select_rules rules = default_rules();
    rules.baseline_seconds = 3;
    simulation.truth[0] = 1;
    simulation.truth[1] = 2;
    simulation.all_disturbed = true;
    const struct select select = decide(&simulation, &rules, arm, 2);
    assert_int_equal(select.pick, 0);
    assert_true(select_is_compared(&select, 1));
    assert_true(fabs(select_ratio(&select, 1, 0) - 2) < 0.1);
}

/* Ties. */

static void among_equals_the_easiest_is_picked(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(STEADY, seed, 0.004);
        struct select_arm arm[4];
        struct select_rules rules = default_rules();
        rules.price = 1e-6; /* a low price gives each arm enough samples for a tie */
        for (int a = 0; a < 4; a++) {
            simulation.truth[a] = a == 3 ? 1.06 : 1 + 0.003 * a;
            simulation.preference[a] =
                3 - a; /* the simplest arm is the slowest one, which is not tied */
        }
        arms_of(arm, &simulation, 4);
        const struct select select = decide(&simulation, &rules, arm, 4);
        assert_int_equal(select.pick, 2);
        assert_true(select_is_equal(&select, select.pick) &&
                    select_is_equal(&select, select.best) && !select_is_equal(&select, 3));
    }
}

static void without_a_margin_the_fastest_is_picked(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.001);
    struct select_arm arm[2];
    struct select_rules rules = default_rules();
    rules.margin = 0;
    simulation.truth[0] = 1;
    simulation.truth[1] = 1.01;
    simulation.preference[0] = 1;
    arms_of(arm, &simulation, 2);
    assert_int_equal(decide(&simulation, &rules, arm, 2).pick, 0);
}

static void the_same_arms_get_the_same_answer_nine_times_of_ten(void **state) {
    (void)state;
    int picked[8] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(SWINGS, seed, 0.01);
        simulation.references = TRUE_REFERENCES;
        struct select_arm arm[8];
        struct select_rules rules = default_rules();
        rules.price = 1e-6; /* a low price gives each arm enough samples for a tie */
        for (int a = 0; a < 8; a++) {
            simulation.truth[a] = a < 4 ? 1 + 0.002 * a : 1.15;
            simulation.preference[a] = a;
        }
        arms_of(arm, &simulation, 8);
        picked[decide(&simulation, &rules, arm, 8).pick]++;
    }
    assert_true(picked[0] >= 9 * SEEDS / 10);
}

/** The leader of many equal arms had the shortest samples by chance. So these samples underestimate
 * its time. */
static void the_time_of_the_pick_comes_from_samples_that_did_not_choose_it(void **state) {
    (void)state;
    double own = 0;
    double chosen = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct simulation simulation = simulation_of(STEADY, seed, 0.1);
        struct select_arm arm[MOST_ARMS];
        struct select_rules rules = default_rules();
        struct drift_sample taken[TCPLAN_MAX_SAMPLES];
        rules.margin = 0;
        rules.price = 0.01;
        rules.expected.share = 0.1;
        for (int a = 0; a < MOST_ARMS; a++) simulation.truth[a] = 1;
        arms_of(arm, &simulation, MOST_ARMS);
        const struct select select = decide(&simulation, &rules, arm, MOST_ARMS);
        const int count = select_samples(&select, select.pick, taken);
        assert_in_range(count, rules.final_rounds, TCPLAN_MAX_SAMPLES);
        for (int i = 0; i < count; i++) own += taken[i].seconds / count / SEEDS;
        struct running_mean before = {0};
        for (int r = 0; r < select.rounds; r++) {
            const double seconds = arm[select.pick].sample[r].seconds;
            if (seconds > 0) running_mean_add(&before, seconds);
        }
        chosen += before.mean / SEEDS;
    }
    /* A slow sample causes others to be sampled, which may then be chosen. The remaining bias is
     * about a third of a standard deviation. */
    assert_true(fabs(own - 1) < 0.035);
    assert_true(chosen < 0.97); /* the mean of the deciding samples is too low */
}

/* Limits. */

static void without_time_nothing_is_sampled_and_the_pick_is_not_compared(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[2] = {{.seconds = 2, .spread = 0.3}, {.seconds = 1, .spread = 0.3}};
    const struct select_rules rules = default_rules();
    simulation.truth[0] = simulation.truth[1] = 1;
    simulation.limit = 1e-9;
    const struct select select = decide(&simulation, &rules, arm, 2);
    assert_int_equal(simulation.samples, 0);
    assert_int_equal(select.pick, 1);
    assert_false(select.compared);
    assert_int_equal(select.uncompared, 1);
}

static void a_limit_holds_but_for_a_sample(void **state) {
    (void)state;
    const struct select_rules rules = default_rules();
    for (int tenths = 1; tenths < 300; tenths++) {
        struct simulation simulation = simulation_of(SWINGS, (uint64_t)tenths, 0.05);
        struct select_arm arm[6];
        for (int a = 0; a < 6; a++) simulation.truth[a] = 1 + 0.05 * a;
        simulation.limit = tenths * 0.1;
        arms_of(arm, &simulation, 6);
        const struct select select = decide(&simulation, &rules, arm, 6);
        assert_true(simulation.now <= simulation.limit + simulation.longest);
        /* Algorithms that were not compared with the chosen one are counted. */
        size_t missing = 0;
        for (size_t a = 0; a < 6; a++) {
            missing += a != select.pick && a != select.best && arm[a].taken < rules.least_rounds &&
                       !arm[a].settled && !select_is_excluded(&select, a);
        }
        assert_true(select.uncompared >= (select.compared ? missing : 0));
        if (arm[select.pick].taken == 0) assert_false(select.compared);
    }
}

static void inseparable_arms_keep_their_estimates(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.3);
    struct select_arm arm[2];
    const struct select_rules rules = default_rules();
    simulation.truth[0] = simulation.truth[1] = 1;
    arms_of(arm, &simulation, 2);
    const struct select select = decide(&simulation, &rules, arm, 2);
    assert_true(select.compared && select.rounds <= SELECT_MAX_ROUNDS);
}

static void algorithms_that_cannot_be_sampled_are_not_chosen(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = default_rules();
    for (int a = 0; a < 3; a++) simulation.truth[a] = 1 + a;
    simulation.fails[0] = true;
    arms_of(arm, &simulation, 3);
    const struct select select = decide(&simulation, &rules, arm, 3);
    assert_int_equal(select.pick, 1);
    assert_true(select.compared);
    simulation.fails[1] = simulation.fails[2] = true;
    arms_of(arm, &simulation, 3);
    assert_false(decide(&simulation, &rules, arm, 3).compared);
}

/** An arm with a good estimate cannot be sampled, because it was not evaluated. The other arms are
 * compared nevertheless. */
static void unsampled_arms_do_not_prevent_comparing_others(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[3];
    const struct select_rules rules = default_rules();
    for (int a = 0; a < 3; a++) simulation.truth[a] = 1 + a;
    arms_of(arm, &simulation, 3);
    arm[0].withdrawn = true;
    const struct select select = decide(&simulation, &rules, arm, 3);
    assert_int_equal(select.pick, 1);
    assert_true(select.compared && select_is_compared(&select, 2));
    assert_int_equal(arm[0].taken, 0);
    assert_false(select_is_compared(&select, 0));
    arms_of(arm, &simulation, 3);
    arm[0].withdrawn = arm[1].withdrawn = arm[2].withdrawn = true;
    assert_false(decide(&simulation, &rules, arm, 3).compared);
    assert_int_equal(arm[0].taken + arm[1].taken + arm[2].taken, 0);
}

static void one_arm_alone_is_sampled_and_picked(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.01);
    struct select_arm arm[1];
    const struct select_rules rules = default_rules();
    simulation.truth[0] = 1;
    arms_of(arm, &simulation, 1);
    const struct select select = decide(&simulation, &rules, arm, 1);
    assert_true(select.compared && select.uncompared == 0 &&
                arm[0].taken == 1 + rules.final_rounds);
}

static void a_failure_ends_the_comparison(void **state) {
    (void)state;
    const struct select_rules rules = default_rules();
    for (int at = 0; at < 9; at++) {
        struct simulation simulation = simulation_of(STEADY, 1, 0.01);
        struct select_arm arm[2];
        struct select select;
        const struct select_means means = simulation_means(&simulation);
        simulation.truth[0] = simulation.truth[1] = 1;
        simulation.failure = TCPLAN_NO_MEMORY;
        simulation.fails_at = at;
        arms_of(arm, &simulation, 2);
        assert_int_equal(select_run(&select, &rules, arm, 2, &means, NULL), TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leader_slower_than_its_estimate_readmits_excluded_arms),
        cmocka_unit_test(certain_exclusion_costs_nothing),
        cmocka_unit_test(an_arm_slower_in_evaluation_and_sample_is_dropped),
        cmocka_unit_test(one_sample_does_not_drop_the_leader_of_the_evaluation),
        cmocka_unit_test(one_steady_sample_drops_the_leader_of_the_evaluation),
        cmocka_unit_test(the_last_remaining_arm_was_compared),
        cmocka_unit_test(the_first_round_counts_in_the_same_state_of_the_core),
        cmocka_unit_test(the_stored_winner_is_replaced_only_by_a_clearly_faster_one),
        cmocka_unit_test(the_stored_winner_is_compared_however_slow_its_evaluation),
        cmocka_unit_test(no_arm_that_is_believed_to_be_faster_stays_unsampled),
        cmocka_unit_test(the_baseline_has_a_round_with_the_pick),
        cmocka_unit_test(a_baseline_far_slower_than_the_pick_is_sampled_if_affordable),
        cmocka_unit_test(a_baseline_whose_samples_are_all_disturbed_is_compared),
        cmocka_unit_test(among_equals_the_easiest_is_picked),
        cmocka_unit_test(without_a_margin_the_fastest_is_picked),
        cmocka_unit_test(the_same_arms_get_the_same_answer_nine_times_of_ten),
        cmocka_unit_test(the_time_of_the_pick_comes_from_samples_that_did_not_choose_it),
        cmocka_unit_test(without_time_nothing_is_sampled_and_the_pick_is_not_compared),
        cmocka_unit_test(a_limit_holds_but_for_a_sample),
        cmocka_unit_test(inseparable_arms_keep_their_estimates),
        cmocka_unit_test(algorithms_that_cannot_be_sampled_are_not_chosen),
        cmocka_unit_test(unsampled_arms_do_not_prevent_comparing_others),
        cmocka_unit_test(one_arm_alone_is_sampled_and_picked),
        cmocka_unit_test(a_failure_ends_the_comparison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
