/*
 * Tests that properties of the calling program (rounding of numbers, floating-point modes, signal
 * handlers and masks, processors) are unchanged after library calls, even if the properties are
 * unusual.
 */
#include "torture/caller.h"

#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/network_plan.h"
#include "tcplan/network_search.h"
#include "tcplan/tcplan.h"

enum { N = 40 };

static double left[N * N], right[N * N], result[N * N];

static void expect_unchanged(const struct caller *before, const char *what) {
    const char *changed = caller_changed(before);
    if (changed) fail_msg("%s %s", what, changed);
}

static struct tcplan_product *parse(void) {
    struct tcplan_product *product = NULL;
    assert_int_equal(tcplan_product_parse(&product, "C_ab=A_ai*B_ib", "a=b=i=40", NULL,
                                          TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    return product;
}

/** Makes plans with the given effort, executes them, and makes a listing, with the given number of
 * threads. */
static void plan_and_execute(enum tcplan_effort effort, int threads) {
    struct tcplan_product *product = parse();
    struct tcplan_planner *planner = NULL;
    struct tcplan_plan *plan = NULL;
    struct tcplan_listing *listing = NULL;
    struct caller caller;
    caller_record(&caller);
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, threads, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_time_limit(planner, 0.1, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "a planner");
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_plan_new()");
    assert_int_equal(tcplan_plan_execute(plan, left, right, result, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_plan_execute()");
    tcplan_plan_free(plan);
    assert_int_equal(tcplan_listing_new(&listing, planner, product, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_listing_new()");
    tcplan_listing_free(listing);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    expect_unchanged(&caller, "what frees");
}

/** Executes kernels of every available provider. */
static void execute_kernels(int threads) {
    static const char *const names[] = {"dgemm",      "a-dgemv",       "ba-ddot", "dgemm@libxsmm",
                                        "dgemm@blis", "dgemm@emitted", "b|-dgemv"};
    struct tcplan_product *product = parse();
    struct tcplan_planner *planner = NULL;
    struct caller caller;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, threads, NULL), TCPLAN_OK);
    caller_record(&caller);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct tcplan_plan *plan = NULL;
        if (tcplan_plan_named(&plan, planner, product, names[n], NULL) != TCPLAN_OK)
            continue; /* the provider is not available, or has no kernel with this number of threads
                       */
        assert_int_equal(tcplan_plan_execute(plan, left, right, result, NULL), TCPLAN_OK);
        expect_unchanged(&caller, names[n]);
        tcplan_plan_free(plan);
    }
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void search_and_execute_several(void) {
    static const int64_t extent[] = {N, N, N, N};
    const void *const tensor[] = {left, right, left};
    struct tcplan_network *network = NULL;
    struct tcplan_network_found found = {0};
    struct tcplan_network_plan *plan = NULL;
    struct caller caller;
    caller_record(&caller);
    assert_int_equal(
        tcplan_network_parse(&network, "E_ad=A_ab*B_bc*C_cd", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_network_search(&found, network, extent, TCPLAN_DOUBLE, NULL, NULL),
                     TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_network_search()");
    assert_int_equal(tcplan_network_plan_new(&plan, found.tree, NULL, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_network_plan_new()");
    assert_int_equal(tcplan_network_execute(plan, tensor, result, NULL, 0, NULL), TCPLAN_OK);
    expect_unchanged(&caller, "tcplan_network_execute()");
    tcplan_network_plan_free(plan);
    tcplan_network_found_free(&found);
    tcplan_network_free(network);
}

static void all(void) {
    plan_and_execute(TCPLAN_EFFORT_ESTIMATE, 1);
    plan_and_execute(TCPLAN_EFFORT_QUICK, 1);
    plan_and_execute(TCPLAN_EFFORT_QUICK, 2);
    execute_kernels(1);
    execute_kernels(2);
    search_and_execute_several();
}

static void a_plain_program_is_unchanged(void **state) {
    (void)state;
    all();
}

static void the_rounding_mode_of_the_caller_stays(void **state) {
    (void)state;
    assert_int_equal(fesetround(FE_UPWARD), 0);
    all();
    assert_int_equal(fesetround(FE_TONEAREST), 0);
}

static void numbers_that_are_flushed_stay_flushed(void **state) {
    (void)state;
#if defined __SSE2__
    const unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040U);
    all();
    assert_int_equal(__builtin_ia32_stmxcsr() & 0x8040U, 0x8040);
    __builtin_ia32_ldmxcsr(before);
#else
    skip();
#endif
}

static void on_signal(int number) {
    (void)number;
}

static void handlers_and_blocked_signals_stay(void **state) {
    static const int numbers[] = {SIGINT,  SIGTERM, SIGCHLD, SIGPIPE,
                                  SIGALRM, SIGUSR1, SIGILL,  SIGBUS};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct sigaction own = {.sa_handler = on_signal}, before[COUNT];
    sigset_t blocked, old;
    (void)state;
    sigemptyset(&own.sa_mask);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGINT);
    for (int n = 0; n < COUNT; n++) sigaction(numbers[n], &own, &before[n]);
    pthread_sigmask(SIG_BLOCK, &blocked, &old);
    all();
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    for (int n = 0; n < COUNT; n++) sigaction(numbers[n], &before[n], NULL);
}

static void a_program_on_one_processor_stays_there(void **state) {
    cpu_set_t before, one;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) skip();
    all();
    sched_setaffinity(0, sizeof before, &before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_program_is_unchanged),
        cmocka_unit_test(the_rounding_mode_of_the_caller_stays),
        cmocka_unit_test(numbers_that_are_flushed_stay_flushed),
        cmocka_unit_test(handlers_and_blocked_signals_stay),
        cmocka_unit_test(a_program_on_one_processor_stays_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
