/*
 * Tests summaries of synthetic runs on a core with two clock speeds, and of a few real runs, whose
 * times are not asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "routines/blocked/predict/measured.h"

#define GOOD 4e-6
#define RATIO 1.4

enum { RUNS = 10 };

static void assert_near(double found, double expected, double within) {
    if (!(fabs(found - expected) <= within))
        fail_msg("found %.10g, expected %.10g within %g", found, expected, within);
}

static void statistics_are_those_of_the_population(void **state) {
    static const double seconds[] = {5, 1, 3, 7};
    double out[TCPLAN_MODEL_STATISTICS];
    (void)state;
    measured_statistics(out, seconds, 4);
    assert_near(out[TCPLAN_MODEL_MINIMUM], 1, 0);
    assert_near(out[TCPLAN_MODEL_MEDIAN], 4, 0);
    assert_near(out[TCPLAN_MODEL_MAXIMUM], 7, 0);
    assert_near(out[TCPLAN_MODEL_MEAN], 4, 0);
    assert_near(out[TCPLAN_MODEL_DEVIATION], sqrt(5), 1e-12);
}

static void the_spread_is_between_every_other_run_and_the_rest(void **state) {
    static const double seconds[] = {1.0, 1.1, 1.0, 1.1, 1.0};
    (void)state;
    assert_near(measured_spread(seconds, 5), 0.1 / 1.05, 1e-12);
    assert_near(measured_spread(seconds, 1), 0, 0);
    assert_near(measured_spread(seconds, 0), 0, 0);
}

/** Returns synthetic runs of 1 ms at the higher clock speed; every third run is at the lower speed.
 */
static struct measured_runs made_runs(void) {
    struct measured_runs runs = {.count = RUNS};
    for (int r = 0; r < RUNS; r++) {
        const double slower = r % 3 == 1 ? RATIO : 1;
        runs.sample[r] = (struct timed_sample){.seconds = 1e-3 * slower,
                                               .before = GOOD * slower,
                                               .after = GOOD * slower,
                                               .apart_seconds = 2e-3,
                                               .at_seconds = 0.01 * r};
    }
    return runs;
}

static void runs_are_scaled_to_the_clock_regime_of_models(void **state) {
    const struct measured_runs runs = made_runs();
    struct tcplan_blocked_measured of = {.count = 0};
    (void)state;
    measured_report(&of, &runs, GOOD, 1, 0);
    assert_int_equal(of.count, RUNS);
    assert_near(of.raw_seconds[TCPLAN_MODEL_MAXIMUM], 1e-3 * RATIO, 1e-12);
    assert_near(of.seconds[TCPLAN_MODEL_MAXIMUM], 1e-3, 1e-9);
    assert_near(of.seconds[TCPLAN_MODEL_MEDIAN], 1e-3, 1e-9);
    measured_report(&of, &runs, GOOD, 1, GOOD * 0.9); /* the models were made at a 10 % shorter
                                                         reference time: a faster core */
    assert_near(of.seconds[TCPLAN_MODEL_MEDIAN], 0.9e-3, 1e-9);
    assert_near(of.raw_seconds[TCPLAN_MODEL_MINIMUM], 1e-3, 1e-12);
}

static void no_runs_have_no_summary(void **state) {
    const struct measured_runs none = {.count = 0};
    struct tcplan_blocked_measured of = {.count = 3};
    (void)state;
    measured_report(&of, &none, GOOD, 1, 0);
    assert_int_equal(of.count, 0);
}

static struct tcplan_blocked *algorithm(const char *name) {
    struct tcplan_blocked *blocked = NULL;
    struct tcplan_error error = {0};
    enum tcplan_dtype dtype = TCPLAN_DOUBLE;
    int operation, number;
    if (tcplan_blocked_find(&operation, &number, &dtype, name, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    if (tcplan_blocked_make(&blocked, operation, number < 0 ? 0 : number, dtype, &error) !=
        TCPLAN_OK)
        fail_msg("%s", error.message);
    return blocked;
}

static void count_progress(void *context, const char *activity, double done, double total) {
    int *calls = context;
    assert_non_null(activity);
    assert_true(done > 0 && done <= total);
    ++*calls;
}

static void all_are_run_the_requested_number_of_times(void **state) {
    static const char *const name[] = {"potrf_L1", "trtri_LN3", "getrf_1", "geqrf", "trsyl_m1n2"};
    enum { COUNT = sizeof name / sizeof *name };
    struct tcplan_blocked_measured of[COUNT] = {{.count = 0}};
    int progress = 0;
    const struct tcplan_blocked_measure_options options = {.threads = 1,
                                                           .repetitions = 6,
                                                           .seed = 3,
                                                           .progress = count_progress,
                                                           .progress_context = &progress};
    struct tcplan_blocked_measuring met;
    struct tcplan_error error = {0};
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        of[i].blocked = algorithm(name[i]);
        of[i].sizes =
            (struct tcplan_blocked_sizes){.size = {37 + 10 * i, 37 + 10 * i}, .block = 8 + i};
    }
    if (tcplan_blocked_measure(&met, of, COUNT, &options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(progress, 6 * COUNT);
    assert_false(met.time_over);
    assert_false(met.same_state);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(of[i].count, 6);
        assert_true(of[i].seconds[TCPLAN_MODEL_MINIMUM] > 0 &&
                    of[i].seconds[TCPLAN_MODEL_MINIMUM] <= of[i].seconds[TCPLAN_MODEL_MEDIAN]);
        assert_true(of[i].raw_seconds[TCPLAN_MODEL_MAXIMUM] >=
                    of[i].raw_seconds[TCPLAN_MODEL_MEAN]);
        tcplan_blocked_free((struct tcplan_blocked *)(uintptr_t)of[i].blocked);
    }
}

static void impossible_runs_are_refused(void **state) {
    struct tcplan_blocked *blocked = algorithm("potrf_L3");
    struct tcplan_blocked_measured of = {.blocked = blocked,
                                         .sizes = {.size = {2000}, .block = 64}};
    struct tcplan_blocked_measure_options options = {.threads = 1, .max_memory_bytes = 1 << 20};
    struct tcplan_blocked_measuring met;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(tcplan_blocked_measure(&met, &of, 1, &options, &error), TCPLAN_INVALID);
    options = (struct tcplan_blocked_measure_options){
        .threads = 1, .repetitions = TCPLAN_BLOCKED_MOST_REPETITIONS + 1};
    assert_int_equal(tcplan_blocked_measure(&met, &of, 1, &options, &error), TCPLAN_INVALID);
    of.sizes.block = 0;
    options.repetitions = 5;
    assert_int_equal(tcplan_blocked_measure(&met, &of, 1, &options, &error), TCPLAN_INVALID);
    of.sizes = (struct tcplan_blocked_sizes){.size = {40}, .block = 8};
    options.time_limit_seconds = 1e-9;
    assert_int_equal(tcplan_blocked_measure(&met, &of, 1, &options, &error), TCPLAN_OK);
    assert_true(met.time_over);
    assert_int_equal(of.count, 0);
    tcplan_blocked_free(blocked);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_population),
        cmocka_unit_test(the_spread_is_between_every_other_run_and_the_rest),
        cmocka_unit_test(runs_are_scaled_to_the_clock_regime_of_models),
        cmocka_unit_test(no_runs_have_no_summary),
        cmocka_unit_test(all_are_run_the_requested_number_of_times),
        cmocka_unit_test(impossible_runs_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
