/*
 * Tests the self-test's output about hardware counters: counted and expected numbers, or why
 * nothing was counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/render/roofs/roofline.h"

static char *text_of(const struct tcplan_selftest *test) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    assert_non_null(file);
    struct writer writer = {.file = file, .points = 1};
    selftest_view.text(&writer, test);
    assert_false(writer.no_memory);
    fclose(file);
    return text;
}

static void assert_has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("'%s' is not in\n%s", part, text);
}

static void without_counters_the_text_names_alternatives(void **state) {
    (void)state;
    const struct tcplan_selftest test = {
        .counts = "perf_event",
        .why_no_work = "the kernel offers no counters of this processor's cores",
        .why_no_traffic = "there is not enough memory controller"};
    char *text = text_of(&test);
    assert_has(text, "No counters: the kernel offers no counters of this processor's cores.\n");
    assert_has(text, "No counters of traffic: there is not enough memory controller.\n");
    assert_has(text, "ork and traffic are therefore analytic");
    assert_has(text, "--counters simulated");
    assert_null(strstr(text, "counted/expected"));
    free(text);
}

static struct tcplan_selftest with_counts(const char *source) {
    struct tcplan_selftest test = {
        .counted_count = 2,
        .counted = {{.kernel = TCPLAN_POINT_DGEMV, .cold = true, .n = 1200, .repeats = 20},
                    {.kernel = TCPLAN_POINT_DGEMV, .cold = false, .n = 360, .repeats = 20}}};
    snprintf(test.counts, sizeof test.counts, "%s", source);
    test.counted[0].count[TCPLAN_COUNT_READ] =
        (struct tcplan_count_check){.known = true,
                                    .counted = 2048,
                                    .q1 = 2048,
                                    .q3 = 2048,
                                    .expected = 1024,
                                    .ratio = 2,
                                    .lowest = 0.95,
                                    .highest = 1.4,
                                    .verdict = TCPLAN_VERDICT_FAILS};
    test.counted[1].count[TCPLAN_COUNT_MOVED] =
        (struct tcplan_count_check){.known = true, .counted = 512, .q1 = 0, .q3 = 1024};
    return test;
}

static void counts_are_printed_with_expected_values(void **state) {
    (void)state;
    struct tcplan_selftest test = with_counts("perf_event");
    snprintf(test.why_no_work, sizeof test.why_no_work,
             "which events count operations is not known");
    char *text = text_of(&test);
    assert_has(text, "counted/expected");
    assert_has(
        text,
        "dgemv  cold    1200  read        2 KiB  2 KiB - 2 KiB     1 KiB             2.000  0.95 - 1.40  NO");
    assert_has(
        text,
        "dgemv  warm     360  moved       512 B    0 B - 1 KiB       0 B                 -            -  -"); /* expected 0 B: there is no ratio */
    assert_has(text, "Work is not counted: which events count operations is not known.\n");
    assert_has(text, "Memory controllers count for the whole machine.");
    free(text);
}

static void simulated_counts_are_labelled(void **state) {
    (void)state;
    const struct tcplan_selftest test = with_counts("simulated");
    char *text = text_of(&test);
    assert_has(text, "simulated/expected");
    assert_has(text, "Simulated, not measured:");
    assert_null(strstr(text, "counted/expected"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_counters_the_text_names_alternatives),
        cmocka_unit_test(counts_are_printed_with_expected_values),
        cmocka_unit_test(simulated_counts_are_labelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
