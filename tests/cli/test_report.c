#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/render/algorithms/report.h"

static struct tcplan_entry predicted(double seconds, bool is_baseline) {
    struct tcplan_entry entry = {.algorithm = tcplan_algorithm_empty(),
                                 .status = TCPLAN_ENTRY_PREDICTED};
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

static void the_answer_is_compared_with_the_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(1.99, false), predicted(2, false), predicted(6, true)};
    for (int e = 0; e < 3; e++) entry[e].compared = true;
    entry[1].picked = true;
    entry[2].algorithm.copy[TCPLAN_A].depth = 0;
    const struct report_baseline found = baseline_of(entry, 3);
    assert_ptr_equal(found.entry, &entry[2]);
    assert_true(found.speedup > 2.99 && found.speedup < 3.01);
    assert_true(found.copies);
}

static void a_baseline_that_is_the_answer_is_not_reported(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(2, true), predicted(3, false)};
    assert_null(baseline_of(entry, 2).entry);
}

static void a_baseline_that_was_not_evaluated_is_not_reported(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {predicted(2, false), predicted(3, true)};
    entry[1].predicted = false;
    entry[1].status = TCPLAN_ENTRY_OPEN;
    assert_null(baseline_of(entry, 2).entry);
}

/** Returns whether the text has a speedup. The arguments: whether the answer and the baseline were
 * compared, and whether they were measured. */
static bool has_speedup(bool first, bool baseline, bool measured) {
    struct tcplan_entry entry[] = {predicted(2, false), predicted(6, true)};
    entry[0].compared = first;
    entry[1].compared = baseline;
    for (int e = 0; e < 2 && measured; e++) entry[e].status = TCPLAN_ENTRY_MEASURED;
    for (int e = 0; e < 2; e++) entry[e].measured.seconds = entry[e].prediction.seconds;
    return baseline_of(entry, 2).speedup > 0;
}

static void a_speedup_needs_times_of_the_same_rounds(void **state) {
    (void)state;
    assert_true(has_speedup(true, true, false));
    assert_false(has_speedup(true, false, false));
    assert_false(has_speedup(false, true, false));
    assert_true(has_speedup(false, false, true));
}

static const char *said_of(char out[REPORT_FASTER_CHARS], struct tcplan_entry entry[], size_t count,
                           bool compared, bool late) {
    const struct tcplan_ranking ranking = {
        .entry = entry, .entry_count = count, .compared = compared, .out_of_time = late};
    return report_faster_text(out, &ranking);
}

static void rows_with_faster_uncompared_times_are_counted(void **state) {
    (void)state;
    char out[REPORT_FASTER_CHARS];
    struct tcplan_entry entry[] = {predicted(0.09, false), predicted(0.1, true),
                                   predicted(0.119, false), predicted(0.125, false)};
    entry[2].picked = true;
    assert_string_equal(said_of(out, entry, 4, true, false),
                        ""); /* the answer and the baseline are tied */
    entry[0].missed = entry[3].missed = true;
    assert_string_equal(
        said_of(out, entry, 4, true, false),
        "1 other looks faster (90.00 ms) but was not compared with it; a higher --effort compares more");
    entry[1].missed = true;
    assert_string_equal(
        said_of(out, entry, 4, true, true),
        "2 others look faster (from 90.00 ms) but were not compared with it; time limit reached");
    assert_string_equal(said_of(out, entry, 4, false, true),
                        ""); /* the answer and the baseline were not compared with each other */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_compared_with_the_baseline),
        cmocka_unit_test(a_baseline_that_is_the_answer_is_not_reported),
        cmocka_unit_test(a_baseline_that_was_not_evaluated_is_not_reported),
        cmocka_unit_test(a_speedup_needs_times_of_the_same_rounds),
        cmocka_unit_test(rows_with_faster_uncompared_times_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
