/*
 * Tests forked processes: the child executes a plan that the parent executed with several threads.
 * An OpenMP library in the child must not wait for the threads of the parent. An alarm ends a child
 * that hangs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tcplan/blas.h"
#include "tcplan/tcplan.h"

enum { EXTENT = 240, ALARM_SECONDS = 60 };

static double A[EXTENT * EXTENT], B[EXTENT * EXTENT], C[EXTENT * EXTENT];

static struct tcplan_plan *plan_of(const char *algorithm) {
    struct tcplan_product *product = NULL;
    struct tcplan_planner *planner = NULL;
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_product_parse(&product, "C_ab=A_ai*B_ib", "a=b=i=240", NULL,
                                          TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, &error),
                     TCPLAN_OK);
    assert_int_equal(tcplan_planner_new(&planner, &error), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, 2, &error), TCPLAN_OK);
    const enum tcplan_status status = tcplan_plan_named(&plan, planner, product, algorithm, &error);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE)
        fail_msg("%s: %s", algorithm, error.message);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    return plan;
}

/** Executes a plan, and returns whether all elements are right. */
static bool executes(struct tcplan_plan *plan) {
    memset(C, 0, sizeof C);
    if (tcplan_plan_execute(plan, A, B, C, NULL) != TCPLAN_OK) return false;
    for (size_t e = 0; e < EXTENT * EXTENT; e++) {
        if (C[e] != 2 * EXTENT) return false;
    }
    return true;
}

static int run_child(struct tcplan_plan *plan) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(ALARM_SECONDS);
        _exit(executes(plan) && executes(plan) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_forked_process_executes_its_parents_plans(void **state) {
    static const char *const algorithms[] = {"dgemm", "dgemm@blis", "b|-dgemv"};
    (void)state;
    for (size_t e = 0; e < EXTENT * EXTENT; e++) {
        A[e] = 1;
        B[e] = 2;
    }
    for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
        struct tcplan_plan *plan = plan_of(algorithms[a]);
        if (!plan) continue; /* BLIS is not available on this machine */
        assert_true(executes(plan));
        const int child = run_child(plan);
        if (child != 0) fail_msg("%s: the child ended with %d", algorithms[a], child);
        assert_true(executes(plan)); /* fork() leaves the parent's threads running */
        tcplan_plan_free(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_process_executes_its_parents_plans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
