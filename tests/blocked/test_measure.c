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

/** Six algorithms are predicted to take 1 ms, the others 2 ms; the models of the last one are
 * wrong by up to 60 %. */
static void algorithms_that_predictions_cannot_separate_are_run(void **state) {
    enum { COUNT = 8, FAST = 6, LAST = COUNT - 1 };
    static const int64_t block[] = {16};
    const struct tcplan_blocked_sizes point[] = {{.size = {56}}};
    struct tcplan_blocked *of[COUNT];
    struct tcplan_blocked_prediction prediction[COUNT];
    struct tcplan_blocked_rank rank[COUNT];
    struct tcplan_blocked_measure_options options = {.threads = 1, .seed = 5};
    struct tcplan_error error = {0};
    (void)state;
    for (int a = 0; a < COUNT; a++) {
        const char name[] = {'t', 'r', 't', 'r', 'i', '_', 'L', 'N', (char)('1' + a), 0};
        of[a] = algorithm(name);
        prediction[a] = (struct tcplan_blocked_prediction){.error = a == LAST ? 0.6 : 0};
        prediction[a].seconds[TCPLAN_MODEL_MEDIAN] = a < FAST ? 1e-3 : 2e-3;
    }
    const struct tcplan_blocked_map map = {.algorithms = COUNT,
                                           .blocked = (const struct tcplan_blocked *const *)of,
                                           .points = 1,
                                           .point = point,
                                           .blocks = 1,
                                           .block = block,
                                           .prediction = prediction};
    for (int limited = 1; limited >= 0; limited--) {
        tcplan_blocked_rank(rank, &map, 0, 0.015);
        options.time_limit_seconds = limited ? 1e-9 : 0;
        if (tcplan_blocked_confirm(rank, &map, 0, 0.015, &options, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        for (int r = 0; r < COUNT; r++) {
            const int place = rank[r].same;
            assert_in_range(place, 0, r);
            assert_true(rank[place].measured_seconds == rank[r].measured_seconds);
            assert_int_equal(rank[r].measured_seconds > 0, !limited && rank[r].algorithm != FAST);
            if (limited) assert_int_equal(rank[r].algorithm, r);
        }
        assert_true(rank[0].tied);
    }
    assert_int_equal(rank[LAST].algorithm, FAST);
    assert_true(rank[0].measured_seconds <= rank[1].measured_seconds);
    for (int a = 0; a < COUNT; a++) tcplan_blocked_free(of[a]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_are_those_of_the_population),
        cmocka_unit_test(the_spread_is_between_every_other_run_and_the_rest),
        cmocka_unit_test(runs_are_scaled_to_the_clock_regime_of_models),
        cmocka_unit_test(no_runs_have_no_summary),
        cmocka_unit_test(all_are_run_the_requested_number_of_times),
        cmocka_unit_test(impossible_runs_are_refused),
        cmocka_unit_test(algorithms_that_predictions_cannot_separate_are_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
