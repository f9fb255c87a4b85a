#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roofline/validation/verdict.h"

static enum tcplan_verdict verdict(double ratio, int repeats, int dropped) {
    return verdict_of(&(struct tcplan_check){
        .ratio = ratio, .lowest = 0.9, .highest = 1.1, .repeats = repeats, .dropped = dropped});
}

static void a_ratio_holds_within_its_bounds(void **state) {
    (void)state;
    assert_int_equal(verdict(1, 20, 0), TCPLAN_VERDICT_HOLDS);
    assert_int_equal(verdict(0.9, 1, 99), TCPLAN_VERDICT_HOLDS);
    assert_int_equal(verdict(1.1001, 20, 0), TCPLAN_VERDICT_FAILS);
    assert_int_equal(verdict(0.8, 20, 39), TCPLAN_VERDICT_FAILS);
}

static void a_check_disturbed_half_of_the_time_is_untested(void **state) {
    (void)state;
    assert_int_equal(verdict(0.8, 20, 40), TCPLAN_VERDICT_NOT_TESTED);
    assert_int_equal(verdict(1, 0, 80), TCPLAN_VERDICT_NOT_TESTED);
    assert_int_equal(verdict(0, 0, 0), TCPLAN_VERDICT_NOT_TESTED);
}

static void a_failure_outweighs_untested_checks(void **state) {
    static const enum tcplan_verdict all[] = {TCPLAN_VERDICT_HOLDS, TCPLAN_VERDICT_FAILS,
                                              TCPLAN_VERDICT_NOT_TESTED};
    (void)state;
    for (int v = 0; v < 3; v++) {
        assert_int_equal(verdict_both(all[v], TCPLAN_VERDICT_HOLDS), all[v]);
        assert_int_equal(verdict_both(TCPLAN_VERDICT_HOLDS, all[v]), all[v]);
        assert_int_equal(verdict_both(all[v], TCPLAN_VERDICT_FAILS), TCPLAN_VERDICT_FAILS);
    }
    assert_int_equal(verdict_both(TCPLAN_VERDICT_NOT_TESTED, TCPLAN_VERDICT_NOT_TESTED),
                     TCPLAN_VERDICT_NOT_TESTED);
}

static void four_pairs_without_a_window_are_enough(void **state) {
    (void)state;
    assert_false(verdict_is_hopeless(3, 0));
    assert_true(verdict_is_hopeless(4, 0));
    assert_false(verdict_is_hopeless(20, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ratio_holds_within_its_bounds),
        cmocka_unit_test(a_check_disturbed_half_of_the_time_is_untested),
        cmocka_unit_test(a_failure_outweighs_untested_checks),
        cmocka_unit_test(four_pairs_without_a_window_are_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
