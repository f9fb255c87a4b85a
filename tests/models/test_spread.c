/* Tests spreads of sampled points by closed forms, and by noise with known distributions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "models/spread.h"

static void assert_near(double found, double expected, double tolerance) {
    assert_true(found >= expected - tolerance && found <= expected + tolerance);
}

static void both_halves_are_compared_in_the_order_of_taking(void **state) {
    double minima[] = {30, 10, 20, 12, 40, 50}, medians[] = {30, 10, 20, 12, 40, 50},
           uneven[] = {10, 30, 14};
    (void)state;
    assert_near(spread_of(minima, 6, TCPLAN_MODEL_MINIMUM), 2.0 / 22, 1e-12);
    assert_near(spread_of(medians, 6, TCPLAN_MODEL_MEDIAN), 20.0 / 60, 1e-12);
    assert_near(spread_of(uneven, 3, TCPLAN_MODEL_MINIMUM), 4.0 / 24, 1e-12);
}

static void one_repetition_gives_no_spread(void **state) {
    double one[] = {30};
    (void)state;
    assert_near(spread_of(one, 1, TCPLAN_MODEL_MINIMUM), 0, 0);
    assert_near(spread_of(one, 0, TCPLAN_MODEL_MINIMUM), 0, 0);
}

/** The mean estimated spread equals the mean distance of a point's minimum from the lower bound of
 * the noise. */
static void the_spread_is_the_error_of_a_minimum(void **state) {
    enum { POINTS = 20000, REPETITIONS = 10 };
    struct random random = {3};
    double spreads = 0, off = 0;
    (void)state;
    for (int p = 0; p < POINTS; p++) {
        double ns[REPETITIONS], least = INFINITY;
        for (int r = 0; r < REPETITIONS; r++) {
            ns[r] = 1 - 0.1 * log(1 - random_unit(&random));
            least = fmin(least, ns[r]);
        }
        off += (least - 1) / POINTS;
        spreads += spread_of(ns, REPETITIONS, TCPLAN_MODEL_MINIMUM) / POINTS;
    }
    assert_near(off, 0.01, 0.0005);
    assert_near(spreads, 0.01, 0.0007);
}

static void points_that_are_known_alike_count_alike(void **state) {
    const double none[] = {0, 0, 0, 0}, alike[] = {0.03, 0.03, 0.03, 0.03},
                 one[] = {0.001, 0.001, 0.001, 0.1};
    double weight[4];
    (void)state;
    spread_weights(weight, none, 4, 0.01);
    for (int i = 0; i < 4; i++) assert_near(weight[i], 1, 0);
    spread_weights(weight, alike, 4, 0.01);
    for (int i = 0; i < 4; i++) assert_near(weight[i], 1 / sqrt(1.25), 1e-12);
    spread_weights(weight, one, 4, 0.01);
    assert_near(weight[0], 1, 0.01);
    assert_near(weight[3], 1 / sqrt(101), 1e-12); /* a spread of ten times the bound */
}

static void errors_are_explained_by_spreads_of_their_size(void **state) {
    const double error[] = {0.01, 0.02, 0.03}, weight[] = {1, 1, 1}, heavy[] = {1, 1, 0};
    const double spread[] = {0.03, 0.0301, 0}, smaller[] = {0.03, 0.0299, 0}, none[] = {0, 0, 0};
    (void)state;
    assert_true(spread_explains(error, spread, weight, 3));
    assert_false(spread_explains(error, smaller, weight, 3));
    assert_true(spread_explains(error, smaller, heavy, 3));
    assert_false(spread_explains(error, none, weight, 3));
    assert_false(spread_explains(none, none, weight, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_halves_are_compared_in_the_order_of_taking),
        cmocka_unit_test(one_repetition_gives_no_spread),
        cmocka_unit_test(the_spread_is_the_error_of_a_minimum),
        cmocka_unit_test(points_that_are_known_alike_count_alike),
        cmocka_unit_test(errors_are_explained_by_spreads_of_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
