/* Tests planners: their settings, limits, cancelling, progress and store. */
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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tcplan/machine.h"
#include "tcplan/store.h"
#include "tcplan/tcplan.h"

/** Seconds added to CLOCK_REALTIME but not to CLOCK_MONOTONIC, as if the clock were set between
 * reading it and waiting. */
static atomic_long ahead_seconds;

int clock_gettime(clockid_t clock, struct timespec *out) {
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (clock == CLOCK_REALTIME) out->tv_sec += atomic_load(&ahead_seconds);
    return status;
}

static struct tcplan_product *parse(const char *notation, const char *sizes) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    if (tcplan_product_parse(&product, notation, sizes, NULL, TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
                             &error))
        fail_msg("%s", error.message);
    return product;
}

static struct tcplan_planner *planner_of(enum tcplan_effort effort) {
    struct tcplan_planner *planner = NULL;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    return planner;
}

static void invalid_settings_are_refused(void **state) {
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_QUICK);
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_planner_new(NULL, &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_threads(planner, 4097, &error), TCPLAN_INVALID);
    assert_string_equal(error.message, "expected 1 to 4096 threads, found 4097");
    assert_int_equal(tcplan_planner_set_effort(planner, (enum tcplan_effort)4, NULL),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_effort(planner, (enum tcplan_effort) - 1, NULL),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_effort(NULL, TCPLAN_EFFORT_QUICK, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_time_limit(planner, -1, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_time_limit(planner, 0.0 / 0.0, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_threads(planner, 0, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_threads(planner, 4097, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_workspace(planner, -1, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_alignment(planner, 24, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_alignment(planner, -16, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_preference(planner, (enum tcplan_preference)2, NULL),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_store(planner, "", NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_store(NULL, NULL, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_progress(NULL, NULL, NULL, NULL), TCPLAN_INVALID);
    tcplan_planner_cancel(NULL);
    tcplan_planner_free(planner);
    tcplan_planner_free(NULL);
}

static void every_effort_makes_plans(void **state) {
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=12");
    double *memory = calloc(3 * 144, sizeof *memory);
    (void)state;
    assert_non_null(memory);
    for (int effort = TCPLAN_EFFORT_ESTIMATE; effort <= TCPLAN_EFFORT_THOROUGH; effort++) {
        struct tcplan_planner *planner = planner_of((enum tcplan_effort)effort);
        struct tcplan_plan *plan = NULL;
        struct tcplan_error error = {0};
        double low = 0, high = 0;
        if (tcplan_plan_new(&plan, planner, product, &error) != TCPLAN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(tcplan_plan_origin(plan) == TCPLAN_PLAN_ESTIMATED,
                         effort == TCPLAN_EFFORT_ESTIMATE);
        assert_true(tcplan_plan_seconds(plan, &low, &high) > 0 && low > 0 && low <= high);
        assert_int_equal(tcplan_plan_execute(plan, memory, memory + 144, memory + 288, NULL),
                         TCPLAN_OK);
        tcplan_plan_free(plan);
        tcplan_planner_free(planner);
    }
    free(memory);
    tcplan_product_free(product);
}

static void a_bound_on_temporaries_is_respected(void **state) {
    struct tcplan_product *product = parse("C_abc=A_ica*B_cib", "a=b=c=20,i=8");
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_ESTIMATE);
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_planner_set_workspace(planner, 64, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    char *text = tcplan_plan_describe(plan);
    const char *line = text ? strstr(text, "temporaries:") : NULL;
    assert_non_null(line);
    assert_true(strtol(line + strlen("temporaries:"), NULL, 10) <= 64);
    free(text);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void elements_that_cannot_be_aligned_as_requested_are_refused(void **state) {
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=12");
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_QUICK);
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_planner_set_alignment(planner, 4, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "aligned to 4 bytes"));
    assert_null(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

/* Progress and cancelling. */

struct watcher {
    struct tcplan_planner *planner; /* planner to cancel; NULL: only counts the reports */
    atomic_int calls;
};

static void watch(void *context, const char *activity, double done, double total) {
    struct watcher *watcher = context;
    assert_non_null(activity);
    assert_true(done <= total);
    atomic_fetch_add(&watcher->calls, 1);
    if (watcher->planner) tcplan_planner_cancel(watcher->planner);
}

static void progress_is_reported(void **state) {
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=b=c=12,i=8");
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_QUICK);
    struct tcplan_plan *plan = NULL;
    struct watcher watcher = {.planner = NULL};
    (void)state;
    assert_int_equal(tcplan_planner_set_progress(planner, watch, &watcher, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    assert_true(atomic_load(&watcher.calls) > 0);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void planning_that_is_cancelled_gives_no_plan_and_the_next_one_does(void **state) {
    struct tcplan_product *product = parse("C_abcd=A_aibj*B_jcid", "a=b=c=d=i=j=12");
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_THOROUGH);
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    struct watcher watcher = {.planner = planner};
    (void)state;
    assert_int_equal(tcplan_planner_set_progress(planner, watch, &watcher, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, &error), TCPLAN_CANCELLED);
    assert_int_equal(error.status, TCPLAN_CANCELLED);
    assert_null(plan);
    assert_int_equal(tcplan_planner_set_progress(planner, NULL, NULL, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, &error), TCPLAN_OK);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

/** Arguments and results of a thread that plans one product. */
struct planning {
    struct tcplan_planner *planner;
    const struct tcplan_product *product;
    enum tcplan_status status;
    enum tcplan_plan_origin origin;
};

static void *make_plan(void *context) {
    struct planning *planning = context;
    struct tcplan_plan *plan = NULL;
    planning->status = tcplan_plan_new(&plan, planning->planner, planning->product, NULL);
    planning->origin = tcplan_plan_origin(plan);
    tcplan_plan_free(plan);
    return NULL;
}

/** The progress callback of a planning thread waits here until another thread has finished. */
struct gate {
    atomic_int reached;
    atomic_int open;
};

static void wait_at_gate(void *context, const char *activity, double done, double total) {
    struct gate *gate = context;
    (void)activity, (void)done, (void)total;
    atomic_store(&gate->reached, 1);
    while (!atomic_load(&gate->open)) sched_yield();
}

static void check_that_who_has_no_time_gets_an_estimate(void) {
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=b=c=12,i=8");
    struct tcplan_planner *slow = planner_of(TCPLAN_EFFORT_QUICK),
                          *quick = planner_of(TCPLAN_EFFORT_NORMAL);
    struct planning first = {.planner = slow, .product = product},
                    second = {.planner = quick, .product = product};
    struct gate gate = {.reached = 0};
    pthread_t thread;
    assert_int_equal(tcplan_planner_set_progress(slow, wait_at_gate, &gate, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_time_limit(quick, 0.02, NULL), TCPLAN_OK);
    assert_int_equal(pthread_create(&thread, NULL, make_plan, &first), 0);
    while (!atomic_load(&gate.reached)) sched_yield();
    make_plan(&second);
    atomic_store(&gate.open, 1);
    pthread_join(thread, NULL);
    assert_int_equal(second.status, TCPLAN_OK);
    assert_int_equal(second.origin, TCPLAN_PLAN_ESTIMATED);
    assert_int_equal(first.status, TCPLAN_OK);
    tcplan_planner_free(slow);
    tcplan_planner_free(quick);
    tcplan_product_free(product);
}

static void a_plan_without_time_to_wait_is_an_estimate(void **state) {
    (void)state;
    check_that_who_has_no_time_gets_an_estimate();
}

static void a_clock_that_is_set_back_prolongs_no_wait(void **state) {
    (void)state;
    atomic_store(&ahead_seconds, 3600);
    check_that_who_has_no_time_gets_an_estimate();
    atomic_store(&ahead_seconds, 0);
}

static void a_plan_that_waits_can_be_cancelled(void **state) {
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=b=c=12,i=8");
    struct tcplan_planner *slow = planner_of(TCPLAN_EFFORT_QUICK),
                          *patient = planner_of(TCPLAN_EFFORT_NORMAL);
    struct planning first = {.planner = slow, .product = product},
                    second = {.planner = patient, .product = product, .status = TCPLAN_BUSY};
    struct gate gate = {.reached = 0};
    pthread_t thread[2];
    (void)state;
    assert_int_equal(tcplan_planner_set_progress(slow, wait_at_gate, &gate, NULL), TCPLAN_OK);
    assert_int_equal(pthread_create(&thread[0], NULL, make_plan, &first), 0);
    while (!atomic_load(&gate.reached)) sched_yield();
    assert_int_equal(pthread_create(&thread[1], NULL, make_plan, &second), 0);
    while (pthread_tryjoin_np(thread[1], NULL) != 0) {
        tcplan_planner_cancel(patient); /* repeated, because the other thread may not have started
                                           planning */
        sched_yield();
    }
    assert_int_equal(second.status, TCPLAN_CANCELLED);
    atomic_store(&gate.open, 1);
    pthread_join(thread[0], NULL);
    assert_int_equal(first.status, TCPLAN_OK);
    tcplan_planner_free(slow);
    tcplan_planner_free(patient);
    tcplan_product_free(product);
}

/* The store. */

static size_t entries_in(const char *folder) {
    const struct tcplan_store store = {.folder = folder};
    struct tcplan_store_list list = {0};
    assert_int_equal(tcplan_store_list(&list, &store, NULL), TCPLAN_OK);
    const size_t count = list.count;
    tcplan_store_list_free(&list);
    return count;
}

static void evaluations_are_stored_and_a_failing_store_is_no_error(void **state) {
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=b=c=12,i=8");
    struct tcplan_planner *planner = planner_of(TCPLAN_EFFORT_QUICK);
    struct tcplan_plan *plan = NULL;
    char folder[] = "/tmp/tcplan-planner-XXXXXX", below[64], command[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(below, sizeof below, "%s/store", folder);
    assert_int_equal(tcplan_planner_set_store(planner, below, NULL), TCPLAN_OK);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
        tcplan_plan_free(plan);
        assert_true(entries_in(below) > 0);
    }
    assert_int_equal(tcplan_planner_set_store(planner, "/dev/null/nowhere", NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    tcplan_plan_free(plan);
    assert_int_equal(tcplan_planner_set_store(planner, NULL, NULL), TCPLAN_OK);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

/** Stores measurements in which another core type of the BLAS is five times as fast as the present
 * one. */
static void keep_trials(const char *below) {
    struct tcplan_machine machine;
    assert_int_equal(tcplan_machine_load(&machine, "live", NULL), TCPLAN_OK);
    const struct tcplan_store store = {.folder = below,
                                       .fingerprint = tcplan_fingerprint_make(&machine)};
    struct tcplan_provider_info info;
    struct tcplan_blas_trials trials = {
        .peak_gflops = 100,
        .count = 2,
        .trial = {{.gflops = 10}, {.core = "Best", .setting = "Best", .gflops = 50}}};
    assert_true(tcplan_provider_info(&info, TCPLAN_PROVIDER_BLAS));
    snprintf(trials.trial[0].core, TCPLAN_CORE_NAME, "%s", info.core ? info.core : "");
    assert_int_equal(tcplan_store_keep_blas_trials(&store, &trials, TCPLAN_PROVIDER_BLAS, NULL),
                     TCPLAN_OK);
}

static char *chosen_core(const char *name) {
    static char core[] = "Chosen";
    (void)name;
    return core;
}

static void advice_about_the_blas_comes_from_stored_trials(void **state) {
    char folder[] = "/tmp/tcplan-advice-XXXXXX", command[64];
    const char *variable = tcplan_blas_variable(TCPLAN_PROVIDER_BLAS);
    (void)state;
    assert_non_null(mkdtemp(folder));
    char *before = tcplan_blas_advice(folder, NULL), *without = tcplan_blas_advice(NULL, NULL);
    assert_string_equal(before, without);
    assert_null(strstr(before, "10 GFLOP/s"));
    keep_trials(folder);
    char *after = tcplan_blas_advice(folder, NULL);
    assert_non_null(strstr(after, variable ? "=Best makes dgemm 5.0 times faster" : "10 GFLOP/s"));
    assert_int_equal(after[strlen(after) - 1], '\n');
    char *chosen = tcplan_blas_advice(folder, chosen_core);
    assert_true(!variable || strstr(chosen, " is now set to Chosen\n"));
    free(before), free(without), free(after), free(chosen);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_settings_are_refused),
        cmocka_unit_test(every_effort_makes_plans),
        cmocka_unit_test(a_bound_on_temporaries_is_respected),
        cmocka_unit_test(elements_that_cannot_be_aligned_as_requested_are_refused),
        cmocka_unit_test(progress_is_reported),
        cmocka_unit_test(planning_that_is_cancelled_gives_no_plan_and_the_next_one_does),
        cmocka_unit_test(a_plan_without_time_to_wait_is_an_estimate),
        cmocka_unit_test(a_clock_that_is_set_back_prolongs_no_wait),
        cmocka_unit_test(a_plan_that_waits_can_be_cancelled),
        cmocka_unit_test(evaluations_are_stored_and_a_failing_store_is_no_error),
        cmocka_unit_test(advice_about_the_blas_comes_from_stored_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
