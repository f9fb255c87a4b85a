/*
 * Tests the predictor of Peise (2017, chapter 6): benchmarks, their weights, and which algorithms
 * share them. No time is asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/predict/thesis.h"
#include "microbench/providers/blas.h"
#include "support/named_nest.h"

static const struct tcplan_machine machine = {
    .line_bytes = 64,
    .page_bytes = 4096,
    .cache_count = 2,
    .cache = {{.level = 1, .size_bytes = 32 << 10, .line_bytes = 64},
              {.level = 2, .size_bytes = 1 << 20, .line_bytes = 64}}};

/** An algorithm to predict, with its problem. */
struct trial {
    struct named_nest named;
    struct buffers buffers;
    struct window window;
};

static void trial_init(struct trial *out, const char *contraction, const char *sizes,
                       const char *algorithm, enum tcplan_cache_state cache) {
    struct tcplan_error error = {0};
    const struct window_settings settings = window_settings_for(&machine, cache, WINDOW_PROBE);
    named_nest_init(&out->named, contraction, TCPLAN_COLUMN_MAJOR, sizes, TCPLAN_DOUBLE, algorithm);
    if (buffers_reserve(&out->buffers, &out->named.problem, BUFFERS_ALIGNMENT, SIZE_MAX / 4,
                        &error))
        fail_msg("%s", error.message);
    if (window_init(&out->window, out->named.nest, &out->named.problem, &out->buffers, &settings, 1,
                    &error))
        fail_msg("%s", error.message);
}

static void trial_free(struct trial *trial) {
    window_free(&trial->window);
    buffers_free(&trial->buffers);
    named_nest_free(&trial->named);
}

static void predict(struct thesis_prediction *out, struct thesis *thesis, struct trial *trial) {
    struct tcplan_error error = {0};
    if (thesis_predict(out, thesis, &trial->window, &trial->named.problem, &error))
        fail_msg("%s", error.message);
}

/** Predicts one algorithm, without sharing benchmarks with others. */
static struct thesis_prediction predict_alone(const char *contraction, const char *sizes,
                                              const char *algorithm, enum tcplan_stage stage,
                                              enum tcplan_cache_state cache) {
    struct trial trial;
    struct thesis_prediction prediction;
    struct thesis thesis = thesis_make(&machine, stage, cache, 1 << 20);
    trial_init(&trial, contraction, sizes, algorithm, cache);
    predict(&prediction, &thesis, &trial);
    trial_free(&trial);
    thesis_free(&thesis);
    return prediction;
}

static double calls_of(const struct thesis_prediction *prediction, enum tcplan_node_kind part) {
    double calls = 0;
    for (int b = 0; b < prediction->benchmark_count; b++) {
        if (prediction->benchmark[b].part == part) calls += prediction->benchmark[b].calls;
    }
    return calls;
}

static void assert_adds_up(const struct thesis_prediction *prediction) {
    double seconds = 0;
    for (int b = 0; b < prediction->benchmark_count; b++)
        seconds += prediction->benchmark[b].seconds * prediction->benchmark[b].calls;
    assert_true(fabs(seconds - prediction->estimate.seconds) <= 1e-9 * seconds);
    assert_true(prediction->estimate.low <= prediction->estimate.seconds &&
                prediction->estimate.seconds <= prediction->estimate.high);
    assert_int_equal(prediction->estimate.sample_count, BENCHMARK_REPETITIONS);
}

static void the_time_is_the_sum_over_classes(void **state) {
    (void)state;
    const struct thesis_prediction prediction = predict_alone(
        "C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM);
    assert_int_equal(prediction.benchmark_count,
                     3); /* classes: steady state, failed prefetches, first iterations of loop a */
    assert_true(calls_of(&prediction, TCPLAN_NODE_KERNEL) == 24 * 24);
    assert_adds_up(&prediction);
}

static void a_stage_has_the_classes_up_to_it(void **state) {
    (void)state;
    static const int expected[] = {[TCPLAN_STAGE_ACCESS] = 1,
                                   [TCPLAN_STAGE_PREFETCH] = 1,
                                   [TCPLAN_STAGE_FAILURE] = 2,
                                   [TCPLAN_STAGE_FIRST] = 3};
    for (int stage = TCPLAN_STAGE_ACCESS; stage <= TCPLAN_STAGE_FIRST; stage++) {
        const struct thesis_prediction prediction =
            predict_alone("C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", (enum tcplan_stage)stage,
                          TCPLAN_CACHE_WARM);
        assert_int_equal(prediction.benchmark_count, expected[stage]);
        assert_true(calls_of(&prediction, TCPLAN_NODE_KERNEL) == 24 * 24);
    }
}

static void the_first_stage_analyses_nothing(void **state) {
    (void)state;
    const struct thesis_prediction prediction = predict_alone(
        "C_abc+=A_ai*B_ibc", "a=b=c=8,i=4", "ca-dgemv", TCPLAN_STAGE_REPEATED, TCPLAN_CACHE_WARM);
    assert_int_equal(prediction.benchmark_count, 0);
    assert_true(prediction.estimate.seconds > 0);
}

static void copies_and_scalings_count_as_often_as_they_run(void **state) {
    (void)state;
    const struct thesis_prediction copied =
        predict_alone("C_abc+=A_ija*B_jbic", "a=b=c=6,i=3,j=4", "i'c-dgemm", TCPLAN_STAGE_FIRST,
                      TCPLAN_CACHE_WARM);
    assert_true(calls_of(&copied, TCPLAN_NODE_COPY) > 0);
    assert_adds_up(&copied);
    const struct thesis_prediction scaled = predict_alone(
        "C_abc=A_ai*B_ibc", "a=b=c=6,i=3", "ci-dger", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM);
    assert_true(calls_of(&scaled, TCPLAN_NODE_SCALE) == 6);
    assert_true(calls_of(&scaled, TCPLAN_NODE_KERNEL) == 6 * 3);
}

static void equal_benchmarks_are_made_once(void **state) {
    (void)state;
    struct trial trial;
    struct thesis_prediction first;
    struct thesis_prediction second;
    struct thesis thesis = thesis_make(&machine, TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM, 1 << 20);
    trial_init(&trial, "C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", TCPLAN_CACHE_WARM);
    predict(&first, &thesis, &trial);
    const size_t made = thesis.result_count;
    predict(&second, &thesis, &trial);
    assert_int_equal(thesis.result_count, made);
    for (int b = 0; b < second.benchmark_count; b++) assert_true(second.benchmark[b].shared);
    assert_true(first.estimate.seconds == second.estimate.seconds);
    trial_free(&trial);
    thesis_free(&thesis);
}

static void another_setup_is_another_benchmark(void **state) {
    (void)state;
    struct trial trial;
    struct remote_memory remote = {.limit_bytes = 4096};
    const struct benchmark_settings settings = benchmark_settings_for(&machine);
    trial_init(&trial, "C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", TCPLAN_CACHE_WARM);
    struct tcplan_call_class near = {
        .kind = TCPLAN_CLASS_STEADY,
        .loop = -1,
        .setup_count = 2,
        .setup = {{.operand = TCPLAN_A, .elems = 8}, {.remote = true, .elems = 100}}};
    struct tcplan_call_class far = near;
    far.setup[1].elems = 100000;
    const struct benchmark a = benchmark_make(&settings, &near, &trial.window, &remote);
    const struct benchmark b = benchmark_make(&settings, &far, &trial.window, &remote);
    char *text_a = benchmark_text(&a);
    char *text_b = benchmark_text(&b);
    assert_string_not_equal(text_a, text_b);
    free(text_a);
    free(text_b);
    trial_free(&trial);
}

/* In ca-dgemv, the innermost loop over a changes A[a,:] and C[a,:,c], but not B[:,:,c]. Between
 * first iterations of a, c changes, so all operands but A change. */
static void only_varying_operands_move_in_a_batch(void **state) {
    (void)state;
    struct trial trial;
    struct remote_memory remote = {.limit_bytes = 4096};
    const struct benchmark_settings settings = benchmark_settings_for(&machine);
    const struct tcplan_call_class steady = {.kind = TCPLAN_CLASS_STEADY, .loop = -1};
    const struct tcplan_call_class first = {.kind = TCPLAN_CLASS_FIRST, .loop = 1};
    trial_init(&trial, "C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", TCPLAN_CACHE_WARM);
    const struct benchmark in_steady = benchmark_make(&settings, &steady, &trial.window, &remote);
    const struct benchmark in_first = benchmark_make(&settings, &first, &trial.window, &remote);
    assert_true(in_steady.moves[TCPLAN_A] && in_steady.moves[TCPLAN_C] &&
                !in_steady.moves[TCPLAN_B]);
    assert_true(!in_first.moves[TCPLAN_A] && in_first.moves[TCPLAN_C] && in_first.moves[TCPLAN_B]);
    assert_true(in_steady.batch >= 1 && in_steady.batch <= BENCHMARK_MAX_BATCH);
    trial_free(&trial);
}

static void remote_memory_stays_within_its_limit(void **state) {
    (void)state;
    struct trial trial;
    double sample_ns[BENCHMARK_REPETITIONS];
    struct remote_memory remote = {.limit_bytes = 1000};
    const struct benchmark_settings settings = benchmark_settings_for(&machine);
    const struct tcplan_call_class far = {
        .kind = TCPLAN_CLASS_STEADY,
        .loop = -1,
        .setup_count = 2,
        .setup = {{.remote = true, .elems = 5000}, {.operand = TCPLAN_B, .elems = 192}}};
    trial_init(&trial, "C_abc+=A_ai*B_ibc", "a=b=c=24,i=8", "ca-dgemv", TCPLAN_CACHE_WARM);
    const struct benchmark benchmark = benchmark_make(&settings, &far, &trial.window, &remote);
    assert_int_equal(benchmark_run(&benchmark, sample_ns, NULL), TCPLAN_OK);
    assert_int_equal(remote.bytes, 1000);
    remote_memory_free(&remote);
    trial_free(&trial);
}

static void cold_caches_scalars_and_single_calls_are_predicted(void **state) {
    (void)state;
    struct thesis_prediction prediction = predict_alone(
        "C_abc=A_ai*B_ibc", "a=b=c=9,i=3", "bca-ddot", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_COLD);
    assert_adds_up(&prediction);
    prediction =
        predict_alone("C_ab=A_ai*B_ib", "a=b=i=5", "dgemm", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_COLD);
    assert_adds_up(&prediction);
    prediction = predict_alone("C=A_i*B_i", "i=100", "ddot", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM);
    assert_adds_up(&prediction);
    assert_true(calls_of(&prediction, TCPLAN_NODE_KERNEL) == 1);
}

static void a_call_too_long_is_predicted_from_a_part(void **state) {
    (void)state;
    const struct thesis_prediction prediction = predict_alone(
        "C_ab=A_ai*B_ib", "a=b=1024,i=1024", "dgemm", TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM);
    assert_true(calls_of(&prediction, TCPLAN_NODE_KERNEL) > 1);
}

static void every_failed_allocation_is_reported(void **state) {
    (void)state;
    for (long successes = 0;; successes++) {
        struct trial trial;
        struct thesis_prediction prediction;
        struct tcplan_error error = {0};
        struct thesis thesis =
            thesis_make(&machine, TCPLAN_STAGE_FIRST, TCPLAN_CACHE_WARM, 1 << 20);
        trial_init(&trial, "C_abc+=A_ija*B_jbic", "a=b=c=4,i=3,j=2", "i'c-dgemm",
                   TCPLAN_CACHE_WARM);
        base_alloc_fail_after(successes);
        const enum tcplan_status status =
            thesis_predict(&prediction, &thesis, &trial.window, &trial.named.problem, &error);
        base_alloc_fail_after(-1);
        thesis_free(&thesis);
        trial_free(&trial);
        if (status == TCPLAN_OK) return;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_int_equal(error.status, TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_is_the_sum_over_classes),
        cmocka_unit_test(a_stage_has_the_classes_up_to_it),
        cmocka_unit_test(the_first_stage_analyses_nothing),
        cmocka_unit_test(copies_and_scalings_count_as_often_as_they_run),
        cmocka_unit_test(equal_benchmarks_are_made_once),
        cmocka_unit_test(another_setup_is_another_benchmark),
        cmocka_unit_test(only_varying_operands_move_in_a_batch),
        cmocka_unit_test(remote_memory_stays_within_its_limit),
        cmocka_unit_test(cold_caches_scalars_and_single_calls_are_predicted),
        cmocka_unit_test(a_call_too_long_is_predicted_from_a_part),
        cmocka_unit_test(every_failed_allocation_is_reported),
    };
    blas_set_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
