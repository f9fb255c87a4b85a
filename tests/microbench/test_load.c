/*
 * Tests the measurement of other load on the machine: shares and numbers of cores are plausible, on
 * an idle machine and while another process computes.
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/timing/clock.h"
#include "microbench/timing/load.h"

/* Time spans shorter than a fifth of a second have no report, longer ones have one. */
#define SHORT_NS 190000000
#define SPAN_NS 300000000

static void assert_report(const struct load_report *report) {
    assert_true(report->lost_share >= 0 && report->lost_share <= 1);
    assert_true(isfinite(report->other_cores));
    /* The system counts the time of each processor in hundredths of a second, so it may be off by
     * 10 %. */
    assert_true(report->other_cores <= (double)sysconf(_SC_NPROCESSORS_CONF) * 1.1);
}

/** Returns whether the system's counts of processor time have changed since the mark. */
static bool is_counted(const struct load_mark *mark) {
    return mark->machine_seconds >= 0 && load_begin().machine_seconds > mark->machine_seconds;
}

static void sleep_ns(int64_t ns) {
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)ns};
    while (nanosleep(&rest, &rest)) continue;
}

static void spans_too_short_to_tell_say_so(void **state) {
    (void)state;
    uint64_t taken_ns;
    do { /* repeated if another process interrupted the test for that long */
        const struct load_mark mark = load_begin();
        const struct load_report report = load_end(&mark);
        taken_ns = clock_now_ns() - mark.wall_ns;
        assert_report(&report);
        if (taken_ns < SHORT_NS) assert_true(report.other_cores < 0);
    } while (taken_ns >= SHORT_NS);
}

static void a_thread_that_rests_has_lost_that_time(void **state) {
    (void)state;
    const struct load_mark mark = load_begin();
    const uint64_t cpu_ns = clock_thread_cpu_ns();
    sleep_ns(SPAN_NS);
    const struct load_report report = load_end(&mark);
    const double own_ns = (double)(clock_thread_cpu_ns() - cpu_ns),
                 all_ns = (double)(clock_now_ns() - mark.wall_ns);
    assert_report(&report);
    assert_true(report.lost_share > 0.99 - own_ns / all_ns);
}

static void own_work_is_not_other_load(void **state) {
    (void)state;
    const struct load_mark mark = load_begin();
    while (clock_now_ns() - mark.wall_ns < SPAN_NS) continue;
    const struct load_report report = load_end(&mark);
    const struct load_mark end = load_begin();
    assert_report(&report);
    if (!is_counted(&mark)) skip();
    const double own_seconds = end.process_seconds - mark.process_seconds;
    const double others_seconds = fmax(0, end.machine_seconds - mark.machine_seconds - own_seconds);
    const double tick_seconds = 0.011 * (double)sysconf(_SC_NPROCESSORS_CONF);
    assert_true(own_seconds > 0 && report.other_cores >= 0);
    /* The end of the span was read after the report. */
    assert_true(report.other_cores * 1e-9 * SPAN_NS <= others_seconds + tick_seconds);
}

static pid_t spinning_child(void) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (;;) clock_now_ns();
    }
    return child;
}

static void a_process_that_computes_is_other_load(void **state) {
    (void)state;
    const pid_t child = spinning_child();
    const struct load_mark mark = load_begin();
    sleep_ns(SPAN_NS);
    const struct load_report report = load_end(&mark);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_report(&report);
    if (!is_counted(&mark)) skip();
    assert_true(report.other_cores > 0);
}

static void *spin(void *context) {
    const atomic_bool *ends = context;
    while (!atomic_load(ends)) continue;
    return NULL;
}

static void waiting_for_other_threads_has_a_limit(void **state) {
    (void)state;
    atomic_bool ends = false;
    pthread_t other;
    assert_true(load_await_rest(1000000000)); /* returns at once: there is no other load */
    assert_int_equal(pthread_create(&other, NULL, spin, &ends), 0);
    load_await_rest(3000000); /* the other process computes, unless it gets no processor */
    atomic_store(&ends, true);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_true(load_await_rest(1000000000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_other_threads_has_a_limit),
        cmocka_unit_test(spans_too_short_to_tell_say_so),
        cmocka_unit_test(a_thread_that_rests_has_lost_that_time),
        cmocka_unit_test(own_work_is_not_other_load),
        cmocka_unit_test(a_process_that_computes_is_other_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
