#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/counters/recorded.h"
#include "roofline/validation/counted.h"

enum { BYTES = 1 << 20 };

struct scene {
    struct team *team;
    struct workspace workspace;
    struct tcplan_machine machine;
};

static void open_scene(struct scene *scene) {
    struct tcplan_error error;
    *scene = (struct scene){0};
    if (tcplan_machine_load(&scene->machine, "l2:1(size=256KiB) l1:1(size=16KiB) core:1 pu:1",
                            &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    scene->machine.cache[1].ways = 8;
    if (team_new(&scene->team, 1, NULL, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    if (workspace_new(&scene->workspace, scene->team, 1, BYTES, false, (struct deadline){0},
                      &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

static void close_scene(struct scene *scene) {
    workspace_free(&scene->workspace);
    team_free(scene->team);
}

/** Returns a setting with two repeats, each with as few runs as permitted: one for each replica. */
static struct validation_setting short_setting(const struct scene *scene,
                                               struct counter_source *counts, bool simulated) {
    struct validation_setting setting =
        counted_setting(&scene->machine, &scene->workspace, scene->team, counts, simulated);
    setting.repeats = 2;
    setting.least_seconds = 0;
    return setting;
}

static struct protocol_quantity known(double median) {
    return (struct protocol_quantity){
        .known = true, .median = median, .q1 = 0.99 * median, .q3 = 1.01 * median};
}

/** Returns a result for a daxpy of 1000 elements whose counts are `work`, `read` and `written`
 * times the expected ones. */
static struct validation_result result_of(double work, double read, double written) {
    struct validation_result out = {.bounds = validation_bounds(TCPLAN_POINT_DAXPY, 1000)};
    out.time.repeats = 20;
    out.time.work = known(work * 2000);
    out.time.read = known(read * 16000);
    out.time.written = known(written * 8000);
    out.time.moved = known(read * 16000 + written * 8000);
    out.bytes = out.time;
    return out;
}

static void counts_are_compared_with_expected_values(void **state) {
    (void)state;
    const struct validation_result result = result_of(1.01, 1.2, 1.5);
    const struct tcplan_counted counted = counted_judge(TCPLAN_POINT_DAXPY, 1000, true, &result);
    static const double ratios[TCPLAN_COUNTS] = {1.01, 1.2, 1.5, 1.3};
    for (int c = 0; c < TCPLAN_COUNTS; c++) {
        assert_true(counted.count[c].known);
        assert_float_equal(counted.count[c].ratio, ratios[c], 1e-6);
        assert_int_equal(counted.count[c].verdict, TCPLAN_VERDICT_HOLDS);
    }
    assert_true(counted.count[TCPLAN_COUNT_WORK].expected == 2000 &&
                counted.count[TCPLAN_COUNT_MOVED].expected == 24000);
    assert_true(counted.count[TCPLAN_COUNT_READ].q1 < counted.count[TCPLAN_COUNT_READ].counted);
}

static void a_large_deviation_fails_unless_half_was_disturbed(void **state) {
    (void)state;
    struct validation_result result = result_of(1.5, 0.5, 2.5);
    struct tcplan_counted counted = counted_judge(TCPLAN_POINT_DAXPY, 1000, true, &result);
    assert_int_equal(counted.count[TCPLAN_COUNT_WORK].verdict, TCPLAN_VERDICT_FAILS);
    assert_int_equal(counted.count[TCPLAN_COUNT_READ].verdict, TCPLAN_VERDICT_FAILS);
    assert_int_equal(counted.count[TCPLAN_COUNT_WRITTEN].verdict, TCPLAN_VERDICT_FAILS);
    assert_int_equal(counted.count[TCPLAN_COUNT_MOVED].verdict,
                     TCPLAN_VERDICT_HOLDS); /* the sum of both directions is 1.17 times the expected
                                               one */
    result.bytes.disturbed = 10;
    counted = counted_judge(TCPLAN_POINT_DAXPY, 1000, true, &result);
    assert_int_equal(counted.count[TCPLAN_COUNT_READ].verdict, TCPLAN_VERDICT_NOT_TESTED);
    result.simulated = true; /* simulated counts exclude other load */
    counted = counted_judge(TCPLAN_POINT_DAXPY, 1000, true, &result);
    assert_int_equal(counted.count[TCPLAN_COUNT_READ].verdict, TCPLAN_VERDICT_FAILS);
}

static void dgemv_may_write_more(void **state) {
    (void)state;
    struct validation_result result = {.bounds = validation_bounds(TCPLAN_POINT_DGEMV, 100)};
    result.bytes.written = known(2.9 * 800);
    const struct tcplan_counted counted = counted_judge(TCPLAN_POINT_DGEMV, 100, true, &result);
    assert_true(counted.count[TCPLAN_COUNT_WRITTEN].known &&
                counted.count[TCPLAN_COUNT_WRITTEN].verdict == TCPLAN_VERDICT_HOLDS);
    assert_false(counted.count[TCPLAN_COUNT_READ].known); /* no reads were recorded */
}

static void the_traffic_of_warm_runs_is_not_judged(void **state) {
    (void)state;
    const struct validation_result result = result_of(1, 0.3, 0.1);
    const struct tcplan_counted counted = counted_judge(TCPLAN_POINT_DAXPY, 1000, false, &result);
    assert_int_equal(counted.count[TCPLAN_COUNT_WORK].verdict, TCPLAN_VERDICT_HOLDS);
    assert_true(counted.count[TCPLAN_COUNT_WORK].ratio == 1);
    for (int c = TCPLAN_COUNT_READ; c < TCPLAN_COUNTS; c++) {
        assert_true(counted.count[c].known && counted.count[c].expected == 0 &&
                    counted.count[c].ratio == 0);
        assert_int_equal(counted.count[c].verdict, TCPLAN_VERDICT_HOLDS);
    }
}

/*
 * A daxpy of 1000 elements: a count stands for four operations, a line has 64 bytes. One run has
 * 500 counts of operations, 250 lines read and 125 written. Each replica is used once.
 */
static void recorded_counts_are_compared_with_those_of_the_kernel(void **state) {
    (void)state;
    struct scene scene;
    struct counter_source *counts = NULL;
    struct tcplan_counted counted;
    struct tcplan_error error;
    char text[512];
    open_scene(&scene);
    struct validation_setting setting = short_setting(&scene, NULL, false);
    assert_int_equal(counted_run(&counted, TCPLAN_POINT_DAXPY, 1000, true, &setting, &error),
                     TCPLAN_OK);
    assert_false(counted.count[TCPLAN_COUNT_WORK].known ||
                 counted.count[TCPLAN_COUNT_MOVED].known); /* nothing is counted */
    const long runs = (long)counted.runs;
    assert_true(runs > 1 && counted.replicas_bytes > 2 * 256 * 1024 && !counted.reduced);
    snprintf(
        text, sizeof text,
        "counts 1\nevent flops 4 256 packed\nevent read 64 0 reads\nevent written 64 0 writes\n"
        "growth 0 0 0\ngrowth 7 9 5\ngrowth 0 0 0\ngrowth %ld %ld %ld\n", /* counts of the empty
                                                                             loop, then of the loop
                                                                             with the kernel */
        500 * runs + 7, 275 * runs + 9, 250 * runs + 5);
    if (recorded_parse(&counts, text, strlen(text),
                       &(struct counter_target){.quantities = COUNTER_ALL}, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    setting.counts = counts;
    if (counted_run(&counted, TCPLAN_POINT_DAXPY, 1000, true, &setting, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_float_equal(counted.count[TCPLAN_COUNT_WORK].ratio, 1, 1e-6);
    assert_float_equal(counted.count[TCPLAN_COUNT_READ].ratio, 1.1, 1e-6);
    assert_float_equal(counted.count[TCPLAN_COUNT_WRITTEN].ratio, 2, 1e-6);
    assert_float_equal(counted.count[TCPLAN_COUNT_MOVED].ratio, 1.4, 1e-6);
    counter_close(counts);
    close_scene(&scene);
}

static void simulated_traffic_has_the_expected_size(void **state) {
    static const enum tcplan_point_kernel kernels[] = {TCPLAN_POINT_DAXPY, TCPLAN_POINT_DGEMV,
                                                       TCPLAN_POINT_DGEMM};
    (void)state;
    struct scene scene;
    struct tcplan_error error;
    open_scene(&scene);
    const struct validation_setting setting = short_setting(&scene, NULL, true);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int cold = 0; cold <= 1; cold++) {
            struct tcplan_counted counted;
            const int64_t n = kernels[k] == TCPLAN_POINT_DAXPY
                                  ? 2048
                                  : 64; /* whole cache lines, at most half of the L2 cache */
            if (counted_run(&counted, kernels[k], n, cold == 1, &setting, &error) != TCPLAN_OK)
                fail_msg("%s", error.message);
            assert_true(counted.count[TCPLAN_COUNT_MOVED].known &&
                        !counted.count[TCPLAN_COUNT_WORK].known);
            if (cold) {
                assert_true(counted.count[TCPLAN_COUNT_READ].ratio >= 1 &&
                            counted.count[TCPLAN_COUNT_READ].ratio < 1.1);
            } else {
                assert_true(counted.count[TCPLAN_COUNT_MOVED].counted == 0);
            }
        }
    }
    close_scene(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_compared_with_expected_values),
        cmocka_unit_test(a_large_deviation_fails_unless_half_was_disturbed),
        cmocka_unit_test(dgemv_may_write_more),
        cmocka_unit_test(the_traffic_of_warm_runs_is_not_judged),
        cmocka_unit_test(recorded_counts_are_compared_with_those_of_the_kernel),
        cmocka_unit_test(simulated_traffic_has_the_expected_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
