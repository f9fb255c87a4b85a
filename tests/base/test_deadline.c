#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/deadline.h"

static const struct deadline never = {0}, long_ago = {.ns = 1};

static void without_a_deadline_nothing_is_late(void **state) {
    (void)state;
    assert_false(deadline_is_over(never));
    assert_true(isinf(deadline_left_seconds(never)));
}

static void a_past_deadline_is_over(void **state) {
    (void)state;
    assert_true(deadline_is_over(long_ago));
    assert_true(deadline_left_seconds(long_ago) == 0);
}

static void a_deadline_has_seconds_left(void **state) {
    (void)state;
    const struct deadline deadline = deadline_in(1e6);
    assert_false(deadline_is_over(deadline));
    assert_true(deadline_left_seconds(deadline) > 0 && deadline_left_seconds(deadline) <= 1e6);
}

static void an_invalid_limit_never_ends(void **state) {
    (void)state;
    const double none[] = {0, -1, 1e9, INFINITY, NAN};
    for (size_t n = 0; n < sizeof none / sizeof *none; n++)
        assert_int_equal(deadline_in(none[n]).ns, 0);
}

static void the_first_of_two_counts(void **state) {
    (void)state;
    const struct deadline later = {.ns = 2};
    assert_int_equal(deadline_first(long_ago, later).ns, 1);
    assert_int_equal(deadline_first(later, long_ago).ns, 1);
    assert_int_equal(deadline_first(never, later).ns, 2);
    assert_int_equal(deadline_first(later, never).ns, 2);
    assert_int_equal(deadline_first(never, never).ns, 0);
}

static void work_counts_if_it_is_limited(void **state) {
    (void)state;
    const struct deadline little = {.cpu_ns = 1}, much = deadline_in_cpu(1e6), later = {.ns = 2};
    assert_true(deadline_is_over(little) && deadline_left_seconds(little) == 0);
    assert_false(deadline_is_over(much));
    assert_true(deadline_left_seconds(much) > 0 && deadline_left_seconds(much) <= 1e6);
    assert_int_equal(deadline_in_cpu(0).cpu_ns, 0);
    const struct deadline both = deadline_first(deadline_first(much, later), little);
    assert_true(both.ns == 2 && both.cpu_ns == 1);
    assert_true(deadline_left_seconds(deadline_first(much, long_ago)) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_deadline_nothing_is_late),
        cmocka_unit_test(a_past_deadline_is_over),
        cmocka_unit_test(a_deadline_has_seconds_left),
        cmocka_unit_test(an_invalid_limit_never_ends),
        cmocka_unit_test(the_first_of_two_counts),
        cmocka_unit_test(work_counts_if_it_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
