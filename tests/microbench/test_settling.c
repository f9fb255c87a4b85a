/*
 * Tests references of a core that needs some time to reach its full speed. Times are scripted: no
 * clock is read, and no work is done.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "microbench/timing/settling.h"

#define CALL_SECONDS 5e-6

/** A simulated core. Its calls take longer until it has been busy for a while, and while it is
 * shared with another load. */
struct core {
    double settling_seconds; /**< busy time after which the core is at full speed */
    double unsettled;        /**< factor of times until then */
    double shared;           /**< factor of times due to other load */
    double busy_seconds;     /**< total time of all calls */
    double now;
    int calls;
};

static double call(void *context) {
    struct core *core = context;
    const double seconds = CALL_SECONDS * core->shared *
                           (core->busy_seconds < core->settling_seconds ? core->unsettled : 1);
    core->busy_seconds += seconds;
    core->now += seconds;
    core->calls++;
    return seconds;
}

static struct core a_core(void) {
    return (struct core){.settling_seconds = 3e-4, .unsettled = 1.4, .shared = 1, .now = 1};
}

/** Lets time pass with other work, after which the core is not at full speed. */
static void do_something_else(struct core *core, double seconds) {
    core->now += seconds;
    core->busy_seconds = 0;
}

static double reference(struct settling *settling, struct core *core) {
    core->calls = 0;
    return settling_reference(settling, core->now, SETTLING_REFERENCE_SECONDS, call, core);
}

static void assert_close(double found, double expected) {
    if (!(fabs(found / expected - 1) < 1e-9)) fail_msg("%g instead of %g", found, expected);
}

static void a_reference_counts_when_the_core_has_settled(void **state) {
    (void)state;
    struct core core = a_core();
    struct settling settling = {0};
    assert_close(reference(&settling, &core), CALL_SECONDS);
    for (int i = 0; i < 10; i++) {
        do_something_else(&core, 10e-3);
        assert_close(reference(&settling, &core), CALL_SECONDS);
    }
}

/** A core at full speed needs few calls to confirm it, and none if it was confirmed just before. */
static void a_core_that_has_settled_costs_few_calls(void **state) {
    (void)state;
    struct core core = a_core();
    struct settling settling = {0};
    reference(&settling, &core);
    core.now += 10e-3; /* other work of the same kind leaves the core at full speed */
    assert_close(reference(&settling, &core), CALL_SECONDS);
    assert_int_equal(core.calls, SETTLING_FEWEST);
    core.now += SETTLED_SECONDS / 2;
    core.shared = 1.5;
    assert_close(reference(&settling, &core), 1.5 * CALL_SECONDS);
    assert_int_equal(core.calls, SETTLING_FEWEST);
}

/** Waiting shows whether a core is in a slow clock regime or will still become faster. The wait is
 * limited. */
static void a_slow_core_is_waited_for_and_then_believed(void **state) {
    (void)state;
    struct core core = a_core();
    struct settling settling = {0};
    reference(&settling, &core);
    do_something_else(&core, 10e-3);
    core.shared = 1.5;
    const double begin = core.now;
    assert_close(reference(&settling, &core), 1.5 * CALL_SECONDS);
    assert_true(core.now - begin >= SETTLING_REFERENCE_SECONDS &&
                core.now - begin < SETTLING_REFERENCE_SECONDS + 3 * 1.5 * CALL_SECONDS);
    do_something_else(&core, 10e-3);
    core.calls = 0;
    assert_close(settling_reference(&settling, core.now, 10 * CALL_SECONDS, call, &core),
                 1.4 * 1.5 * CALL_SECONDS);
    assert_in_range(core.calls, SETTLING_FEWEST, 10);
}

/** After a wait, the slow regime is recognised without another wait. It is not recognised for a
 * memory reference without a wait, nor long afterwards. */
static void a_slow_core_is_not_waited_for_again_and_again(void **state) {
    (void)state;
    struct core core = a_core();
    struct settling settling = {0};
    reference(&settling, &core);
    core.unsettled = 1;
    core.shared = 1.5;
    do_something_else(&core, 10e-3);
    assert_close(reference(&settling, &core), 1.5 * CALL_SECONDS);
    assert_true(core.calls > SETTLING_FEWEST);
    do_something_else(&core, SETTLING_MEMORY_SECONDS / 2);
    assert_close(reference(&settling, &core), 1.5 * CALL_SECONDS);
    assert_int_equal(core.calls, SETTLING_FEWEST);
    do_something_else(&core, SETTLING_MEMORY_SECONDS);
    assert_close(reference(&settling, &core), 1.5 * CALL_SECONDS);
    assert_true(core.calls > SETTLING_FEWEST);
    do_something_else(&core, SETTLED_SECONDS * 2);
    core.shared = 1.2;
    assert_close(reference(&settling, &core), 1.2 * CALL_SECONDS);
    assert_true(core.calls > SETTLING_FEWEST);
}

/** Returns a scripted time; the first one is longer, because other code has filled the caches. */
static double call_of_a_script(void *context) {
    const double **next = context;
    return *(*next)++;
}

static void the_first_call_and_interrupted_ones_do_not_count(void **state) {
    (void)state;
    static const double script[] = {1e-6, 9e-3, 5e-6, 5e-6, 5e-6, 5e-6};
    const double *next = script;
    struct settling settling = {.fastest = 5e-6, .until = 2};
    assert_close(
        settling_reference(&settling, 1, SETTLING_REFERENCE_SECONDS, call_of_a_script, &next),
        5e-6);
    assert_int_equal(next - script, SETTLING_FEWEST);
    assert_close(settling.fastest, 5e-6);
}

static void calls_are_repeated_until_they_have_settled_and_no_more(void **state) {
    (void)state;
    assert_int_equal(settling_times(3e-3, 1e-3, 100), 3);
    assert_int_equal(settling_times(3e-3, 0.9e-3, 100), 4);
    assert_int_equal(settling_times(3e-3, 1, 100), 1);
    assert_int_equal(settling_times(3e-3, 1e-9, 100), 100);
    assert_int_equal(settling_times(3e-3, 0, 100), 1);
    assert_int_equal(settling_times(-1, 1e-3, 100), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_counts_when_the_core_has_settled),
        cmocka_unit_test(a_core_that_has_settled_costs_few_calls),
        cmocka_unit_test(a_slow_core_is_waited_for_and_then_believed),
        cmocka_unit_test(a_slow_core_is_not_waited_for_again_and_again),
        cmocka_unit_test(the_first_call_and_interrupted_ones_do_not_count),
        cmocka_unit_test(calls_are_repeated_until_they_have_settled_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
