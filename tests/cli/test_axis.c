#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/page/plot.h"

static void check(double low, double high, bool from_data, double expected_low,
                  double expected_high) {
    struct axis axis = {.span = {low, high}, .linear = true, .from_data = from_data};
    struct tick tick[AXIS_TICKS];
    axis_widen(&axis);
    assert_float_equal(axis.span.low, expected_low, 1e-9);
    assert_float_equal(axis.span.high, expected_high, 1e-9);
    assert_float_equal(axis_place(&axis, expected_low), 0, 1e-9);
    assert_float_equal(axis_place(&axis, expected_high), 1, 1e-9);
    const int count = axis_ticks(tick, &axis);
    assert_true(count >= 3 && count <= 20);
    assert_float_equal(tick[0].value, expected_low, 1e-9);
    assert_float_equal(tick[count - 1].value, expected_high, 1e-9);
}

static void a_linear_axis_begins_at_zero(void **state) {
    (void)state;
    check(256, 320, false, 0, 350);
    check(10, 100, true, 0, 100); /* values in both halves */
}

static void an_axis_from_its_data_begins_with_values_of_the_upper_half(void **state) {
    (void)state;
    check(256, 320, true, 250, 320);
    check(1000, 1001, true, 1000, 1001);
    check(82.6, 100, true, 80, 100); /* from 82 to 100, steps of 2 would become steps of 5 */
    check(100, 100, true, 0, 100);   /* one value */
}

static void an_axis_of_signed_values_has_zero_between_its_ends(void **state) {
    struct axis axis = {.span = {-3, 12}, .linear = true, .is_signed = true};
    struct tick tick[AXIS_TICKS];
    (void)state;
    check(-3, 12, false, -4, 12);
    check(-0.3, 0, false, -0.3, 0);
    axis_widen(&axis);
    assert_true(axis_ticks(tick, &axis) > 2 && tick[2].value == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_axis_begins_at_zero),
        cmocka_unit_test(an_axis_of_signed_values_has_zero_between_its_ends),
        cmocka_unit_test(an_axis_from_its_data_begins_with_values_of_the_upper_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
