#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "roofline/timing/summary.h"
#include "roofline/timing/team.h"

enum { THREADS = 3, WINDOWS = 5 };

/** What the threads of a team observed. */
struct log {
    int64_t calls[THREADS];
    int64_t last[THREADS];
    bool gap;
    int wrong_thread; /* -1: none */
};

static bool note(void *context, int thread, int64_t window) {
    struct log *log = context;
    if (log->calls[thread] > 0 && window != log->last[thread] + 1) log->gap = true;
    log->calls[thread]++;
    log->last[thread] = window;
    return thread != log->wrong_thread;
}

static struct team *started(int threads) {
    struct team *team = NULL;
    struct tcplan_error error;
    if (team_new(&team, threads, NULL, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return team;
}

static void every_active_thread_works_once_in_a_run(void **state) {
    struct team *team = started(THREADS);
    struct log log = {.wrong_thread = -1};
    (void)state;
    assert_true(team_run(team, 2, note, &log));
    assert_int_equal(log.calls[0], 1);
    assert_int_equal(log.calls[1], 1);
    assert_int_equal(log.calls[2], 0);
    log = (struct log){.wrong_thread = 1};
    assert_false(team_run(team, THREADS, note, &log));
    team_free(team);
}

static void windows_are_counted_and_numbered(void **state) {
    struct team *team = started(THREADS);
    struct log log = {.wrong_thread = -1};
    double seconds[WINDOWS];
    struct team_series series = {
        .first = 10, .wanted = WINDOWS, .attempts = 50, .seconds = seconds};
    (void)state;
    team_time(team, THREADS, note, &log, &series);
    assert_true(series.counted <= WINDOWS);
    assert_true(series.counted == WINDOWS || series.counted + series.dropped == 50);
    assert_false(series.wrong);
    assert_false(log.gap);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(log.calls[t], 1 + series.counted + series.dropped);
        assert_int_equal(log.last[t], 10 + series.counted + series.dropped);
    }
    team_free(team);
}

static void references_surround_windows_on_request(void **state) {
    struct team *team = started(THREADS);
    struct log log = {.wrong_thread = -1};
    double seconds[WINDOWS], references[WINDOWS];
    struct team_series series = {
        .wanted = WINDOWS, .attempts = 50, .seconds = seconds, .references = references};
    (void)state;
    team_time(team, THREADS, note, &log, &series);
    for (int w = 0; w < series.counted; w++) assert_true(references[w] > 0.2e-6); /* 221 kFLOP */
    team_free(team);
}

static void a_wrong_result_ends_the_series(void **state) {
    struct team *team = started(2);
    struct log log = {.wrong_thread = 1};
    double seconds[WINDOWS];
    struct team_series series = {.wanted = WINDOWS, .attempts = 50, .seconds = seconds};
    (void)state;
    team_time(team, 2, note, &log, &series);
    assert_true(series.wrong);
    assert_int_equal(log.calls[1], 1);
    team_free(team);
}

static void more_threads_than_cores_are_not_bound(void **state) {
    struct team *team = started(300);
    (void)state;
    assert_false(team_is_bound(team));
    team_free(team);
}

static void out_of_memory_is_reported(void **state) {
    struct team *team = NULL;
    (void)state;
    for (long successes = 0; successes < 2; successes++) {
        base_alloc_fail_after(successes);
        const enum tcplan_status status = team_new(&team, 2, NULL, NULL);
        base_alloc_fail_after(-1);
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
    team_free(NULL);
}

static void quartiles_are_interpolated(void **state) {
    double odd[] = {5, 1, 3, 2, 4};
    double even[] = {4, 1, 3, 2};
    double one[] = {7};
    (void)state;
    struct summary summary = summary_make(odd, 5);
    assert_true(summary.median == 3 && summary.q1 == 2 && summary.q3 == 4);
    summary = summary_make(even, 4);
    assert_true(summary.median == 2.5 && summary.q1 == 1.75 && summary.q3 == 3.25);
    summary = summary_make(one, 1);
    assert_true(summary.median == 7 && summary.q1 == 7 && summary.q3 == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_active_thread_works_once_in_a_run),
        cmocka_unit_test(windows_are_counted_and_numbered),
        cmocka_unit_test(references_surround_windows_on_request),
        cmocka_unit_test(a_wrong_result_ends_the_series),
        cmocka_unit_test(more_threads_than_cores_are_not_bound),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(quartiles_are_interpolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
