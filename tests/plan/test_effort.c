/*
 * Tests, with scripted times, when the stages of a search end, and how wrong heuristic costs are
 * expected to be.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/effort.h"
#include "plan/times/call_time.h"

static const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL,
                                             TCPLAN_EFFORT_THOROUGH};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

static void the_seconds_of_a_stage_are_those_of_its_runs_or_the_minimum(void **state) {
    (void)state;
    const struct effort_share share = {.runs = 2, .least_seconds = 0.01};
    assert_true(effort_seconds(share, 0.001) >= 0.009);
    assert_true(effort_seconds(share, 0.001) < 0.011);
    assert_true(effort_seconds(share, 0.1) >= 0.19);
    assert_true(effort_seconds(share, 0.1) < 0.21);
    assert_true(effort_seconds(share, INFINITY) < 0.011);
}

/** The expected improvement that justifies a second of planning is smaller for higher effort, and
 * if the fastest algorithm takes longer. */
static void the_price_of_planning_falls_with_effort_and_time(void **state) {
    (void)state;
    const struct effort *quick = effort_of(TCPLAN_EFFORT_QUICK);
    const struct effort *normal = effort_of(TCPLAN_EFFORT_NORMAL);
    assert_true(effort_price(normal, 1) < effort_price(quick, 1));
    assert_true(effort_price(normal, 1e-3) < effort_price(quick, 1e-3));
    assert_true(effort_price(normal, 1) < effort_price(normal, 0.1));
    assert_true(effort_price(normal, 1e-6) == effort_price(normal, 1e-7)); /* the smallest price */
    assert_true(effort_price(effort_of(TCPLAN_EFFORT_THOROUGH), 1) < effort_price(normal, 1));
}

/** With quick effort, compiling a kernel must pay off within a number of runs of the fastest
 * algorithm, even if its runs are short. With more effort, later plans of the product count too. */
static void compiling_for_short_products_is_expensive_with_quick_effort(void **state) {
    (void)state;
    const struct effort *normal = effort_of(TCPLAN_EFFORT_NORMAL);
    assert_true(effort_compile_factor(normal, 1) == 1);
    assert_true(effort_compile_factor(normal, INFINITY) == 1); /* 1: no time of the fastest
                                                                  algorithm is known */
    assert_true(effort_compile_factor(effort_of(TCPLAN_EFFORT_QUICK), 1e-6) > 100);
    assert_true(effort_compile_factor(normal, 1e-6) < 1);
    assert_true(effort_compile_factor(effort_of(TCPLAN_EFFORT_THOROUGH), 1e-6) < 1);
}

/** Every effort times a baseline of a millisecond. The default also times one that takes as long as
 * ten runs of the answer. */
static void short_baselines_are_affordable(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++)
        assert_true(effort_seconds(effort_of(efforts[e])->baseline, 1e-6) >= 1e-3);
    assert_true(effort_seconds(effort_of(TCPLAN_EFFORT_NORMAL)->baseline, 0.02) > 0.15);
    assert_true(effort_seconds(effort_of(TCPLAN_EFFORT_NORMAL)->baseline, 1) < 15);
    assert_true(effort_seconds(effort_of(TCPLAN_EFFORT_QUICK)->baseline, 1) <= 1);
}

static void errors_of_a_class_are_expected_of_it_and_of_others_a_little(void **state) {
    (void)state;
    struct call_errors errors = {.count = {{0}}};
    const struct blas_call gemm = {.kernel = TCPLAN_GEMM}, dot = {.kernel = TCPLAN_DOT},
                           axpy = {.kernel = TCPLAN_AXPY};
    for (int k = 0; k < TCPLAN_KERNELS; k++) {
        const struct blas_call call = {.kernel = (enum tcplan_kernel)k};
        assert_true(fabs(call_errors_factor(&errors, &call) - 1) < 1e-12);
        assert_false(call_errors_know(&errors, &call));
    }
    for (int i = 0; i < 9; i++) call_errors_add(&errors, &gemm, 2, 1);
    assert_true(fabs(call_errors_factor(&errors, &gemm) - 2) < 1e-9);
    assert_true(fabs(call_errors_factor(&errors, &dot) - 2) < 1e-9); /* only errors of its own class
                                                                        are known */
    for (int i = 0; i < 9; i++) call_errors_add(&errors, &dot, 1, 2);
    assert_true(call_errors_factor(&errors, &gemm) > 1.8 && call_errors_factor(&errors, &gemm) < 2);
    assert_true(call_errors_factor(&errors, &dot) < 0.6 && call_errors_factor(&errors, &dot) > 0.5);
    assert_true(fabs(call_errors_factor(&errors, &axpy) - 1) < 1e-9);
}

static void errors_of_a_provider_do_not_affect_others(void **state) {
    (void)state;
    struct call_errors errors = {.count = {{0}}};
    const struct blas_call blas = {.kernel = TCPLAN_GEMM},
                           libxsmm = {.kernel = TCPLAN_GEMM, .provider = TCPLAN_PROVIDER_LIBXSMM};
    for (int i = 0; i < 9; i++) call_errors_add(&errors, &blas, 2, 1);
    assert_true(call_errors_know(&errors, &blas) && !call_errors_know(&errors, &libxsmm));
    for (int i = 0; i < 9; i++) call_errors_add(&errors, &libxsmm, 1, 2);
    assert_true(call_errors_factor(&errors, &blas) > 1.8 &&
                call_errors_factor(&errors, &libxsmm) < 0.6);
}

static void zero_time_is_no_error(void **state) {
    (void)state;
    struct call_errors errors = {.count = {{0}}};
    const struct blas_call gemm = {.kernel = TCPLAN_GEMM};
    call_errors_add(&errors, &gemm, 0, 1);
    call_errors_add(&errors, &gemm, 1, 0);
    assert_false(call_errors_know(&errors, &gemm));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seconds_of_a_stage_are_those_of_its_runs_or_the_minimum),
        cmocka_unit_test(the_price_of_planning_falls_with_effort_and_time),
        cmocka_unit_test(short_baselines_are_affordable),
        cmocka_unit_test(compiling_for_short_products_is_expensive_with_quick_effort),
        cmocka_unit_test(errors_of_a_class_are_expected_of_it_and_of_others_a_little),
        cmocka_unit_test(errors_of_a_provider_do_not_affect_others),
        cmocka_unit_test(zero_time_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
