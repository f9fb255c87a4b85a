/* Tests that deprecated names of 0.1.0 and 0.2.0 still mean the new ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tcplan/stored_code.h"
#include "tcplan/tcplan.h"
#include "tcplan/unstable.h"

static void names_of_the_previous_version_mean_the_new_ones(void **state) {
    (void)state;
    assert_int_equal(TCPLAN_PREFER_EASE, TCPLAN_PREFER_SIMPLE);
    assert_int_equal(TCPLAN_BASIS_SCOUT, TCPLAN_BASIS_PROBE);
    assert_int_equal(TCPLAN_TIME_KEPT, TCPLAN_TIME_STORED);
    assert_int_equal(TCPLAN_PLANNING_LOOKS, TCPLAN_PLANNING_EVALUATIONS);
    assert_int_equal(TCPLAN_PLANNING_SKETCHED, TCPLAN_PLANNING_SELECTED);
    assert_int_equal(TCPLAN_PLANNING_CUT, TCPLAN_PLANNING_CENSORED);
    assert_int_equal(TCPLAN_PLANNING_LOOKED, TCPLAN_PLANNING_EVALUATED);
    const struct tcplan_tactics old = tcplan_tactics_usual();
    assert_int_equal(old.far_bytes, tcplan_heuristics_default().far_bytes);
    const struct tcplan_copy_costs costs = {.contiguous_row = 2};
    assert_true(costs.kept_row == 2);
    const struct tcplan_code_account account = {.found = 3};
    assert_int_equal(account.kept, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_previous_version_mean_the_new_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
