#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/sorted.h"

static void numbers_are_sorted(void **state) {
    double value[] = {3, -1, INFINITY, 2, -INFINITY, 2};
    static const double sorted[] = {-INFINITY, -1, 2, 2, 3, INFINITY};
    (void)state;
    sort_numbers(value, 6);
    for (int i = 0; i < 6; i++) assert_true(value[i] == sorted[i]);
    sort_numbers(value, 1);
    sort_numbers(NULL, 0);
    assert_true(value[0] == sorted[0]);
}

static void the_median_is_in_the_middle(void **state) {
    static const double value[] = {1, 2, 4, 8};
    (void)state;
    assert_true(sorted_median(value, 1) == 1);
    assert_true(sorted_median(value, 2) == 1.5);
    assert_true(sorted_median(value, 3) == 2);
    assert_true(sorted_median(value, 4) == 3);
}

static void quantiles_interpolate_linearly(void **state) {
    static const double value[] = {1, 2, 4, 8};
    (void)state;
    assert_true(sorted_quantile(value, 1, 0.9) == 1);
    assert_true(sorted_quantile(value, 4, 0) == 1);
    assert_true(sorted_quantile(value, 4, 1) == 8);
    assert_true(sorted_quantile(value, 4, 0.5) == sorted_median(value, 4));
    assert_true(sorted_quantile(value, 4, 0.25) == 1.75);
    assert_true(sorted_quantile(value, 3, 0.75) == 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted),
        cmocka_unit_test(the_median_is_in_the_middle),
        cmocka_unit_test(quantiles_interpolate_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
