#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/error.h"
#include "roofline/tuning/autotune.h"
#include "support/rng.h"

enum { MAX_CONFIGURATIONS = 16 };

/** A simulated machine: the rates of configurations, and a clock that advances during calls only.
 */
struct script {
    double value[MAX_CONFIGURATIONS];
    double slow_value[MAX_CONFIGURATIONS]; /* rate in the first `slow` iterations of an invocation
                                            */
    int slow;
    double noise; /* relative noise of the rate: added and subtracted alternately */
    int disturbed_every;
    uint64_t iteration_ns[MAX_CONFIGURATIONS];
    uint64_t begin_ns;
    enum tcplan_status begin_status[MAX_CONFIGURATIONS];
    int loses[MAX_CONFIGURATIONS]; /* number of failing invocations, from the first on */
    int ramp;                      /* number of iterations in which the rate rises to `value` */
    uint64_t hang_ns;              /* duration of each failing invocation */

    int64_t at;
    int asked[MAX_CONFIGURATIONS];
    uint64_t now;
    int begun;
    int ended;
    int iteration; /* number of the current iteration in this invocation */
    int total_iterations;
    int64_t tried[1000]; /* number of the configuration of each invocation */
};

static enum tcplan_status begin(void *context, struct tcplan_error *error) {
    struct script *script = context;
    script->now += script->begin_ns;
    script->iteration = 0;
    if (script->begin_status[script->at] != TCPLAN_OK) {
        return error_set(error, script->begin_status[script->at], "configuration %d",
                         (int)script->at);
    }
    script->tried[script->begun++] = script->at;
    return TCPLAN_OK;
}

static struct autotune_sample iterate(void *context) {
    struct script *script = context;
    script->now += script->iteration_ns[script->at];
    script->total_iterations++;
    const int i = script->iteration++;
    const double rise = i < script->ramp ? (1.0 + i) / script->ramp : 1;
    const double value =
        rise * (i < script->slow ? script->slow_value[script->at] : script->value[script->at]);
    return (struct autotune_sample){.value = value * (1 + (i % 2 ? script->noise : -script->noise)),
                                    .disturbed = script->disturbed_every > 0 &&
                                                 i % script->disturbed_every == 0};
}

static void end(void *context) {
    ((struct script *)context)->ended++;
}

static uint64_t now_ns(void *context) {
    return ((struct script *)context)->now;
}

static enum tcplan_status invoke(void *context, int64_t configuration,
                                 const struct stop_rules *rules, double best,
                                 struct autotune_invocation *out, struct tcplan_error *error) {
    struct script *script = context;
    const struct autotune_benchmark benchmark = {
        .context = context, .begin = begin, .iterate = iterate, .end = end, .now_ns = now_ns};
    script->at = configuration;
    out->lost = script->asked[configuration]++ < script->loses[configuration];
    if (!out->lost) return autotune_invoke(out, &benchmark, rules, best, error);
    script->now += script->hang_ns;
    return TCPLAN_OK;
}

static struct autotune_space space_of(struct script *script, int64_t count) {
    return (struct autotune_space){
        .count = count, .context = script, .invoke = invoke, .now_ns = now_ns};
}

/** Returns options with a fixed number of iterations and invocations, and no stop rules. */
static struct autotune_options fixed(int64_t iterations, int64_t invocations) {
    struct stop_rules rules = {.level = 0.99, .aim = STOP_HIGHEST};
    struct autotune_options options = {.iteration = rules, .invocation = rules};
    options.iteration.most_samples = iterations;
    options.invocation.most_samples = invocations;
    return options;
}

static struct autotune_result search(struct script *script, int64_t count,
                                     const struct autotune_options *options) {
    const struct autotune_space space = space_of(script, count);
    struct autotune_result result;
    struct tcplan_error error;
    assert_int_equal(autotune_search(&result, &space, options, &error), TCPLAN_OK);
    assert_int_equal(script->begun, script->ended);
    return result;
}

static void a_fixed_search_runs_everything_and_finds_the_best(void **state) {
    (void)state;
    struct script script = {.value = {10, 30, 20}};
    const struct autotune_options options = fixed(7, 3);
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 1);
    assert_true(result.value == 30);
    assert_int_equal(script.begun, 9);
    assert_int_equal(script.total_iterations, 63);
    for (int c = 0; c < 3; c++) {
        assert_int_equal(result.record[c].reason, STOP_COUNT);
        assert_int_equal(result.record[c].iterations, 21);
        assert_int_equal(result.record[c].means.count, 3);
        assert_int_equal(result.record[c].ended[STOP_COUNT], 3);
    }
    autotune_free(&result);
}

static void precision_ends_iterations(void **state) {
    (void)state;
    struct script script = {.value = {10, 30, 20}, .noise = 0.001};
    struct autotune_options options = fixed(200, 3);
    options.iteration.precise_share = 0.01;
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 1);
    for (int c = 0; c < 3; c++) {
        assert_int_equal(result.record[c].ended[STOP_PRECISE], 3);
        assert_true(result.record[c].iterations <= 3 * 4);
    }
    autotune_free(&result);
}

static void a_bound_below_the_best_ends_iterations_but_not_invocations(void **state) {
    (void)state;
    struct script script = {.value = {30, 10, 20}, .noise = 1e-3};
    struct autotune_options options = fixed(200, 4);
    options.iteration.beaten = true;
    options.iteration.least_beaten = 3;
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 0);
    assert_int_equal(result.record[0].iterations,
                     800); /* no best rate yet: no iteration is saved */
    assert_int_equal(result.record[1].iterations, 4 * 3);
    assert_int_equal(result.record[1].ended[STOP_BEATEN], 4);
    assert_int_equal(result.record[1].reason, STOP_COUNT);
    autotune_free(&result);
}

static void a_bound_below_the_best_ends_invocations(void **state) {
    (void)state;
    struct script script = {.value = {30, 10, 20}, .noise = 1e-3};
    struct autotune_options options = fixed(20, 10);
    options.invocation.beaten = true;
    options.invocation.least_beaten = 2;
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.record[0].means.count, 10);
    assert_int_equal(result.record[1].means.count, 2);
    assert_int_equal(result.record[1].reason, STOP_BEATEN);
    assert_int_equal(result.record[2].reason, STOP_BEATEN);
    autotune_free(&result);
}

static void precision_ends_invocations(void **state) {
    (void)state;
    struct script script = {.value = {30, 31}};
    struct autotune_options options = fixed(20, 10);
    options.invocation.precise_share = 0.01;
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.record[0].reason, STOP_PRECISE);
    assert_int_equal(result.record[0].means.count, 2);
    assert_int_equal(result.best, 1);
    autotune_free(&result);
}

/* On the paper's Xeon 2695 v4, stopping after two iterations would lose a quarter of the speed. */
static void the_minimum_count_keeps_late_speedups(void **state) {
    (void)state;
    struct script script = {.value = {30, 60}, .slow_value = {30, 20}, .slow = 10, .noise = 1e-3};
    struct autotune_options options = autotune_defaults();
    options.iteration.precise_share = 0;
    options.invocation.precise_share = 0;
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.best, 0);
    autotune_free(&result);

    script.begun = script.ended = 0;
    options.iteration.least_beaten = 100;
    result = search(&script, 2, &options);
    assert_int_equal(result.best, 1);
    assert_true(result.value > 55);
    autotune_free(&result);
}

static void configurations_that_become_faster_are_not_ruled_out(void **state) {
    (void)state;
    struct script script = {.value = {60, 90}, .ramp = 30, .noise = 1e-3};
    struct autotune_options options = autotune_defaults();
    struct autotune_result result = search(&script, 2, &options);
    assert_true(result.value < 85); /* the ramp is part of the mean */
    autotune_free(&result);

    script.begun = script.ended = 0;
    options.iteration.ramps = true;
    result = search(&script, 2, &options);
    assert_int_equal(result.best, 1);
    assert_true(result.value > 88 && result.value < 91);
    assert_int_equal(result.record[0].ended[STOP_COUNT], 0);
    autotune_free(&result);
}

static void medians_ignore_slow_iterations(void **state) {
    (void)state;
    struct script script = {.value = {10, 11}, .slow_value = {1, 1}, .slow = 4, .noise = 1e-3};
    struct autotune_options options = autotune_defaults();
    options.iteration.interval = STOP_MEDIAN;
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.best, 1);
    assert_true(result.value > 10.9 && result.value < 11.1);
    autotune_free(&result);
}

static void the_default_search_takes_a_fraction_of_the_fixed_one_and_finds_the_same(void **state) {
    (void)state;
    struct script script = {
        .value = {20, 35, 50, 49, 40, 30, 48, 10}, .noise = 0.01, .begin_ns = 5};
    for (int c = 0; c < 8; c++) script.iteration_ns[c] = 100;
    struct autotune_options options = fixed(200, 10);
    struct autotune_result exhaustive = search(&script, 8, &options);
    options = autotune_defaults();
    script.begun = script.ended = 0;
    struct autotune_result early = search(&script, 8, &options);
    assert_int_equal(early.best, exhaustive.best);
    assert_true(early.seconds < exhaustive.seconds / 20);
    autotune_free(&early);
    autotune_free(&exhaustive);
}

static void the_order_is_forward_reversed_or_random(void **state) {
    (void)state;
    struct autotune_options options = fixed(1, 1);
    for (int order = AUTOTUNE_FORWARD; order <= AUTOTUNE_REVERSED; order++) {
        struct script script = {.value = {1, 2, 3, 4}};
        options.order = (enum autotune_order)order;
        struct autotune_result result = search(&script, 4, &options);
        for (int i = 0; i < 4; i++)
            assert_int_equal(script.tried[i], order == AUTOTUNE_FORWARD ? i : 3 - i);
        assert_int_equal(result.best, 3);
        autotune_free(&result);
    }
    struct script first = {0};
    struct script same = {0};
    struct script other = {0};
    options.order = AUTOTUNE_RANDOM;
    options.seed = 7;
    struct autotune_result result = search(&first, 16, &options);
    autotune_free(&result);
    result = search(&same, 16, &options);
    autotune_free(&result);
    options.seed = 8;
    result = search(&other, 16, &options);
    autotune_free(&result);
    assert_memory_equal(first.tried, same.tried, 16 * sizeof *first.tried);
    assert_memory_not_equal(first.tried, other.tried, 16 * sizeof *first.tried);
    int seen = 0;
    for (int i = 0; i < 16; i++) seen |= 1 << first.tried[i];
    assert_int_equal(seen, 0xffff);
}

static void disturbed_iterations_take_time_but_do_not_count(void **state) {
    (void)state;
    struct script script = {.value = {10, 20}, .disturbed_every = 3, .iteration_ns = {100, 100}};
    struct autotune_options options = fixed(10, 1);
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.record[1].iterations, 10);
    assert_int_equal(result.record[1].disturbed, 5); /* iterations 0, 3, 6, 9, 12 */
    assert_true(fabs(result.record[1].seconds - 1500e-9) < 1e-15);
    autotune_free(&result);
}

static void a_search_in_which_everything_is_disturbed_ends_without_a_winner(void **state) {
    (void)state;
    struct script script = {.value = {10, 20}, .disturbed_every = 1};
    struct autotune_options options = autotune_defaults();
    options.iteration.most_seconds = 0;
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.best, -1);
    assert_int_equal(result.record[0].iterations, 0);
    assert_int_equal(result.record[0].reason, STOP_COUNT);
    autotune_free(&result);
}

static void time_ends_invocations_and_is_summed(void **state) {
    (void)state;
    struct script script = {
        .value = {10, 20}, .iteration_ns = {1000000000, 2000000000}, .begin_ns = 500000000};
    struct autotune_options options = fixed(0, 2);
    options.iteration.most_seconds = 10;
    struct autotune_result result = search(&script, 2, &options);
    assert_int_equal(result.record[0].iterations, 20);
    assert_int_equal(result.record[1].iterations, 10);
    assert_int_equal(result.record[1].ended[STOP_TIME], 2);
    assert_true(fabs(result.record[0].seconds - 21) < 1e-9);
    assert_true(fabs(result.seconds - 42) < 1e-9);
    autotune_free(&result);
}

static void times_are_searched_for_the_lowest(void **state) {
    (void)state;
    struct script script = {.value = {10, 3, 20, 4}, .noise = 1e-3};
    struct autotune_options options = autotune_defaults();
    options.iteration.aim = options.invocation.aim = STOP_LOWEST;
    struct autotune_result result = search(&script, 4, &options);
    assert_int_equal(result.best, 1);
    assert_int_equal(result.record[2].reason, STOP_BEATEN);
    assert_int_equal(result.record[3].reason, STOP_BEATEN);
    autotune_free(&result);
}

static void contenders_that_cannot_run_are_skipped(void **state) {
    (void)state;
    struct script script = {.value = {10, 30, 20}, .begin_status = {[1] = TCPLAN_NOT_APPLICABLE}};
    struct autotune_options options = fixed(2, 2);
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 2);
    assert_false(result.record[1].applicable);
    assert_int_equal(result.record[1].reason, STOP_NOT);
    autotune_free(&result);

    script = (struct script){.begin_status = {TCPLAN_NOT_APPLICABLE}};
    result = search(&script, 1, &options);
    assert_int_equal(result.best, -1);
    autotune_free(&result);
}

static void a_failure_ends_the_search(void **state) {
    (void)state;
    struct script script = {.value = {10, 30}, .begin_status = {[1] = TCPLAN_ENVIRONMENT}};
    const struct autotune_space space = space_of(&script, 2);
    const struct autotune_options options = fixed(2, 2);
    struct autotune_result result;
    struct tcplan_error error;
    assert_int_equal(autotune_search(&result, &space, &options, &error), TCPLAN_ENVIRONMENT);
    assert_string_equal(error.message, "configuration 1");
    assert_int_equal(script.begun, script.ended);
    assert_null(result.record);
}

static void an_invocation_that_is_lost_is_left_out(void **state) {
    (void)state;
    struct script script = {.value = {10, 30, 20}, .loses = {[1] = 1}, .hang_ns = 7};
    const struct autotune_options options = fixed(2, 3);
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 1);
    assert_int_equal(result.record[1].lost, 1);
    assert_int_equal(result.record[1].means.count, 3); /* a retry replaced the failed invocation */
    assert_true(fabs(result.seconds - 7e-9) < 1e-15);
    autotune_free(&result);
}

static void a_configuration_that_is_lost_twice_is_left_out(void **state) {
    (void)state;
    struct script script = {.value = {10, 30, 20}, .loses = {[1] = 1000}};
    const struct autotune_options options = fixed(2, 10);
    struct autotune_result result = search(&script, 3, &options);
    assert_int_equal(result.best, 2);
    assert_int_equal(result.record[1].lost, 2);
    assert_int_equal(script.asked[1], 2);
    assert_false(result.record[1].applicable);
    assert_int_equal(result.record[0].lost, 0);
    autotune_free(&result);

    script = (struct script){.value = {10}, .loses = {1000}};
    result = search(&script, 1, &options);
    assert_int_equal(result.best, -1);
    autotune_free(&result);
}

static void rules_that_do_not_end_are_refused(void **state) {
    (void)state;
    struct script script = {.value = {10}};
    const struct autotune_space space = space_of(&script, 1);
    struct autotune_result result;
    struct tcplan_error error;
    struct autotune_options options = fixed(0, 2);
    assert_int_equal(autotune_search(&result, &space, &options, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "iterations need a limit"));
    options = fixed(2, 0);
    assert_int_equal(autotune_search(&result, &space, &options, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "invocations need a limit"));
    options = fixed(2, 2);
    options.iteration.aim = STOP_LOWEST;
    assert_int_equal(autotune_search(&result, &space, &options, &error), TCPLAN_INVALID);
    assert_int_equal(script.begun, 0);
}

static void out_of_memory_is_an_error(void **state) {
    (void)state;
    const struct autotune_options options = fixed(2, 2);
    for (long successes = 0; successes < 2; successes++) {
        struct script script = {.value = {10}};
        const struct autotune_space space = space_of(&script, 1);
        struct autotune_result result;
        base_alloc_fail_after(successes);
        const enum tcplan_status status = autotune_search(&result, &space, &options, NULL);
        base_alloc_fail_after(-1);
        assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_null(result.record);
    }
}

static bool has_tried_three(const void *context) {
    const struct script *script = context;
    return script->begun >= 3;
}

static void a_search_that_is_cut_has_the_best_so_far(void **state) {
    struct script script = {.value = {1, 3, 2, 9, 9}};
    const struct autotune_space space = space_of(&script, 5);
    struct autotune_options options = fixed(2, 1);
    struct autotune_result result;
    (void)state;
    options.deadline = (struct deadline){.is_cancelled = has_tried_three, .context = &script};
    assert_int_equal(autotune_search(&result, &space, &options, NULL), TCPLAN_OK);
    assert_true(result.cut && result.best == 1 && script.begun == 3);
    autotune_free(&result);
    options.deadline = (struct deadline){0};
    assert_int_equal(autotune_search(&result, &space, &options, NULL), TCPLAN_OK);
    assert_true(!result.cut && result.best == 3);
    autotune_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_search_runs_everything_and_finds_the_best),
        cmocka_unit_test(a_search_that_is_cut_has_the_best_so_far),
        cmocka_unit_test(precision_ends_iterations),
        cmocka_unit_test(a_bound_below_the_best_ends_iterations_but_not_invocations),
        cmocka_unit_test(a_bound_below_the_best_ends_invocations),
        cmocka_unit_test(precision_ends_invocations),
        cmocka_unit_test(the_minimum_count_keeps_late_speedups),
        cmocka_unit_test(configurations_that_become_faster_are_not_ruled_out),
        cmocka_unit_test(medians_ignore_slow_iterations),
        cmocka_unit_test(the_default_search_takes_a_fraction_of_the_fixed_one_and_finds_the_same),
        cmocka_unit_test(the_order_is_forward_reversed_or_random),
        cmocka_unit_test(disturbed_iterations_take_time_but_do_not_count),
        cmocka_unit_test(a_search_in_which_everything_is_disturbed_ends_without_a_winner),
        cmocka_unit_test(time_ends_invocations_and_is_summed),
        cmocka_unit_test(times_are_searched_for_the_lowest),
        cmocka_unit_test(contenders_that_cannot_run_are_skipped),
        cmocka_unit_test(a_failure_ends_the_search),
        cmocka_unit_test(an_invocation_that_is_lost_is_left_out),
        cmocka_unit_test(a_configuration_that_is_lost_twice_is_left_out),
        cmocka_unit_test(rules_that_do_not_end_are_refused),
        cmocka_unit_test(out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
