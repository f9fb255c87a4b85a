#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "microbench/timing/clock.h"

static void clocks_do_not_go_back(void **state) {
    (void)state;
    uint64_t wall_ns = clock_now_ns(), cpu_ns = clock_thread_cpu_ns();
    for (int reading = 0; reading < 1000; reading++) {
        const uint64_t next_wall_ns = clock_now_ns(), next_cpu_ns = clock_thread_cpu_ns();
        assert_true(next_wall_ns >= wall_ns && next_cpu_ns >= cpu_ns);
        wall_ns = next_wall_ns;
        cpu_ns = next_cpu_ns;
    }
}

/** Value that all clocks return, in ns; 0: the real time. */
static _Atomic uint64_t said_ns;

int clock_gettime(clockid_t clock, struct timespec *out) {
    const int status = (int)syscall(SYS_clock_gettime, clock, out);
    if (said_ns > 0)
        *out = (struct timespec){.tv_sec = (time_t)(said_ns / 1000000000),
                                 .tv_nsec = (long)(said_ns % 1000000000)};
    return status;
}

static void a_clock_never_goes_back_and_times_are_positive(void **state) {
    (void)state;
    const uint64_t now_ns =
        clock_now_ns() + 1000000000; /* a wall time far above the CPU time of the thread */
    said_ns = now_ns;
    assert_true(clock_now_ns() == now_ns && clock_thread_cpu_ns() == now_ns);
    const struct clock_start start = clock_start();
    said_ns = now_ns - 500000000;
    assert_true(clock_now_ns() == now_ns && clock_thread_cpu_ns() == now_ns);
    assert_true(clock_since_ns(now_ns) == 1);
    assert_true(clock_since_ns(now_ns + 7) == 1); /* the start time may be later, as another thread
                                                     may have read it: the result is at least 1 */
    assert_true(clock_stop(&start, true).ns == 1 && clock_stop(&start, false).ns == 1);
    said_ns = now_ns + 70;
    assert_true(clock_since_ns(now_ns) == 70 && clock_stop(&start, true).ns == 70);
    said_ns = 0;
}

static void a_thread_that_had_its_core_is_not_disturbed(void **state) {
    (void)state;
    assert_false(clock_disturbed(0, 0));
    assert_false(clock_disturbed(1e6, 1e6));
    assert_false(clock_disturbed(1e6, 1.2e6)); /* no load: the difference is that between two
                                                  readings */
    assert_false(clock_disturbed(1.05e9, 1e9));
}

static void clock_overhead_is_not_a_disturbance(void **state) {
    (void)state;
    assert_false(clock_disturbed(3000, 0));
    assert_false(clock_disturbed(3500, 1000));
    assert_true(clock_disturbed(5000, 1000));
}

static void a_thread_that_lost_its_core_is_disturbed(void **state) {
    (void)state;
    assert_true(clock_disturbed(1.2e6, 1e6));
    assert_true(clock_disturbed(4e6, 20e3)); /* load: another thread had a time slice */
}

static void time_without_the_core_is_not_the_threads(void **state) {
    (void)state;
    const struct timing quiet = clock_timing(1e6, 0.99e6, true),
                        lost = clock_timing(4e6, 1e6, true),
                        several = clock_timing(4e6, 1e6, false);
    assert_true(quiet.ns == 1e6 && !quiet.disturbed);
    assert_true(lost.ns == 1e6 && lost.disturbed);
    assert_true(several.ns == 4e6 && several.disturbed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_do_not_go_back),
        cmocka_unit_test(a_clock_never_goes_back_and_times_are_positive),
        cmocka_unit_test(a_thread_that_had_its_core_is_not_disturbed),
        cmocka_unit_test(clock_overhead_is_not_a_disturbance),
        cmocka_unit_test(a_thread_that_lost_its_core_is_disturbed),
        cmocka_unit_test(time_without_the_core_is_not_the_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
