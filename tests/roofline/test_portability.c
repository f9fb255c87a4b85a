#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tcplan/portability.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Yang et al., tables II and IV: efficiencies on KNL and V100, and the performance portability
 * over both, in per cent. */
static void the_metric_is_that_of_the_paper(void **state) {
    (void)state;
    static const double table[][3] = {{40.41, 64.89, 49.81}, {52.04, 81.40, 63.49},
                                      {66.65, 89.79, 76.51}, {289.13, 639.36, 398.19},
                                      {81.42, 99.96, 89.74}, {38.40, 65.64, 48.46},
                                      {75.24, 85.43, 80.01}, {98.39, 98.81, 98.60}};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        assert_near(100 * tcplan_portability_metric(
                              (const double[]){table[t][0] / 100, table[t][1] / 100}, 2),
                    table[t][2], 0.011);
    }
}

static void the_metric_of_one_platform_is_its_efficiency(void **state) {
    (void)state;
    assert_near(tcplan_portability_metric((const double[]){0.37}, 1), 0.37, 1e-15);
}

static void equal_efficiencies_are_their_own_mean(void **state) {
    (void)state;
    assert_near(tcplan_portability_metric((const double[]){0.6, 0.6, 0.6, 0.6}, 4), 0.6, 1e-15);
}

static void one_platform_that_is_not_supported_makes_it_zero(void **state) {
    (void)state;
    assert_true(tcplan_portability_metric((const double[]){0.9, 0, 0.8}, 3) == 0);
    const struct tcplan_platform_speed platform[] = {{.speed = 50, .roof = 100, .best = 60},
                                                     {.speed = 0, .roof = 200, .best = 90}};
    const struct tcplan_portability portability = tcplan_portability_over(platform, 2);
    assert_true(portability.architectural == 0);
    assert_true(portability.application == 0);
    assert_true(portability.lowest_application == 0);
    assert_int_equal(portability.supported, 1);
}

static void no_platforms_have_no_portability(void **state) {
    (void)state;
    assert_true(tcplan_portability_metric(NULL, 0) == 0);
    const struct tcplan_portability portability = tcplan_portability_over(NULL, 0);
    assert_true(portability.architectural == 0 && portability.application == 0 &&
                portability.lowest_application == 0);
}

static void both_efficiencies_are_averaged_harmonically(void **state) {
    (void)state;
    const struct tcplan_platform_speed platform[] = {{.speed = 50, .roof = 100, .best = 100},
                                                     {.speed = 20, .roof = 80, .best = 25}};
    const struct tcplan_portability portability = tcplan_portability_over(platform, 2);
    assert_near(portability.architectural, 2 / (1 / 0.5 + 1 / 0.25), 1e-15);
    assert_near(portability.application, 2 / (1 / 0.5 + 1 / 0.8), 1e-15);
    assert_near(portability.lowest_application, 0.5, 1e-15);
    assert_int_equal(portability.supported, 2);
    assert_false(portability.above_roof);
}

static void a_roof_that_is_not_known_leaves_the_application_efficiency(void **state) {
    (void)state;
    const struct tcplan_platform_speed platform[] = {{.speed = 50, .best = 100},
                                                     {.speed = 20, .roof = 80, .best = 20}};
    const struct tcplan_portability portability = tcplan_portability_over(platform, 2);
    assert_true(portability.architectural == 0);
    assert_near(portability.application, 2 / (1 / 0.5 + 1), 1e-15);
}

/* Bars 4 in the paper: a wrong ceiling gives 289 % and 639 % of the roof. */
static void more_than_the_roof_is_flagged(void **state) {
    (void)state;
    const struct tcplan_platform_speed platform[] = {{.speed = 289, .roof = 100, .best = 289},
                                                     {.speed = 20, .roof = 80, .best = 20}};
    assert_true(tcplan_portability_over(platform, 2).above_roof);
    assert_false(tcplan_portability_over(platform + 1, 1).above_roof);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_metric_is_that_of_the_paper),
        cmocka_unit_test(the_metric_of_one_platform_is_its_efficiency),
        cmocka_unit_test(equal_efficiencies_are_their_own_mean),
        cmocka_unit_test(one_platform_that_is_not_supported_makes_it_zero),
        cmocka_unit_test(no_platforms_have_no_portability),
        cmocka_unit_test(both_efficiencies_are_averaged_harmonically),
        cmocka_unit_test(a_roof_that_is_not_known_leaves_the_application_efficiency),
        cmocka_unit_test(more_than_the_roof_is_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
