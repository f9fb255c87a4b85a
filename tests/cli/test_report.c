#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/render/algorithms/report.h"

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

/** The first beside the baseline, with what was compared and measured of the two. */
static bool is_said_to_be_compared(bool first, bool baseline, bool measured) {
    struct tcplan_entry entry[] = {predicted(2, false), predicted(6, true)};
    entry[0].compared = first;
    entry[1].compared = baseline;
    for (int e = 0; e < 2 && measured; e++) entry[e].status = TCPLAN_ENTRY_MEASURED;
    for (int e = 0; e < 2; e++) entry[e].measured.seconds = entry[e].prediction.seconds;
    return baseline_of(entry, 2).compared;
}

static void a_baseline_that_the_first_did_not_meet_was_not_compared(void **state) {
    (void)state;
    assert_true(is_said_to_be_compared(true, true, false));
    assert_false(is_said_to_be_compared(true, false, false));
    assert_false(is_said_to_be_compared(false, true, false));
    assert_true(is_said_to_be_compared(false, false, true));
}

static const char *said_of(char out[REPORT_FASTER_CHARS], struct tcplan_entry entry[], size_t count, bool compared, bool late) {
    const struct tcplan_ranking ranking = {.entry = entry, .entry_count = count, .compared = compared, .out_of_time = late};
    return report_faster_text(out, &ranking);
}

static void why_the_first_stands_above_what_looks_faster_is_said(void **state) {
    (void)state;
    char out[REPORT_FASTER_CHARS];
    struct tcplan_entry entry[] = {predicted(0.119, false), predicted(0.125, false), predicted(0.09, false), predicted(0.1, true)};
    assert_string_equal(said_of(out, entry, 4, true, false), ""); /* these are excluded, or tied */
    entry[1].missed = entry[2].missed = true;
    assert_string_equal(
        said_of(out, entry, 4, true, false),
        "It stands above 1 that looks faster (from 90.00 ms), as this was not compared with it: a greater --effort compares more");
    entry[3].missed = true;
    assert_string_equal(said_of(out, entry, 4, true, true),
                        "It stands above 2 that look faster (from 90.00 ms), as these were not compared with it: the time limit was over");
    assert_string_equal(said_of(out, entry, 4, false, true), ""); /* nor was the first */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_is_held_against_the_baseline),
                                       cmocka_unit_test(nothing_is_said_where_the_winner_is_the_baseline),
                                       cmocka_unit_test(nothing_is_said_where_the_baseline_was_not_looked_at),
                                       cmocka_unit_test(a_baseline_that_the_first_did_not_meet_was_not_compared),
                                       cmocka_unit_test(why_the_first_stands_above_what_looks_faster_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
