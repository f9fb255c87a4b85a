#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tcplan/study/turns.h"
#include "tcplan/unstable.h"

/** Sets times of a candidate. They vary by a few thousandths between rounds, and all candidates
 * share a drift. */
static void script(struct tcplan_turns *turns, int contender, double seconds, double spread) {
    for (int r = 0; r < turns->rounds; r++) {
        const double drift = 1 + 0.05 * r;
        turns->contender[contender].round_seconds[r] =
            seconds * drift * (1 + spread * ((r * 7 + contender * 3) % 5 - 2) / 2);
    }
}

static void slower_contenders_are_distinguished_from_ties(void **state) {
    (void)state;
    struct tcplan_turns turns = {.count = 4, .rounds = 20};
    script(&turns, 0, 1.32e-3, 0.002);
    script(&turns, 1, 1e-3, 0.002);
    script(&turns, 2, 1.01e-3, 0.002);
    script(&turns, 3, 1.02e-3, 0.05);
    tcplan_turns_judge(&turns);
    assert_int_equal(turns.fastest, 1);
    assert_int_equal(turns.contender[1].standing, TCPLAN_STANDING_FASTEST);
    assert_true(turns.contender[1].ratio == 1 && turns.contender[1].ratio_low == 1 &&
                turns.contender[1].ratio_high == 1);
    assert_int_equal(turns.contender[0].standing, TCPLAN_STANDING_SLOWER);
    assert_true(turns.contender[0].ratio > 1.31 && turns.contender[0].ratio < 1.33);
    assert_true(turns.contender[0].ratio_low < turns.contender[0].ratio &&
                turns.contender[0].ratio < turns.contender[0].ratio_high);
    assert_int_equal(turns.contender[2].standing, TCPLAN_STANDING_TIE);
    assert_int_equal(turns.contender[3].standing, TCPLAN_STANDING_OPEN);
    assert_true(turns.contender[0].seconds.seconds > 1.32e-3 &&
                turns.contender[0].seconds.sample_count == 20);
}

/** Two candidates differ by 4 %. Each is on a slow core in every other round, but not in the same
 * rounds. */
static void states_of_the_core_are_taken_off(void **state) {
    (void)state;
    for (int told = 0; told < 2; told++) {
        struct tcplan_turns turns = {.count = 2, .rounds = 24};
        for (int c = 0; c < 2; c++) {
            script(&turns, c, c == 0 ? 1e-3 : 1.04e-3, 0.002);
            for (int r = 0; r < turns.rounds; r++) {
                const double slow = (r * 5 + c * 7) % 12 < 6 ? 1.5 : 1;
                turns.contender[c].round_seconds[r] *= slow;
                turns.contender[c].round_reference_seconds[r] = told ? 5e-6 * slow : 0;
            }
        }
        tcplan_turns_judge(&turns);
        assert_int_equal(turns.contender[1].standing,
                         told ? TCPLAN_STANDING_SLOWER : TCPLAN_STANDING_OPEN);
        if (told) assert_true(turns.contender[1].ratio > 1.03 && turns.contender[1].ratio < 1.05);
    }
}

static void one_round_shows_only_large_differences(void **state) {
    (void)state;
    struct tcplan_turns turns = {.count = 3, .rounds = 1};
    turns.contender[0].round_seconds[0] = 1;
    turns.contender[1].round_seconds[0] = 1.3;
    turns.contender[2].round_seconds[0] = 5;
    tcplan_turns_judge(&turns);
    assert_int_equal(turns.contender[1].standing, TCPLAN_STANDING_OPEN);
    assert_int_equal(turns.contender[2].standing, TCPLAN_STANDING_SLOWER);
}

static void contenders_that_did_not_run_are_not_compared(void **state) {
    (void)state;
    struct tcplan_turns turns = {.count = 3, .rounds = 12, .contender = {{.reason = "no time"}}};
    script(&turns, 1, 2e-3, 0.002);
    script(&turns, 2, 3e-3, 0.002);
    tcplan_turns_judge(&turns);
    assert_int_equal(turns.contender[0].standing, TCPLAN_STANDING_NONE);
    assert_int_equal(turns.fastest, 1);
    turns = (struct tcplan_turns){.count = 1, .contender = {{.reason = "no time"}}};
    tcplan_turns_judge(&turns);
    assert_int_equal(turns.fastest, -1);
    assert_int_equal(turns.contender[0].standing, TCPLAN_STANDING_NONE);
}

static void algorithms_run_in_every_round(void **state) {
    (void)state;
    const int64_t extent[] = {20, 21, 22, 8};
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_algorithm algorithm[2];
    struct tcplan_error error;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, &error),
        TCPLAN_OK);
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, TCPLAN_DOUBLE, &error),
                     TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm[0], contraction, TCPLAN_DOUBLE, "c-dgemm", &error),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm[1], contraction, TCPLAN_DOUBLE, "ca-dgemv", &error),
        TCPLAN_OK);
    struct tcplan_turns turns = {
        .count = 2, .contender = {{.algorithm = &algorithm[0]}, {.algorithm = &algorithm[1]}}};
    const struct tcplan_turns_options options = {.threads = 1, .time_limit_seconds = 0.2};
    assert_int_equal(tcplan_turns_run(&turns, &problem, &options, &error), TCPLAN_OK);
    assert_true(turns.rounds >= 1);
    for (int c = 0; c < 2; c++) {
        for (int r = 0; r < turns.rounds; r++) assert_true(turns.contender[c].round_seconds[r] > 0);
        assert_int_equal(turns.contender[c].seconds.sample_count, turns.rounds);
    }
    assert_true(turns.fastest == 0 || turns.fastest == 1);
    tcplan_contraction_free(contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slower_contenders_are_distinguished_from_ties),
        cmocka_unit_test(states_of_the_core_are_taken_off),
        cmocka_unit_test(one_round_shows_only_large_differences),
        cmocka_unit_test(contenders_that_did_not_run_are_not_compared),
        cmocka_unit_test(algorithms_run_in_every_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
