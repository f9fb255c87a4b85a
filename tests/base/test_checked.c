#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/checked.h"

static void results_that_fit_are_returned(void **state) {
    (void)state;
    int64_t i = 0;
    uint64_t u = 0;
    size_t s = 0;
    assert_true(checked_mul_i64(-3, 7, &i) && i == -21);
    assert_true(checked_add_i64(INT64_MAX - 1, 1, &i) && i == INT64_MAX);
    assert_true(checked_mul_i64(INT64_C(1) << 62, -2, &i) && i == INT64_MIN);
    assert_true(checked_mul_u64(UINT64_C(1) << 63, 1, &u) && u == UINT64_C(1) << 63);
    assert_true(checked_add_u64(UINT64_MAX - 5, 5, &u) && u == UINT64_MAX);
    assert_true(checked_mul_size(6, 7, &s) && s == 42);
    assert_true(checked_mul_size(SIZE_MAX, 0, &s) && s == 0);
}

static void overflow_is_reported(void **state) {
    (void)state;
    int64_t i;
    uint64_t u;
    size_t s;
    assert_false(checked_mul_i64(INT64_C(1) << 62, 2, &i));
    assert_false(checked_mul_i64(INT64_MIN, -1, &i));
    assert_false(checked_add_i64(INT64_MAX, 1, &i));
    assert_false(checked_add_i64(INT64_MIN, -1, &i));
    assert_false(checked_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &u));
    assert_false(checked_add_u64(UINT64_MAX, 1, &u));
    assert_false(checked_mul_size(SIZE_MAX, 2, &s));
}

static void saturated_results_stay_at_the_largest(void **state) {
    (void)state;
    assert_true(saturated_mul_i64(6, 7) == 42);
    assert_true(saturated_mul_i64(INT64_C(1) << 32, INT64_C(1) << 31) == INT64_MAX);
    assert_true(saturated_i64(42.5) == 42);
    assert_true(saturated_i64(9223372036854775808.0) == INT64_MAX &&
                saturated_i64(1e300) == INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_that_fit_are_returned),
        cmocka_unit_test(overflow_is_reported),
        cmocka_unit_test(saturated_results_stay_at_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
