#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "microbench/timing/quantile.h"
#include "microbench/timing/statistics.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static void normal_quantiles_are_those_of_the_tables(void **state) {
    (void)state;
    static const double table[][2] = {{0.5, 0.674490},    {0.6827, 1.000022}, {0.9, 1.644854},
                                      {0.95, 1.959964},   {0.99, 2.575829},   {0.999, 3.290527},
                                      {0.9999, 3.890592}, {1e-3, 0.001253314}};
    for (size_t t = 0; t < sizeof table / sizeof *table; t++)
        assert_near(quantile_normal(table[t][0]), table[t][1], 2e-6);
}

static void student_quantiles_are_those_of_the_tables(void **state) {
    (void)state;
    static const struct {
        double level;
        int freedom;
        double quantile;
    } table[] = {
        {0.5, 1, 1.000},     {0.5, 2, 0.816},     {0.5, 10, 0.700},  {0.9, 1, 6.314},
        {0.9, 2, 2.920},     {0.9, 5, 2.015},     {0.9, 10, 1.812},  {0.9, 30, 1.697},
        {0.95, 1, 12.706},   {0.95, 2, 4.303},    {0.95, 7, 2.365},  {0.95, 30, 2.042},
        {0.95, 120, 1.980},  {0.95, 1000, 1.962}, {0.99, 1, 63.657}, {0.99, 2, 9.925},
        {0.99, 3, 5.841},    {0.99, 4, 4.604},    {0.99, 5, 4.032},  {0.99, 9, 3.250},
        {0.99, 10, 3.169},   {0.99, 20, 2.845},   {0.99, 40, 2.704}, {0.99, 120, 2.617},
        {0.99, 1000, 2.581}, {0.999, 1, 636.619}, {0.999, 5, 6.869}, {0.999, 10, 4.587},
        {0.999, 30, 3.646},  {0.999, 120, 3.373},
    };
    for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
        assert_near(quantile_student(table[t].level, table[t].freedom), table[t].quantile, 6e-4);
    }
}

static void one_and_two_degrees_of_freedom_have_a_closed_form(void **state) {
    (void)state;
    for (double level = 0.01; level < 1; level += 0.01) {
        const double one = tan(1.57079632679489661923 * level);
        const double two = level * sqrt(2 / (1 - level * level));
        assert_near(quantile_student(level, 1), one, 1e-9 * (1 + one));
        assert_near(quantile_student(level, 2), two, 1e-9 * (1 + two));
    }
}

/* At 200 degrees of freedom, the quantile function changes its method. */
static void student_quantiles_fall_smoothly_to_the_normal_one(void **state) {
    (void)state;
    static const double levels[] = {0.5, 0.9, 0.95, 0.99, 0.999};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        for (int freedom = 1; freedom < 400; freedom++) {
            const double here = quantile_student(levels[l], freedom);
            const double next = quantile_student(levels[l], freedom + 1);
            assert_true(next < here);
            if (freedom >= 100) assert_true(here - next < 5 * here / freedom / freedom);
        }
        const double before = quantile_student(levels[l], 198) - quantile_student(levels[l], 199);
        const double across = quantile_student(levels[l], 199) - quantile_student(levels[l], 200);
        assert_near(across, before, 0.02 * before);
        assert_near(quantile_student(levels[l], (int64_t)1 << 40), quantile_normal(levels[l]),
                    1e-9);
    }
}

static void quantiles_rise_with_the_level(void **state) {
    (void)state;
    for (double level = 0.02; level < 0.999; level += 0.01) {
        assert_true(quantile_normal(level + 5e-4) > quantile_normal(level));
        assert_true(quantile_student(level + 5e-4, 7) > quantile_student(level, 7));
        assert_true(quantile_student(level + 5e-4, 8) > quantile_student(level, 8));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_quantiles_are_those_of_the_tables),
        cmocka_unit_test(student_quantiles_are_those_of_the_tables),
        cmocka_unit_test(one_and_two_degrees_of_freedom_have_a_closed_form),
        cmocka_unit_test(student_quantiles_fall_smoothly_to_the_normal_one),
        cmocka_unit_test(quantiles_rise_with_the_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
