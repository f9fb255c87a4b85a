/*
 * Tests the costs of a machine: assumed costs follow from its caches, measured costs replace
 * assumed ones, and implausible costs are rejected.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/costs.h"

static const struct tcplan_machine machine = {.line_bytes = 64,
                                              .page_bytes = 4096,
                                              .cache_count = 3,
                                              .cache = {{.level = 1, .size_bytes = 32 << 10},
                                                        {.level = 2, .size_bytes = 1 << 20},
                                                        {.level = 3, .size_bytes = 64 << 20}}};

static void assumed_costs_are_sound_and_follow_the_caches(void **state) {
    (void)state;
    const struct tcplan_costs costs = tcplan_costs_of(&machine);
    assert_false(costs.measured);
    assert_true(tcplan_costs_are_sound(&costs, &machine));
    assert_true(costs.cache[0].held_bytes == 32 << 10 && costs.cache[1].held_bytes == 1 << 20);
    assert_true(costs.cache[2].held_bytes < 64 << 20); /* the cache is shared with other threads, so
                                                          less is assumed to be held */
}

static void a_machine_without_caches_has_costs(void **state) {
    (void)state;
    const struct tcplan_machine bare = {.line_bytes = 64, .page_bytes = 4096};
    const struct tcplan_costs costs = tcplan_costs_of(&bare);
    assert_true(costs.cache_count == 0 && tcplan_costs_are_sound(&costs, &bare));
}

static void pages_are_those_of_the_machine(void **state) {
    (void)state;
    struct tcplan_machine large = machine;
    large.page_bytes = 16 << 10;
    const struct tcplan_costs usual = tcplan_costs_of(&machine), costs = tcplan_costs_of(&large);
    assert_int_equal(costs.page_bytes, 16 << 10);
    assert_true(tcplan_costs_are_sound(&costs, &large));
    assert_true(fabs(costs.fresh_page_seconds / usual.fresh_page_seconds - 4) < 1e-12);
}

static void stored_costs_apply_to_the_same_number_of_caches(void **state) {
    (void)state;
    struct tcplan_costs own = tcplan_costs_assumed(&machine);
    struct tcplan_machine known = machine;
    own.page_seconds = 1e-9;
    known.costs = &own;
    assert_true(tcplan_costs_of(&known).page_seconds == 1e-9);
    known.cache_count = 2;
    assert_true(tcplan_costs_of(&known).page_seconds != 1e-9);
}

static void impossible_costs_are_not_sound(void **state) {
    (void)state;
    static const double wrong[] = {-1, NAN, INFINITY, 1e30};
    struct tcplan_costs costs;
    double *const number[] = {&costs.cache[1].held_bytes,
                              &costs.cache[2].line_seconds,
                              &costs.written,
                              &costs.streamed,
                              &costs.streamed_row,
                              &costs.sequential,
                              &costs.pages,
                              &costs.page_seconds,
                              &costs.copy[3].run,
                              &costs.copy[0].begin,
                              &costs.fresh_page_seconds};
    for (size_t n = 0; n < sizeof number / sizeof *number; n++) {
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            costs = tcplan_costs_assumed(&machine);
            *number[n] = wrong[w];
            if (tcplan_costs_are_sound(&costs, NULL)) fail_msg("number %zu may be %g", n, wrong[w]);
        }
    }
    costs = tcplan_costs_assumed(&machine);
    costs.cache[0].held_bytes = 2 * costs.cache[1].held_bytes; /* measured capacity above that of
                                                                  the next cache: implausible */
    assert_false(tcplan_costs_are_sound(&costs, NULL));
    costs = tcplan_costs_assumed(&machine);
    costs.cache_count = 2;
    assert_true(tcplan_costs_are_sound(&costs, NULL) && !tcplan_costs_are_sound(&costs, &machine));
    costs.cache_count = TCPLAN_MAX_CACHE_LEVELS + 1;
    assert_false(tcplan_costs_are_sound(&costs, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assumed_costs_are_sound_and_follow_the_caches),
        cmocka_unit_test(a_machine_without_caches_has_costs),
        cmocka_unit_test(pages_are_those_of_the_machine),
        cmocka_unit_test(stored_costs_apply_to_the_same_number_of_caches),
        cmocka_unit_test(impossible_costs_are_not_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
