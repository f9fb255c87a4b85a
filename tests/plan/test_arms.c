/*
 * Tests the expected improvement of samples by simulated decisions: no sample costs more than its
 * expected improvement, and the chosen algorithms remain as fast.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/decision/arms.h"
#include "support/simulation.h"

static struct select_rules rules_with_price(double price) {
    struct select_rules rules = default_rules();
    rules.least_rounds = 2;
    rules.final_rounds = 1;
    rules.price = price;
    return rules;
}

/** Sets up arms of a simulation whose evaluations have errors of 10 %. */
static void arms_seen(struct select_arm *arm, struct simulation *simulation, size_t count) {
    memset(arm, 0, count * sizeof *arm);
    for (size_t a = 0; a < count; a++) {
        arm[a].seconds = simulation->truth[a] * exp(0.1 * simulation_normal(simulation));
        arm[a].spread = 0.1;
    }
}

/** Checks that the chosen arm has the minimum number of samples, that each arm that counts as
 * compared has one, and that all other arms are counted unless a bound excludes them. */
static void assert_others_are_counted(const struct select *select, const struct select_arm *arm,
                                      size_t count) {
    size_t open = 0;
    assert_compared(select, arm);
    for (size_t a = 0; a < count; a++) {
        if (select_is_compared(select, a)) assert_true(arm[a].taken > 0);
        open += arm[a].taken == 0 && !select_is_excluded(select, a);
    }
    assert_in_range(select->uncompared, open, count);
}

/** A sample must have an expected improvement of at least half a per cent of the fastest time. A
 * third of the samples has less; choices without them are hardly slower. */
static void improvements_below_their_cost_are_not_sampled(void **state) {
    (void)state;
    for (enum weather weather = STEADY; weather <= OUTLIERS; weather++) {
        double samples[2] = {0};
        double loss[2] = {0};
        for (int priced = 0; priced < 2; priced++) {
            const struct select_rules rules = rules_with_price(priced ? 0.005 : 1e-4);
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                struct simulation simulation = simulation_of(weather, seed, 0.03);
                struct select_arm arm[12];
                double fastest = INFINITY;
                for (int a = 0; a < 12; a++)
                    fastest = fmin(fastest,
                                   simulation.truth[a] = 1 + 0.5 * random_unit(&simulation.random));
                arms_seen(arm, &simulation, 12);
                const struct select select = decide(&simulation, &rules, arm, 12);
                if (priced) assert_others_are_counted(&select, arm, 12);
                samples[priced] += simulation.samples;
                loss[priced] += (simulation.truth[select.pick] / fastest - 1) / SEEDS;
            }
        }
        assert_true(samples[1] < 0.7 * samples[0]);
        assert_true(loss[1] < loss[0] + 0.02);
    }
}

/** The leader seems much faster than all other arms, and each sample costs more than its expected
 * improvement. Still, one other arm is sampled, once. */
static void the_pick_is_compared_with_another_arm_at_any_price(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.005);
    struct select_arm arm[4];
    const struct select_rules rules = rules_with_price(10);
    arms_evaluated(arm, (const double[4]){1, 1.5, 1.6, 1.7});
    for (int a = 0; a < 4; a++) simulation.truth[a] = arm[a].seconds;
    const struct select select = decide(&simulation, &rules, arm, 4);
    assert_true(select.pick == 0 && select.compared);
    assert_true(arm[1].taken == 1 && arm[2].taken == 0 && arm[3].taken == 0);
    assert_int_equal(select.uncompared, 2);
}

/** A round with a disturbed sample is ignored for all arms. The leader is then compared with
 * another arm in an undisturbed round, unless the maximum number of rounds is reached. */
static void disturbed_rounds_leave_no_pick_alone(void **state) {
    (void)state;
    const struct select_rules rules = rules_with_price(10);
    for (int disturbed = 0; disturbed < 8; disturbed++) {
        struct simulation simulation = simulation_of(STEADY, 1, 0.005);
        struct select_arm arm[3];
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < 3; a++) {
            simulation.truth[a] = 1 + 0.4 * a;
            arm[a] = (struct select_arm){.seconds = simulation.truth[a], .spread = 0.2};
            simulation.disturbs[a] = disturbed >> a & 1;
        }
        simulation.all_disturbed = disturbed == 7;
        const struct select select = decide(&simulation, &rules, arm, 3);
        assert_true(select.pick == 0 && select.compared);
        assert_true(arm[0].count > 0 && arm[1].count > 0);
    }
}

/** Another arm is faster than the leader in a single round: it is chosen only after the minimum
 * number of rounds. */
static void one_round_does_not_make_a_pick(void **state) {
    (void)state;
    struct simulation simulation = simulation_of(STEADY, 1, 0.001);
    struct select_arm arm[2] = {{.seconds = 1, .spread = 0.1}, {.seconds = 1.01, .spread = 0.3}};
    const struct select_rules rules = rules_with_price(10);
    simulation.truth[0] = 1.1;
    simulation.truth[1] = 1;
    const struct select select = decide(&simulation, &rules, arm, 2);
    assert_true(select.pick == 1 && select.compared);
    assert_in_range(arm[1].taken, rules.least_rounds, SELECT_MAX_ROUNDS);
}

/** All evaluations are too short by the same factor of two. Unsampled arms must not rank above
 * sampled ones because of that. */
static void a_common_bias_of_evaluations_is_no_improvement(void **state) {
    (void)state;
    int taken[2];
    for (int off = 0; off < 2; off++) {
        /* Samples of sampled arms take twice as long, so half the price per second gives the same
         * price per sample. */
        const struct select_rules rules = rules_with_price(off ? 0.005 : 0.01);
        struct simulation simulation = simulation_of(STEADY, 1, 0.001);
        struct select_arm arm[MOST_ARMS];
        memset(arm, 0, sizeof arm);
        for (int a = 0; a < MOST_ARMS; a++) {
            arm[a] = (struct select_arm){.seconds = 1 + 0.02 * a, .spread = 0.1};
            simulation.truth[a] = arm[a].seconds * (off ? 2 : 1);
        }
        decide(&simulation, &rules, arm, MOST_ARMS);
        taken[off] = simulation.samples;
    }
    assert_int_equal(taken[0], taken[1]);
}

/** Only the first evaluation is wrong: it is eight times too short. Its samples must not change the
 * expected times of the other arms, which would then not be sampled. */
static void one_wrong_evaluation_does_not_move_the_others(void **state) {
    (void)state;
    const struct select_rules rules = rules_with_price(0.05);
    struct simulation simulation = simulation_of(STEADY, 1, 0.001);
    struct select_arm arm[4];
    memset(arm, 0, sizeof arm);
    for (int a = 0; a < 4; a++) {
        simulation.truth[a] = a == 0 ? 8 : 5 + 0.3 * a;
        arm[a] = (struct select_arm){.seconds = a == 0 ? 1 : simulation.truth[a], .spread = 0.1};
    }
    const struct select select = decide(&simulation, &rules, arm, 4);
    assert_int_equal(select.pick, 1);
    for (int a = 1; a < 4; a++) assert_true(exp(arm[a].belief.mean) < 1.3 * simulation.truth[a]);
}

/** Each round has a single sample: the effects of rounds then need more degrees of freedom than
 * there are samples. */
static void single_samples_in_rounds_of_their_own_have_a_variance(void **state) {
    (void)state;
    struct select_arm arm[8];
    struct select select = {
        .rules = default_rules(), .count = 8, .arm = arm, .all_rounds = 8, .rounds = 8};
    memset(arm, 0, sizeof arm);
    select.rules.expected.freedom = 3;
    for (int a = 0; a < 8; a++) {
        arm[a] = (struct select_arm){.seconds = 1 + 0.1 * a, .spread = 0.1, .taken = 1};
        arm[a].sample[a].seconds = arm[a].seconds;
    }
    arms_believe(&select);
    assert_true(select.variance > 0);
    assert_int_equal(select.best, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(improvements_below_their_cost_are_not_sampled),
        cmocka_unit_test(the_pick_is_compared_with_another_arm_at_any_price),
        cmocka_unit_test(disturbed_rounds_leave_no_pick_alone),
        cmocka_unit_test(one_round_does_not_make_a_pick),
        cmocka_unit_test(one_wrong_evaluation_does_not_move_the_others),
        cmocka_unit_test(single_samples_in_rounds_of_their_own_have_a_variance),
        cmocka_unit_test(a_common_bias_of_evaluations_is_no_improvement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
