/* Tests checks of models against a simulated machine. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "routines/sampler/generation/check.h"
#include "routines/sampler/generation/rounds.h"

#define GOOD 20e-6

/** A simulated machine. Its times change after a number of executions, so that the second session
 * differs from the first. */
struct script {
    double now;
    double drift;      /* relative change of times */
    double slow_ratio; /* factor by which times grow in every other twentieth of a second */
    double factor;     /* factor of all times */
    int64_t executions;
    int64_t drifts_after; /* number of executions before `drift` applies */
};

static double exact_seconds(const int64_t size[]) {
    return 1e-6 + 1e-11 * (double)size[0] * (double)size[0] * (double)size[0];
}

static enum tcplan_status measure(void *context, const struct points_job job[], int count,
                                  struct points_timing out[], struct tcplan_error *error) {
    struct script *script = context;
    (void)error;
    for (int j = 0; j < count; j++) {
        const double slower =
            script->slow_ratio > 1 && fmod(script->now, 0.1) >= 0.05 ? script->slow_ratio : 1;
        const double later =
            script->drifts_after > 0 && script->executions++ >= script->drifts_after
                ? 1 + script->drift
                : 1;
        const double seconds = exact_seconds(job[j].size) * slower * later * script->factor;
        out[j] = (struct points_timing){.sample = {.seconds = seconds,
                                                   .at_seconds = script->now,
                                                   .apart_seconds = 2 * seconds,
                                                   .before = GOOD * slower,
                                                   .after = GOOD * slower}};
        script->now += 2 * seconds + 1e-5;
    }
    return TCPLAN_OK;
}

static double now(void *context) {
    return ((const struct script *)context)->now;
}

/** A model of the simulated machine, and the samples of a check. */
struct made {
    struct generation_cases cases;
    struct rounds_task task;
    struct rounds rounds;
    struct samples *samples;
    struct check_task checked;
};

static void make(struct made *out) {
    static const struct samples_setup setup = {.threads = 1};
    const char *const word[] = {"dpotf2"};
    struct script script = {.factor = 1};
    const struct points_means means = {.context = &script, .measure = measure, .now = now};
    *out = (struct made){.task = {.leading = 5000}};
    assert_int_equal(cases_read(&out->cases, word, 1, "n=24:536", 8, NULL), TCPLAN_OK);
    assert_int_equal(samples_open(&out->samples, NULL, &setup, false, NULL), TCPLAN_OK);
    out->task.of = &out->cases.of[0];
    out->task.config = tcplan_model_config_default(1, 1);
    out->rounds = (struct rounds){.task = &out->task, .count = 1, .samples = out->samples};
    assert_int_equal(rounds_run(&out->rounds, &means, NULL), TCPLAN_OK);
    out->checked =
        (struct check_task){.of = out->task.of, .model = out->task.model, .leading = 5000};
}

static void drop(struct made *made) {
    tcplan_model_free(made->task.model);
    rounds_free(&made->rounds);
    cases_free(&made->cases);
    samples_close(made->samples);
}

static struct tcplan_model_checked check_with(struct made *made, struct script *script,
                                              double good_seconds) {
    const struct points_means means = {.context = script, .measure = measure, .now = now};
    const struct check check = {.task = &made->checked,
                                .count = 1,
                                .points = 20,
                                .repetitions = 5,
                                .seed = 3,
                                .fitted = made->samples};
    struct tcplan_model_checked out = {0};
    struct drift drift;
    struct tcplan_error error;
    made->task.model->good_reference_seconds = good_seconds;
    if (check_run(&out, &drift, &check, &means, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return out;
}

static void a_true_model_is_found_true(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1};
    make(&made);
    struct tcplan_model_checked checked = check_with(&made, &script, GOOD);
    assert_int_equal(checked.count, 20);
    assert_true(checked.error.maximum < 1e-6 && checked.spread < 1e-9);
    assert_true(checked.target == 0.007 && checked.met);
    base_free(checked.point);
    drop(&made);
}

static void the_error_of_a_model_is_found(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1.25}; /* model times are then 0.8 times the measured ones */
    make(&made);
    struct tcplan_model_checked checked = check_with(&made, &script, GOOD);
    assert_true(fabs(checked.error.mean - 0.2) < 1e-3 && fabs(checked.error.p90 - 0.2) < 1e-3 &&
                fabs(checked.raw.median - 0.2) < 1e-3);
    assert_false(checked.met);
    base_free(checked.point);
    drop(&made);
}

static void sessions_that_differ_widen_the_target(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1, .drift = 0.1, .drifts_after = 100}; /* 100 is the number of
                                                                                executions in the
                                                                                first session */
    make(&made);
    struct tcplan_model_checked checked = check_with(&made, &script, GOOD);
    assert_true(fabs(checked.spread - 0.1 / 1.05) < 1e-6);
    assert_true(fabs(checked.target - 1.5 * checked.spread) < 1e-9);
    assert_true(fabs(checked.error.mean - 0.05 / 1.05) < 1e-3 && checked.met);
    base_free(checked.point);
    drop(&made);
}

static void another_state_of_the_core_is_no_error(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1, .slow_ratio = 1.5};
    make(&made);
    struct tcplan_model_checked checked = check_with(&made, &script, GOOD);
    assert_true(checked.error.mean < 0.02);
    base_free(checked.point);
    drop(&made);
}

/** The core and its reference are slower than when the models were made. Scaled by the reference,
 * times still agree with the models. */
static void a_slower_core_is_brought_to_the_models_state(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1};
    make(&made);
    struct tcplan_model_checked checked = check_with(&made, &script, GOOD / 1.2);
    for (int p = 0; p < checked.count; p++) {
        const double follows = log(checked.point[p].raw_ns[0] / checked.point[p].ns[0]) / log(1.2);
        assert_true(follows > 0.4 && follows < 1.1); /* the elasticity is near the expected one */
    }
    base_free(checked.point);
    drop(&made);
}

static void points_are_new_multiples_and_differ(void **state) {
    (void)state;
    struct made made;
    static int64_t drawn[TCPLAN_CHECKED_POINTS][TCPLAN_MODEL_SIZES];
    make(&made);
    const struct check check = {
        .task = &made.checked, .count = 1, .points = 1000, .seed = 9, .fitted = made.samples};
    const int count = check_draw(drawn, 1000, &check, 0);
    assert_int_equal(count,
                     (536 - 24) / 8 + 1 - samples_points(made.samples)); /* all remaining points */
    for (int d = 0; d < count; d++) {
        assert_true(drawn[d][0] % 8 == 0 && drawn[d][0] >= 24 && drawn[d][0] <= 536 &&
                    drawn[d][1] == 0);
        for (int e = 0; e < d; e++) assert_int_not_equal(drawn[d][0], drawn[e][0]);
        for (int64_t p = 0; p < samples_points(made.samples); p++)
            assert_int_not_equal(drawn[d][0], samples_point(made.samples, p)->size[0]);
    }
    drop(&made);
}

static void when_time_is_over_some_points_are_left_out(void **state) {
    (void)state;
    struct made made;
    struct script script = {.factor = 1};
    make(&made);
    const struct points_means means = {.context = &script, .measure = measure, .now = now};
    struct check check = {.task = &made.checked,
                          .count = 1,
                          .points = 20,
                          .repetitions = 10,
                          .seed = 3,
                          .time_limit_seconds = 1e-6};
    struct tcplan_model_checked out = {0};
    struct drift drift;
    assert_int_equal(check_run(&out, &drift, &check, &means, NULL), TCPLAN_OK);
    assert_int_equal(out.count, 0);
    assert_false(out.met);
    base_free(out.point);
    drop(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_true_model_is_found_true),
        cmocka_unit_test(the_error_of_a_model_is_found),
        cmocka_unit_test(sessions_that_differ_widen_the_target),
        cmocka_unit_test(another_state_of_the_core_is_no_error),
        cmocka_unit_test(a_slower_core_is_brought_to_the_models_state),
        cmocka_unit_test(points_are_new_multiples_and_differ),
        cmocka_unit_test(when_time_is_over_some_points_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
