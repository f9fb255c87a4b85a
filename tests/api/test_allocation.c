/*
 * Calls every function of the first tier of the library that allocates memory. Allocations fail
 * after n successful ones, n = 0, 1, 2, ... until the call succeeds. A failing function returns a
 * status and no result, or works without stored data; its inputs are unchanged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/tcplan.h"

enum { A = 4, B = 3, I = 5, FEW = 150 };

static char root[] = "/tmp/tcplan-api-allocation-XXXXXX";
static char store[64], plans[64], other[64];
static struct tcplan_product *product;
static struct tcplan_planner *planner;
static struct tcplan_plan *plan; /* a plan that needs temporaries */

static int begin(void **state) {
    (void)state;
    if (!mkdtemp(root)) return -1;
    snprintf(store, sizeof store, "%s/store", root);
    snprintf(plans, sizeof plans, "%s/plans", root);
    snprintf(other, sizeof other, "%s/other", root);
    return tcplan_product_parse(&product, "C_ab=A_ia*B_ib", "a=4,b=3,i=5", "A=2,20", TCPLAN_DOUBLE,
                                TCPLAN_COLUMN_MAJOR, NULL) ||
           tcplan_planner_new(&planner, NULL) ||
           tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL) ||
           tcplan_plan_named(&plan, planner, product, "'A-dgemm", NULL);
}

static int end(void **state) {
    char command[80];
    (void)state;
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/** Makes one call, frees its result, and sets `given` to whether there was one. `error` receives
 * the reason of a failure, even if the called function has no error argument. */
typedef enum tcplan_status call_fn(bool *given, struct tcplan_error *error);

static bool memory_is_out(void) {
    void *memory = base_alloc(1);
    base_free(memory);
    return !memory;
}

/** Repeats a call with 0, 1, 2, ... successful allocations until it succeeds. Returns the number of
 * failures. */
static int with_every_request_failing(call_fn *call) {
    int failed = 0;
    bool is_out = true;
    for (long successes = 0; is_out; successes += successes < FEW ? 1 : successes / FEW) {
        struct tcplan_error error = {0};
        bool given = false;
        base_alloc_fail_after(successes);
        const enum tcplan_status status = call(&given, &error);
        is_out = memory_is_out();
        base_alloc_fail_after(-1);
        assert_int_equal(given, status == TCPLAN_OK);
        if (status == TCPLAN_OK) continue;
        if (status != TCPLAN_NO_MEMORY || !is_out)
            fail_msg("after %ld requests: status %d, %s", successes, (int)status, error.message);
        assert_int_equal(error.status, TCPLAN_NO_MEMORY);
        assert_true(*error.message);
        failed++;
    }
    return failed;
}

static enum tcplan_status said(enum tcplan_status status, bool *given, struct tcplan_error *error) {
    *given = status == TCPLAN_OK;
    error->status = status;
    snprintf(error->message, sizeof error->message, "no further detail");
    return status;
}

static enum tcplan_status of_text(char *text, bool *given, struct tcplan_error *error) {
    const bool is_there = text != NULL;
    free(text);
    return said(is_there ? TCPLAN_OK : TCPLAN_NO_MEMORY, given, error);
}

/* Products. */

static enum tcplan_status of_product(enum tcplan_status status, struct tcplan_product *made,
                                     bool *given) {
    *given = made != NULL;
    tcplan_product_free(made);
    return status;
}

static enum tcplan_status parse(bool *given, struct tcplan_error *error) {
    struct tcplan_product *made = NULL;
    const enum tcplan_status status = tcplan_product_parse(
        &made, "D[row,col]=0.5*A[row,k]*conj(B)[k,col]+(1,2)*C[col,row]", "row=3,col=4,k=5",
        "D=2,9", TCPLAN_FLOAT_COMPLEX, TCPLAN_ROW_MAJOR, error);
    return of_product(status, made, given);
}

static enum tcplan_status make(bool *given, struct tcplan_error *error) {
    static const int64_t left[] = {7, 9}, right[] = {9, 8}, result[] = {7, 8}, extents[] = {2, 3},
                         others[] = {3, 4}, both[] = {2, 4};
    const struct tcplan_dimensions one = {.rank = 2, .label = left, .extent = extents},
                                   two = {.rank = 2, .label = right, .extent = others},
                                   made_of = {.rank = 2, .label = result, .extent = both};
    struct tcplan_product *made = NULL;
    const enum tcplan_status status = tcplan_product_make(
        &made, &one, &two, NULL, &made_of, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, error);
    return of_product(status, made, given);
}

static enum tcplan_status einsum(bool *given, struct tcplan_error *error) {
    static const int64_t left[] = {6, 2, 3}, right[] = {3, 4};
    const struct tcplan_dimensions one = {.rank = 3, .extent = left},
                                   two = {.rank = 2, .extent = right};
    struct tcplan_product *made = NULL;
    const enum tcplan_status status = tcplan_product_einsum(&made, "...ij,jk", &one, &two, NULL,
                                                            TCPLAN_FLOAT, TCPLAN_ROW_MAJOR, error);
    return of_product(status, made, given);
}

static enum tcplan_status product_text(bool *given, struct tcplan_error *error) {
    return of_text(tcplan_product_text(product), given, error);
}

static enum tcplan_status product_sizes(bool *given, struct tcplan_error *error) {
    return of_text(tcplan_product_sizes(product), given, error);
}

static enum tcplan_status product_strides(bool *given, struct tcplan_error *error) {
    return of_text(tcplan_product_strides(product), given, error);
}

static void products_report_out_of_memory(void **state) {
    static call_fn *const calls[] = {parse,        make,          einsum,
                                     product_text, product_sizes, product_strides};
    (void)state;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        assert_true(with_every_request_failing(calls[c]) > 0);
}

/* Planners. */

static enum tcplan_status planner_new(bool *given, struct tcplan_error *error) {
    struct tcplan_planner *made = NULL;
    const enum tcplan_status status = tcplan_planner_new(&made, error);
    *given = made != NULL;
    tcplan_planner_free(made);
    return status;
}

/** Makes a planner while memory is available. */
static struct tcplan_planner *another_planner(void) {
    struct tcplan_planner *made = NULL;
    assert_int_equal(tcplan_planner_new(&made, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(made, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    return made;
}

static struct tcplan_planner *named; /* the planner that the running test uses */

static enum tcplan_status set_store(bool *given, struct tcplan_error *error) {
    return said(tcplan_planner_set_store(named, store, NULL), given, error);
}

static enum tcplan_status set_plans(bool *given, struct tcplan_error *error) {
    return said(tcplan_planner_set_plans(named, plans, NULL), given, error);
}

static void planners_report_out_of_memory(void **state) {
    (void)state;
    assert_true(with_every_request_failing(planner_new) > 0);
    named = another_planner();
    assert_true(with_every_request_failing(set_store) > 0);
    assert_true(with_every_request_failing(set_plans) > 0);
    tcplan_planner_free(named);
}

/* Plans. */

static enum tcplan_status of_plan(enum tcplan_status status, struct tcplan_plan *made,
                                  bool *given) {
    *given = made != NULL;
    if (made) assert_true(*tcplan_plan_algorithm(made));
    tcplan_plan_free(made);
    return status;
}

static enum tcplan_status plan_new(bool *given, struct tcplan_error *error) {
    struct tcplan_plan *made = NULL;
    const enum tcplan_status status = tcplan_plan_new(&made, named, product, error);
    return of_plan(status, made, given);
}

static enum tcplan_status plan_named(bool *given, struct tcplan_error *error) {
    struct tcplan_plan *made = NULL;
    const enum tcplan_status status = tcplan_plan_named(&made, named, product, "a-dgemv", error);
    return of_plan(status, made, given);
}

static enum tcplan_status describe(bool *given, struct tcplan_error *error) {
    return of_text(tcplan_plan_describe(plan), given, error);
}

static enum tcplan_status emit(bool *given, struct tcplan_error *error) {
    char *text = NULL;
    const enum tcplan_status status = tcplan_plan_emit(&text, plan, "multiply", true, error);
    *given = text != NULL;
    free(text);
    return status;
}

static enum tcplan_status workspace(bool *given, struct tcplan_error *error) {
    struct tcplan_plan *own = plan;
    return said(tcplan_plan_workspace(own, 2) >= 0 ? TCPLAN_OK : TCPLAN_NO_MEMORY, given, error);
}

static enum tcplan_status listing(bool *given, struct tcplan_error *error) {
    struct tcplan_listing *made = NULL;
    const enum tcplan_status status = tcplan_listing_new(&made, named, product, error);
    *given = made != NULL;
    tcplan_listing_free(made);
    return status;
}

static enum tcplan_status blas_advice(bool *given, struct tcplan_error *error) {
    return of_text(tcplan_blas_advice(store, NULL), given, error);
}

static void plans_and_listings_report_out_of_memory(void **state) {
    (void)state;
    named = another_planner();
    assert_true(with_every_request_failing(plan_new) > 0);
    assert_true(with_every_request_failing(plan_named) > 0);
    assert_true(with_every_request_failing(describe) > 0);
    assert_true(with_every_request_failing(blas_advice) > 0);
    assert_true(with_every_request_failing(emit) > 0);
    with_every_request_failing(workspace);
    assert_true(with_every_request_failing(listing) > 0);
    tcplan_planner_free(named);
}

static void plans_that_time_something_report_out_of_memory(void **state) {
    (void)state;
    named = another_planner();
    assert_int_equal(tcplan_planner_set_effort(named, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_time_limit(named, 0.01, NULL), TCPLAN_OK);
    assert_true(with_every_request_failing(plan_new) > 0);
    tcplan_planner_free(named);
}

/** With failing allocations, planning works without stored data, or fails and leaves the stored
 * data unchanged. */
static void plans_with_stored_data_report_out_of_memory(void **state) {
    (void)state;
    named = another_planner();
    assert_int_equal(tcplan_planner_set_store(named, store, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_plans(named, plans, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(named, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_OK);
    struct tcplan_plan *made = NULL;
    assert_int_equal(tcplan_plan_new(&made, named, product, NULL), TCPLAN_OK);
    tcplan_plan_free(made);
    assert_true(with_every_request_failing(plan_new) > 0);
    assert_int_equal(tcplan_plan_new(&made, named, product, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_origin(made), TCPLAN_PLAN_STORED);
    tcplan_plan_free(made);
    tcplan_planner_free(named);
}

static enum tcplan_status plans_describe(bool *given, struct tcplan_error *error) {
    char *text = NULL;
    size_t count = 0;
    const enum tcplan_status status = tcplan_plans_describe(&text, &count, plans, error);
    *given = text != NULL;
    if (text) assert_int_equal(count, 1);
    free(text);
    return status;
}

static enum tcplan_status plans_export(bool *given, struct tcplan_error *error) {
    size_t count = 0;
    const enum tcplan_status status = tcplan_plans_export(&count, plans, other, error);
    *given = status == TCPLAN_OK;
    if (*given) assert_int_equal(count, 1);
    return status;
}

static enum tcplan_status plans_import(bool *given, struct tcplan_error *error) {
    size_t count = 0;
    const enum tcplan_status status = tcplan_plans_import(&count, plans, other, error);
    *given = status == TCPLAN_OK;
    return status;
}

static enum tcplan_status plans_forget(bool *given, struct tcplan_error *error) {
    const struct tcplan_plans_choice choice = {.size = sizeof choice, .least_days = 1};
    size_t count = 0;
    const enum tcplan_status status = tcplan_plans_forget(&count, plans, &choice, error);
    *given = status == TCPLAN_OK;
    return status;
}

static void stored_plans(void **state) {
    static call_fn *const calls[] = {plans_describe, plans_export, plans_import, plans_forget};
    (void)state;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        assert_true(with_every_request_failing(calls[c]) > 0);
        struct tcplan_error error = {0};
        bool given = false;
        assert_int_equal(plans_describe(&given, &error),
                         TCPLAN_OK); /* the stored plan is still readable */
    }
}

/* Execution. */

static double left[2 * I + 20 * A], right[I * B], result[A * B];

static bool is_untouched(void) {
    for (int e = 0; e < A * B; e++) {
        if (result[e] != -1) return false;
    }
    return true;
}

static void assert_computed(double alpha) {
    for (int a = 0; a < A; a++) {
        for (int b = 0; b < B; b++) {
            double sum = 0;
            for (int i = 0; i < I; i++) sum += left[2 * i + 20 * a] * right[i + I * b];
            assert_true(result[a + A * b] == alpha * sum);
        }
    }
}

/** Makes a plan and executes it once: the first execution allocates memory. */
static enum tcplan_status execute(bool *given, struct tcplan_error *error) {
    static const double factor = 3;
    struct tcplan_plan *fresh = NULL;
    for (int e = 0; e < A * B; e++) result[e] = -1;
    enum tcplan_status status = tcplan_plan_named(&fresh, NULL, product, "'A-dgemm", error);
    const struct tcplan_execution execution = {.size = sizeof execution,
                                               .A = left,
                                               .B = right,
                                               .D = result,
                                               .alpha = &factor,
                                               .threads = 2};
    if (status == TCPLAN_OK) status = tcplan_plan_run(fresh, &execution, error);
    *given = status == TCPLAN_OK;
    assert_true(*given || is_untouched());
    if (*given) assert_computed(factor);
    tcplan_plan_free(fresh);
    return status;
}

static void executions_report_out_of_memory(void **state) {
    (void)state;
    for (size_t e = 0; e < sizeof left / sizeof *left; e++) left[e] = (double)(e % 7) - 3;
    for (size_t e = 0; e < sizeof right / sizeof *right; e++) right[e] = (double)(e % 5) - 2;
    assert_true(with_every_request_failing(execute) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_report_out_of_memory),
        cmocka_unit_test(planners_report_out_of_memory),
        cmocka_unit_test(plans_and_listings_report_out_of_memory),
        cmocka_unit_test(plans_that_time_something_report_out_of_memory),
        cmocka_unit_test(plans_with_stored_data_report_out_of_memory),
        cmocka_unit_test(stored_plans),
        cmocka_unit_test(executions_report_out_of_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
