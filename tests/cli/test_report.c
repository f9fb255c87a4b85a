#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/render/report.h"

/** An entry without loops: one call of a kernel. */
static struct tcplan_entry one_call(enum tcplan_kernel kernel, enum tcplan_entry_status status, double seconds) {
    struct tcplan_entry entry = {.algorithm = tcplan_algorithm_empty(), .status = status};
    entry.algorithm.kernel = kernel;
    entry.algorithm.provider = TCPLAN_PROVIDER_BLAS;
    entry.predicted = status == TCPLAN_ENTRY_PREDICTED;
    entry.prediction.seconds = entry.predicted ? seconds : 0;
    entry.lower_bound_seconds = seconds;
    return entry;
}

static struct report_baseline baseline_of(struct tcplan_entry entry[], size_t count) {
    const struct tcplan_ranking ranking = {.entry = entry, .entry_count = count};
    const struct report report = {.ranking = &ranking};
    return report_baseline(&report);
}

static void the_fastest_single_gemm_is_the_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {one_call(TCPLAN_GER, TCPLAN_ENTRY_PREDICTED, 2), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 8),
                                   one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 6), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 5)};
    entry[2].algorithm.copy[TCPLAN_A].depth = 0;
    entry[3].algorithm.provider = TCPLAN_PROVIDER_LIBXSMM;
    const struct report_baseline found = baseline_of(entry, 4);
    assert_ptr_equal(found.entry, &entry[2]);
    assert_true(found.speedup > 2.99 && found.speedup < 3.01);
    assert_true(found.copies);
    assert_false(found.at_least);
}

static void loops_are_no_single_call(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {one_call(TCPLAN_GER, TCPLAN_ENTRY_PREDICTED, 2), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 8)};
    entry[1].algorithm.loop_count = 1;
    assert_null(baseline_of(entry, 2).entry);
}

static void what_was_excluded_is_slower_by_at_least_its_bound(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {one_call(TCPLAN_GER, TCPLAN_ENTRY_PREDICTED, 2), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PRUNED, 8)};
    const struct report_baseline found = baseline_of(entry, 2);
    assert_ptr_equal(found.entry, &entry[1]);
    assert_true(found.at_least);
    assert_false(found.copies);
}

static void nothing_is_said_where_the_winner_is_the_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 2), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_PREDICTED, 3)};
    assert_null(baseline_of(entry, 2).entry);
}

static void what_has_no_time_is_no_baseline(void **state) {
    (void)state;
    struct tcplan_entry entry[] = {one_call(TCPLAN_GER, TCPLAN_ENTRY_PREDICTED, 2), one_call(TCPLAN_GEMM, TCPLAN_ENTRY_OPEN, 1),
                                   one_call(TCPLAN_GEMM, TCPLAN_ENTRY_NOT_APPLICABLE, 0)};
    assert_null(baseline_of(entry, 3).entry);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_single_gemm_is_the_baseline), cmocka_unit_test(loops_are_no_single_call),
        cmocka_unit_test(what_was_excluded_is_slower_by_at_least_its_bound),
        cmocka_unit_test(nothing_is_said_where_the_winner_is_the_baseline), cmocka_unit_test(what_has_no_time_is_no_baseline)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
