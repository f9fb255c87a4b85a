/*
 * Tests several threads that make plans at once, or execute one plan at once into different
 * results. With -fsanitize=thread (preset tsan), the sanitizer reports races. No plan here has a
 * parallel loop.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/providers/blas.h"
#include "microbench/providers/threads.h"
#include "tcplan/tcplan.h"

enum { THREADS = 4, ROUNDS = 60, A_EXTENT = 9, B_EXTENT = 7, I_EXTENT = 5 };

static struct tcplan_product *product_of(enum tcplan_dtype dtype) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    if (tcplan_product_parse(&product, "C_ab=A_ia*B_ib", "a=9,b=7,i=5", NULL, dtype,
                             TCPLAN_COLUMN_MAJOR, &error))
        fail_msg("%s", error.message);
    return product;
}

/** Arguments of a thread, and whether its results were right: only the main thread may call
 * cmocka's assertions. */
struct work {
    pthread_t thread;
    int number;
    struct tcplan_plan *plan;
    struct tcplan_planner *planner;
    const struct tcplan_product *product;
    atomic_int *started; /* number of threads that have started; each thread waits until all have */
    int wrong;
};

static void begin_together(struct work *work) {
    atomic_fetch_add(work->started, 1);
    while (atomic_load(work->started) < THREADS) sched_yield();
}

static void run_all(void *(*routine)(void *), struct work work[THREADS], const struct work *model) {
    atomic_int started = 0;
    int wrong = 0;
    for (int t = 0; t < THREADS; t++) {
        work[t] = *model;
        work[t].number = t;
        work[t].started = &started;
        assert_int_equal(pthread_create(&work[t].thread, NULL, routine, &work[t]), 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(work[t].thread, NULL);
        wrong += work[t].wrong;
    }
    assert_int_equal(wrong, 0);
}

/** Small whole numbers, whose products and sums are exact. */
static void fill(double *out, int count, int seed) {
    for (int e = 0; e < count; e++) out[e] = (e * 7 + seed) % 11 - 5;
}

static int count_wrong(const double *A, const double *B, const double *before, const double *C,
                       double alpha, double beta) {
    int wrong = 0;
    for (int b = 0; b < B_EXTENT; b++) {
        for (int a = 0; a < A_EXTENT; a++) {
            double sum = 0;
            for (int i = 0; i < I_EXTENT; i++) sum += A[i + I_EXTENT * a] * B[i + I_EXTENT * b];
            const int e = a + A_EXTENT * b;
            wrong += C[e] != alpha * sum + (beta == 0 ? 0 : beta * before[e]);
        }
    }
    return wrong;
}

/** Executes a plan with all classes of alpha and beta, and sometimes with a workspace that only
 * this thread uses. Returns the number of wrong results. */
static int execute_once(struct tcplan_plan *plan, int seed, void *workspace, int64_t bytes) {
    double A[I_EXTENT * A_EXTENT], B[I_EXTENT * B_EXTENT], C[A_EXTENT * B_EXTENT],
        before[A_EXTENT * B_EXTENT];
    const double alpha = seed % 3, beta = seed / 3 % 3;
    fill(A, I_EXTENT * A_EXTENT, seed);
    fill(B, I_EXTENT * B_EXTENT, seed + 3);
    fill(C, A_EXTENT * B_EXTENT, seed + 5);
    memcpy(before, C, sizeof C);
    const struct tcplan_execution execution = {.size = sizeof execution,
                                               .A = A,
                                               .B = B,
                                               .D = C,
                                               .alpha = &alpha,
                                               .beta = &beta,
                                               .workspace = seed % 4 == 0 ? workspace : NULL,
                                               .workspace_bytes = bytes};
    if (tcplan_plan_run(plan, &execution, NULL) != TCPLAN_OK) return 1;
    return count_wrong(A, B, before, C, alpha, beta);
}

static void *execute_often(void *context) {
    struct work *work = context;
    const int64_t bytes = tcplan_plan_workspace(work->plan, 0);
    void *workspace = bytes >= 0 ? malloc((size_t)bytes + 1) : NULL;
    work->wrong = workspace ? 0 : 1;
    begin_together(work);
    for (int round = 0; round < ROUNDS && workspace; round++) {
        work->wrong += execute_once(work->plan, round * THREADS + work->number, workspace, bytes);
    }
    free(workspace);
    return NULL;
}

static void check_at_once(const char *algorithm) {
    struct tcplan_product *product = product_of(TCPLAN_DOUBLE);
    struct work work[THREADS], model = {.number = 0};
    struct tcplan_error error = {0};
    if (tcplan_plan_named(&model.plan, NULL, product, algorithm, &error) != TCPLAN_OK)
        fail_msg("%s: %s", algorithm, error.message);
    tcplan_product_free(product);
    run_all(execute_often, work, &model);
    tcplan_plan_free(model.plan);
}

static void one_plan_is_executed_by_several_threads_at_once(void **state) {
    (void)state;
    check_at_once("dgemm");
    check_at_once("'ABC-dgemm"); /* this algorithm has temporaries */
    check_at_once("'AtBtC-dgemm");
    check_at_once("b-dgemv");
    check_at_once("ba-ddot");
}

static void a_plan_improves_itself_while_several_threads_execute_it(void **state) {
    struct tcplan_product *product = product_of(TCPLAN_DOUBLE);
    struct tcplan_planner *planner = NULL;
    struct work work[THREADS], model = {.number = 0};
    (void)state;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_improving(planner, 16, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&model.plan, planner, product, NULL), TCPLAN_OK);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    for (int turn = 0; turn < 4; turn++) run_all(execute_often, work, &model);
    tcplan_plan_free(model.plan);
}

static void executing_restores_the_threads_of_the_blas(void **state) {
    const int before = blas_set_threads(3);
    (void)state;
    check_at_once("dgemm");
    check_at_once("'AB-dgemm");
    assert_int_equal(blas_threads(), 3);
    blas_set_threads(before);
}

static void timing_a_plan_restores_the_threads_of_the_blas(void **state) {
    const int before = blas_set_threads(3);
    struct tcplan_product *product = product_of(TCPLAN_DOUBLE);
    struct tcplan_planner *planner = NULL;
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    assert_int_equal(blas_threads(), 3);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    blas_set_threads(before);
}

static void *borrow(void *context) {
    struct work *work = context;
    begin_together(work);
    for (int round = 0; round < 50 * ROUNDS; round++) {
        const uint64_t first =
            provider_borrow_threads(TCPLAN_PROVIDER_BLAS, 1 + (round + work->number) % 3);
        const uint64_t second = provider_borrow_threads(TCPLAN_PROVIDER_BLAS, 2);
        provider_return_threads(TCPLAN_PROVIDER_BLAS,
                                round % 2 ? first : second); /* in any order */
        provider_return_threads(TCPLAN_PROVIDER_BLAS, round % 2 ? second : first);
    }
    return NULL;
}

static void borrowed_threads_are_returned_in_any_order(void **state) {
    const int before = blas_set_threads(4);
    const struct work model = {.number = 0};
    struct work work[THREADS];
    (void)state;
    run_all(borrow, work, &model);
    assert_int_equal(blas_threads(), 4);
    blas_set_threads(before);
}

/** Repeats: makes a plan and executes it once. */
static void *plan_often(void *context) {
    struct work *work = context;
    begin_together(work);
    for (int round = 0; round < 4; round++) {
        struct tcplan_plan *plan = NULL;
        if (tcplan_plan_new(&plan, work->planner, work->product, NULL) == TCPLAN_OK) {
            work->wrong += execute_once(plan, round + work->number, NULL, 0);
        } else {
            work->wrong++;
        }
        tcplan_plan_free(plan);
    }
    return NULL;
}

static void check_planning(enum tcplan_effort effort, const char *store) {
    struct tcplan_product *product = product_of(TCPLAN_DOUBLE);
    struct work work[THREADS], model = {.product = product};
    assert_int_equal(tcplan_planner_new(&model.planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(model.planner, effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_store(model.planner, store, NULL), TCPLAN_OK);
    run_all(plan_often, work, &model);
    tcplan_planner_free(model.planner);
    tcplan_product_free(product);
}

static void plans_are_made_by_several_threads_at_once(void **state) {
    (void)state;
    check_planning(TCPLAN_EFFORT_ESTIMATE, NULL);
    check_planning(TCPLAN_EFFORT_QUICK, NULL);
}

static void plans_are_made_concurrently_with_one_store(void **state) {
    char folder[] = "/tmp/tcplan-threads-XXXXXX", command[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    check_planning(TCPLAN_EFFORT_QUICK, folder);
    check_planning(TCPLAN_EFFORT_ESTIMATE, folder);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_plan_is_executed_by_several_threads_at_once),
        cmocka_unit_test(a_plan_improves_itself_while_several_threads_execute_it),
        cmocka_unit_test(executing_restores_the_threads_of_the_blas),
        cmocka_unit_test(timing_a_plan_restores_the_threads_of_the_blas),
        cmocka_unit_test(borrowed_threads_are_returned_in_any_order),
        cmocka_unit_test(plans_are_made_by_several_threads_at_once),
        cmocka_unit_test(plans_are_made_concurrently_with_one_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
