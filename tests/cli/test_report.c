#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/render/report.h"

static struct tcplan_entry predicted(double seconds, bool is_baseline) {
    struct tcplan_entry entry = {.algorithm = tcplan_algorithm_empty(), .status = TCPLAN_ENTRY_PREDICTED};
    entry.predicted = true;
    entry.prediction.seconds = seconds;
    entry.is_baseline = is_baseline;
    return entry;
}

static struct report_baseline baseline_of(struct tcplan_entry entry[], size_t count) {
    const struct tcplan_ranking ranking = {.entry = entry, .entry_count = count};
    const struct report report = {.ranking = &ranking};
    return report_baseline(&report);
}

static void the_first_is_held_against_the_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(2, false), predicted(3, false), predicted(6, true)};
    entry[2].algorithm.copy[TCPLAN_A].depth = 0;
    const struct report_baseline found = baseline_of(entry, 3);
    assert_ptr_equal(found.entry, &entry[2]);
    assert_true(found.speedup > 2.99 && found.speedup < 3.01);
    assert_true(found.copies);
}

static void nothing_is_said_where_the_winner_is_the_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(2, true), predicted(3, false)};
    assert_null(baseline_of(entry, 2).entry);
}

static void nothing_is_said_where_the_baseline_was_not_looked_at(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(2, false), predicted(3, true)};
    entry[1].predicted = false;
    entry[1].status = TCPLAN_ENTRY_OPEN;
    assert_null(baseline_of(entry, 2).entry);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_is_held_against_the_baseline),
                                       cmocka_unit_test(nothing_is_said_where_the_winner_is_the_baseline),
                                       cmocka_unit_test(nothing_is_said_where_the_baseline_was_not_looked_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
