#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roofline/effective_size.h"

static void the_border_is_where_half_of_the_way_to_the_next_level_is_gone(void **state) {
    static const struct size_rate sweep[] = {{10, 99}, {20, 60}, {30, 41}, {40, 39}, {50, 20}, {60, 16}};
    (void)state;
    assert_int_equal(effective_size(sweep, 6, 5, 100, 16), 30); /* sqrt(1600) */
    assert_int_equal(effective_size(sweep, 2, 5, 100, 16), 20); /* it ends before */
    assert_int_equal(effective_size(sweep, 0, 5, 100, 16), 5);
}

static void what_is_fast_again_behind_the_border_does_not_count(void **state) {
    static const struct size_rate sweep[] = {{10, 90}, {20, 30}, {30, 95}};
    (void)state;
    assert_int_equal(effective_size(sweep, 3, 5, 100, 16), 10);
}

static void levels_that_are_hardly_different_have_no_border(void **state) {
    (void)state;
    assert_true(effective_size_is_found(100, 16));
    assert_false(effective_size_is_found(100, 90));
    assert_false(effective_size_is_found(16, 100));
    assert_false(effective_size_is_found(16, 0));
}

static void a_sweep_grows_by_a_fourth_and_always(void **state) {
    (void)state;
    for (int64_t bytes = 0, next; bytes < (int64_t)1 << 40; bytes = next) {
        next = effective_size_next(bytes, 1024);
        assert_true(next > bytes && next % 1024 == 0 && next <= bytes + bytes / 4 + 1024);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_border_is_where_half_of_the_way_to_the_next_level_is_gone),
        cmocka_unit_test(what_is_fast_again_behind_the_border_does_not_count),
        cmocka_unit_test(levels_that_are_hardly_different_have_no_border),
        cmocka_unit_test(a_sweep_grows_by_a_fourth_and_always),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
