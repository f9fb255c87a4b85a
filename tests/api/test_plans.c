/*
 * Tests planners with stored plans: processes and threads share plans, and files without plans are
 * refused.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/root_folder.h"
#include "tcplan/tcplan.h"

static char file[64], folder[64], other[64];

static int clear_root(void **state) {
    (void)state;
    snprintf(file, sizeof file, "%s/plans", root);
    snprintf(folder, sizeof folder, "%s/a/b/", root);
    snprintf(other, sizeof other, "%s/other", root);
    run("rm -rf %s/*");
    return 0;
}

static struct tcplan_product *parse(const char *notation, const char *sizes) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    if (tcplan_product_parse(&product, notation, sizes, NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
                             &error))
        fail_msg("%s", error.message);
    return product;
}

static struct tcplan_planner *planner_of(const char *plans, enum tcplan_effort effort) {
    struct tcplan_planner *planner = NULL;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_plans(planner, plans, NULL), TCPLAN_OK);
    return planner;
}

/** Plans `C_abc=A_ai*B_ibc` or a similar product, executes it, and compares the result with naive
 * loops. Returns the origin of the plan. */
static enum tcplan_plan_origin plan(struct tcplan_planner *planner, const char *notation,
                                    const char *sizes, char name[128]) {
    enum { A = 9, B = 7, C = 5, I = 6 };
    struct tcplan_product *product = parse(notation, sizes);
    struct tcplan_plan *planned = NULL;
    struct tcplan_error error = {0};
    static _Thread_local double a[A * I], b[I * B * C], c[A * B * C];
    for (int i = 0; i < A * I; i++) a[i] = i % 5;
    for (int i = 0; i < I * B * C; i++) b[i] = i % 7;
    if (tcplan_plan_new(&planned, planner, product, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_int_equal(tcplan_plan_execute(planned, a, b, c, NULL), TCPLAN_OK);
    for (int x = 0; x < A * B * C; x++) {
        double sum = 0;
        for (int i = 0; i < I; i++) sum += a[x % A + i * A] * b[i + x / A * I];
        assert_true(c[x] == sum);
    }
    const enum tcplan_plan_origin origin = tcplan_plan_origin(planned);
    if (name) snprintf(name, 128, "%s", tcplan_plan_algorithm(planned));
    tcplan_plan_free(planned);
    tcplan_product_free(product);
    return origin;
}

static const char *const notations[] = {"C_abc=A_ai*B_ibc", "X_pqr=U_pz*V_zqr"};
static const char *const sizes[] = {"a=9,b=7,c=5,i=6", "p=9,q=7,r=5,z=6"};

static size_t count_of(const char *place) {
    char *text = NULL;
    size_t count = 99;
    assert_int_equal(tcplan_plans_describe(&text, &count, place, NULL), TCPLAN_OK);
    free(text);
    return count;
}

static void processes_share_stored_plans(void **state) {
    (void)state;
    for (int place = 0; place < 2; place++) {
        const char *plans = place == 0 ? file : folder;
        int status = 0;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct tcplan_planner *planner = planner_of(plans, TCPLAN_EFFORT_QUICK);
            const enum tcplan_plan_origin origin = plan(planner, notations[0], sizes[0], NULL);
            tcplan_planner_free(planner);
            _exit(origin == TCPLAN_PLAN_COMPARED ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        struct tcplan_planner *planner = planner_of(plans, TCPLAN_EFFORT_QUICK);
        assert_int_equal(plan(planner, notations[1], sizes[1], NULL), TCPLAN_PLAN_STORED);
        assert_int_equal(plan(planner, notations[0], sizes[0], NULL), TCPLAN_PLAN_STORED);
        assert_int_equal(count_of(plans), 1);
        tcplan_planner_free(planner);
    }
}

static void estimates_take_plans_and_store_none(void **state) {
    char stored[128], taken[128];
    (void)state;
    struct tcplan_planner *estimates = planner_of(file, TCPLAN_EFFORT_ESTIMATE),
                          *quick = planner_of(file, TCPLAN_EFFORT_QUICK);
    assert_int_equal(plan(estimates, notations[0], sizes[0], NULL), TCPLAN_PLAN_ESTIMATED);
    assert_int_equal(count_of(file), 0);
    assert_int_equal(plan(quick, notations[0], sizes[0], stored), TCPLAN_PLAN_COMPARED);
    assert_int_equal(plan(estimates, notations[0], sizes[0], taken), TCPLAN_PLAN_STORED);
    assert_string_equal(stored, taken);
    assert_int_equal(tcplan_planner_set_effort(quick, TCPLAN_EFFORT_NORMAL, NULL), TCPLAN_OK);
    assert_int_equal(plan(quick, notations[0], sizes[0], NULL),
                     TCPLAN_PLAN_COMPARED); /* compared anew: the effort is higher than that of the
                                               stored plan */
    assert_int_equal(tcplan_planner_set_effort(quick, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_OK);
    assert_int_equal(plan(quick, notations[0], sizes[0], NULL), TCPLAN_PLAN_STORED);
    assert_int_equal(tcplan_planner_set_plans(quick, NULL, NULL), TCPLAN_OK);
    assert_int_equal(plan(quick, notations[0], sizes[0], NULL), TCPLAN_PLAN_COMPARED);
    tcplan_planner_free(estimates);
    tcplan_planner_free(quick);
}

static void other_files_are_refused_for_plans_and_unchanged(void **state) {
    struct tcplan_planner *planner = NULL;
    char text[16] = "";
    (void)state;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_plans(planner, "", NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_plans(NULL, file, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_plans(planner, "/dev/null", NULL), TCPLAN_INVALID);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("notes", out);
    fclose(out);
    assert_int_equal(tcplan_planner_set_plans(planner, file, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_plans(planner, "/nowhere/at/all", NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_OK);
    assert_int_equal(plan(planner, notations[0], sizes[0], NULL),
                     TCPLAN_PLAN_COMPARED); /* compared anew: the store cannot be written */
    FILE *in = fopen(file, "r");
    assert_non_null(in);
    assert_string_equal(fgets(text, sizeof text, in), "notes");
    fclose(in);
    tcplan_planner_free(planner);
}

static void plans_are_exchanged_and_forgotten(void **state) {
    struct tcplan_plans_choice choice = {.size = sizeof choice, .name = "abc"};
    struct tcplan_error error = {0};
    size_t count = 99;
    (void)state;
    struct tcplan_planner *planner = planner_of(folder, TCPLAN_EFFORT_QUICK);
    assert_int_equal(plan(planner, notations[0], sizes[0], NULL), TCPLAN_PLAN_COMPARED);
    assert_int_equal(tcplan_plans_export(&count, folder, other, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tcplan_plans_import(&count, file, other, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tcplan_plans_import(&count, file, other, &error), TCPLAN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(count_of(file), 1);
    assert_int_equal(tcplan_plans_forget(&count, file, &choice, &error), TCPLAN_INVALID);
    choice.name = NULL;
    choice.most = 1;
    assert_int_equal(tcplan_plans_forget(&count, file, &choice, &error), TCPLAN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tcplan_plans_forget(&count, file, NULL, &error), TCPLAN_OK);
    assert_int_equal(count, 1);
    assert_int_equal(count_of(file), 0);
    assert_int_equal(tcplan_plans_import(&count, file, "/nowhere", &error), TCPLAN_ENVIRONMENT);
    assert_int_equal(tcplan_plans_export(&count, NULL, other, &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_plans_describe(NULL, NULL, file, &error), TCPLAN_INVALID);
    tcplan_planner_free(planner);
}

static void *run_thread(void *planner) {
    for (int n = 0; n < 5; n++) {
        if (plan(planner, notations[n % 2], sizes[n % 2], NULL) == TCPLAN_PLAN_ESTIMATED)
            return planner;
    }
    return NULL;
}

static void threads_share_a_planner_with_plans(void **state) {
    enum { THREADS = 6 };
    pthread_t thread[THREADS];
    void *failed = NULL;
    (void)state;
    struct tcplan_planner *planner = planner_of(file, TCPLAN_EFFORT_QUICK);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, run_thread, planner), 0);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(count_of(file), 1);
    tcplan_planner_free(planner);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(processes_share_stored_plans, clear_root),
        cmocka_unit_test_setup(estimates_take_plans_and_store_none, clear_root),
        cmocka_unit_test_setup(other_files_are_refused_for_plans_and_unchanged, clear_root),
        cmocka_unit_test_setup(plans_are_exchanged_and_forgotten, clear_root),
        cmocka_unit_test_setup(threads_share_a_planner_with_plans, clear_root),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
