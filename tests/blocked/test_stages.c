/*
 * Tests the estimates of the cache model's stages, and their errors, with synthetic sequences of
 * calls.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "routines/blocked/cache/stages.h"

enum { LINE = 64, CALLS = 40 };

/** Makes a call that reads columns of one matrix and updates columns of another one. */
static struct call_accesses update(int64_t read_column, int64_t read_columns, int64_t column,
                                   int64_t columns) {
    struct call_accesses out = {.count = 2};
    out.operand[0] = (struct call_operand){.matrix = 0,
                                           .element_bytes = 8,
                                           .rows = 80,
                                           .column = read_column,
                                           .columns = read_columns};
    out.operand[1] = (struct call_operand){.matrix = 1,
                                           .written = true,
                                           .element_bytes = 8,
                                           .rows = 80,
                                           .column = column,
                                           .columns = columns};
    return out;
}

static struct stages_rules rules_of(double cache_bytes) {
    return (struct stages_rules){.cache_bytes = cache_bytes,
                                 .line_bytes = LINE,
                                 .whole_bytes = 1e9,
                                 .step_calls = 4,
                                 .split_share = CALL_HISTORY_SPLIT_SHARE,
                                 .smoothing = {4, 2}};
}

static void estimate(struct tcplan_blocked_cache_call out[CALLS], double cache_bytes) {
    static struct call_accesses accesses[CALLS];
    struct stages_call call[CALLS];
    const struct stages_rules rules = rules_of(cache_bytes);
    for (int c = 0; c < CALLS; c++) {
        accesses[c] = update(0, 40, c / 2, 1);
        call[c] = (struct stages_call){.accesses = &accesses[c],
                                       .repeated = 1.5,
                                       .in_cache = 1,
                                       .out_of_cache = 3,
                                       .aware = 2};
    }
    memset(out, 0, CALLS * sizeof *out);
    assert_true(stages_estimate(out, call, CALLS, &rules));
}

static void a_cache_larger_than_all_data_holds_all_touched_lines(void **state) {
    struct tcplan_blocked_cache_call out[CALLS];
    (void)state;
    estimate(out, 1e8);
    assert_true(out[0].estimate[TCPLAN_CACHE_INITIAL] == 3); /* 3: the time out of cache, as no call
                                                                precedes the first one */
    for (int c = 0; c < CALLS; c++) {
        assert_true(out[c].estimate[TCPLAN_CACHE_REPEATED] == 1.5);
        assert_true(out[c].estimate[TCPLAN_CACHE_IN] == 1);
        assert_true(out[c].estimate[TCPLAN_CACHE_OUT] == 3);
        assert_true(out[c].estimate[TCPLAN_CACHE_AWARE] == 2);
        if (c % 2 == 0) continue; /* calls with odd numbers use the column of the preceding call */
        assert_true(out[c].estimate[TCPLAN_CACHE_INITIAL] == 1);
        assert_true(out[c].estimate[TCPLAN_CACHE_SPLITTING] == 1);
        assert_true(fabs(out[c].estimate[TCPLAN_CACHE_SMOOTHED] - 1) < 1e-3);
        assert_true(out[c].share > 0.999);
    }
}

static void a_small_cache_has_small_results_only(void **state) {
    struct tcplan_blocked_cache_call out[CALLS];
    const double read = 40 * 640, written = 640; /* bytes */
    (void)state;
    estimate(out, 10 * 640);
    for (int c = 1; c < CALLS; c += 2) {
        assert_true(out[c].estimate[TCPLAN_CACHE_INITIAL] == 3);
        const double split = (written * 1 + read * 3) / (written + read);
        assert_true(fabs(out[c].estimate[TCPLAN_CACHE_SPLITTING] - split) < 1e-12);
        assert_true(out[c].estimate[TCPLAN_CACHE_SMOOTHED] > 1 &&
                    out[c].estimate[TCPLAN_CACHE_SMOOTHED] < 3);
    }
}

static void exact_distances_are_no_longer_than_added_ones(void **state) {
    struct tcplan_blocked_cache_call out[CALLS];
    (void)state;
    for (int columns = 1; columns < 100; columns += 1 + columns / 4) {
        estimate(out, 640.0 * columns);
        for (int c = 0; c < CALLS; c++)
            assert_true(out[c].estimate[TCPLAN_CACHE_DISTINCT] <=
                        out[c].estimate[TCPLAN_CACHE_SMOOTHED] + 1e-12);
    }
}

static void errors_are_means_over_the_calls_that_count(void **state) {
    struct tcplan_blocked_cache_call call[3] = {{.kernel = 0, .counts = true, .seconds = 1},
                                                {.kernel = 0, .counts = true, .seconds = 2},
                                                {.kernel = 1, .seconds = 4}};
    struct tcplan_blocked_cache_kernel kernel[2] = {{.name = "dgemm_NN", .counts = true},
                                                    {.name = "dcopy"}};
    struct tcplan_blocked_cache study = {
        .count = 3, .call = call, .kernel_count = 2, .kernel = kernel};
    (void)state;
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) {
        call[0].estimate[s] = 1.5; /* error + 50 % */
        call[1].estimate[s] = 1;   /* error - 50 % */
        call[2].estimate[s] = 8;   /* error + 100 %: large errors count only in the total */
    }
    stages_sum(&study);
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++) {
        assert_true(fabs(study.error[s] - 0.5) < 1e-12);
        assert_true(fabs(study.over[s] - 0.5) < 1e-12);
        assert_true(fabs(study.under[s] + 0.5) < 1e-12);
        assert_true(fabs(study.total[s] - 0.5) < 1e-12);
        assert_true(fabs(kernel[1].error[s] - 1) < 1e-12);
    }
    assert_true(study.seconds == 7);
    assert_true(kernel[0].calls == 2 && kernel[0].seconds == 3 && kernel[1].calls == 1);
}

static void the_spread_compares_even_and_odd_runs(void **state) {
    /* Four runs of two calls each; only the first call counts. */
    const double time[] = {10, 1, 12, 9, 10, 1, 12, 9};
    const struct tcplan_blocked_cache_call call[] = {{.counts = true}, {.counts = false}};
    double scratch[4];
    (void)state;
    assert_true(fabs(stages_spread(call, time, 2, 4, scratch) - 2.0 / 11) < 1e-12);
    assert_true(stages_spread(call, time, 2, 1, scratch) == 0);
}

static void medians_are_in_the_middle(void **state) {
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};
    (void)state;
    assert_true(stages_median(odd, 3) == 2);
    assert_true(stages_median(even, 4) == 2.5);
    assert_true(stages_median(odd, 0) == 0);
}

static void out_of_memory_is_reported(void **state) {
    const struct call_accesses accesses = update(0, 40, 3, 1);
    const struct stages_call call = {.accesses = &accesses, .in_cache = 1, .out_of_cache = 2};
    const struct stages_rules rules = rules_of(1e6);
    struct tcplan_blocked_cache_call out = {0};
    (void)state;
    for (long n = 0; n < 5; n++) {
        base_alloc_fail_after(n);
        assert_false(stages_estimate(&out, &call, 1, &rules));
        base_alloc_fail_after(-1);
    }
    assert_true(stages_estimate(&out, &call, 1, &rules));
}

static void stages_have_names(void **state) {
    (void)state;
    for (int s = 0; s < TCPLAN_CACHE_STAGES; s++)
        assert_non_null(tcplan_cache_stage_name((enum tcplan_cache_stage)s));
    assert_string_equal(tcplan_cache_stage_name(TCPLAN_CACHE_SMOOTHED), "smoothed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_larger_than_all_data_holds_all_touched_lines),
        cmocka_unit_test(a_small_cache_has_small_results_only),
        cmocka_unit_test(exact_distances_are_no_longer_than_added_ones),
        cmocka_unit_test(errors_are_means_over_the_calls_that_count),
        cmocka_unit_test(the_spread_compares_even_and_odd_runs),
        cmocka_unit_test(medians_are_in_the_middle),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(stages_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
