/*
 * Tests posterior distributions of times: observations are weighted by their precision, and the
 * expected improvement equals the mean of random draws.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "plan/belief.h"

static void observations_weigh_by_their_variance(void **state) {
    (void)state;
    const struct belief before = {.mean = 1, .variance = 0.25};
    const struct belief equal = belief_observe(before, 2, 0.25);
    assert_true(fabs(equal.mean - 1.5) < 1e-12 && fabs(equal.variance - 0.125) < 1e-12);
    const struct belief exact = belief_observe(before, 2, 1e-12);
    assert_true(fabs(exact.mean - 2) < 1e-9 && exact.variance < 1e-11);
    const struct belief vague = belief_observe(before, 2, 1e12);
    assert_true(fabs(vague.mean - 1) < 1e-9 && fabs(vague.variance - 0.25) < 1e-9);
}

static void two_observations_say_the_same_in_any_order(void **state) {
    (void)state;
    const struct belief before = {.mean = -3, .variance = 0.5};
    const struct belief one = belief_observe(belief_observe(before, -2, 0.1), -4, 0.3);
    const struct belief other = belief_observe(belief_observe(before, -4, 0.3), -2, 0.1);
    assert_true(fabs(one.mean - other.mean) < 1e-12);
    assert_true(fabs(one.variance - other.variance) < 1e-12);
}

/** Draws a normally distributed number, as the sum of twelve uniform ones. */
static double draw(struct random *random, struct belief of) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random_unit(random);
    return of.mean + sqrt(of.variance) * sum;
}

static void expected_improvements_agree_with_monte_carlo(void **state) {
    (void)state;
    enum { DRAWS = 200000 };
    const struct belief best = {.mean = 0, .variance = 0.01};
    struct random random = {1};
    for (double mean = -0.5; mean < 0.6; mean += 0.25) {
        const struct belief other = {.mean = mean, .variance = 0.09};
        double sum = 0;
        for (int d = 0; d < DRAWS; d++) sum += fmax(draw(&random, best) - draw(&random, other), 0);
        assert_true(fabs(belief_improvement(best, other) - sum / DRAWS) < 0.005);
    }
}

static void certainly_slower_arms_have_no_expected_improvement(void **state) {
    (void)state;
    const struct belief best = {.mean = 0, .variance = 1e-4};
    double before = INFINITY;
    for (double mean = -1; mean < 1; mean += 0.1) {
        const double expected = belief_improvement(best, (struct belief){mean, 0.01});
        assert_true(expected > 0 && expected < before);
        before = expected;
    }
    assert_true(belief_improvement(best, (struct belief){.mean = 1, .variance = 1e-4}) < 1e-12);
    assert_true(fabs(belief_improvement(best, (struct belief){.mean = -1, .variance = 1e-4}) - 1) <
                1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observations_weigh_by_their_variance),
        cmocka_unit_test(two_observations_say_the_same_in_any_order),
        cmocka_unit_test(expected_improvements_agree_with_monte_carlo),
        cmocka_unit_test(certainly_slower_arms_have_no_expected_improvement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
