#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/counters/recorded.h"
#include "microbench/timing/ticks.h"
#include "routines/sampler/timing/queue.h"

static const struct queue_options plain = {.threads = 1};

static void prepare(struct call *call, const char *name, const int64_t value[],
                    const struct call_scalar scalar[], void *const data[]) {
    struct routine routine;
    struct tcplan_error error;
    if (routine_parse(&routine, name, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    if (call_prepare(call, &routine, value, scalar, data, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
}

/** Two routines on one element, x := factor x and x := x + 1, whose order the tests can tell. */
static double x[8];

static void prepare_scaling(struct call *call, int place, double factor) {
    const struct call_scalar scalar[4] = {[1] = {factor, 0}};
    void *const data[4] = {[2] = &x[place]};
    prepare(call, "dscal", (const int64_t[]){1, 0, 0, 1}, scalar, data);
}

static void prepare_addition(struct call *call, int place) {
    static double one = 1;
    const struct call_scalar scalar[6] = {[1] = {1, 0}};
    void *const data[6] = {[2] = &one, [4] = &x[place]};
    prepare(call, "daxpy", (const int64_t[]){1, 0, 0, 1, 0, 1}, scalar, data);
}

static void add(struct queue *queue, const struct call *call, int tag) {
    assert_int_equal(queue_add(queue, call, tag, NULL), TCPLAN_OK);
}

static void calls_run_in_order_and_each_has_a_sample(void **state) {
    static struct call twice, more;
    struct queue *queue = queue_new();
    int count;
    (void)state;
    x[0] = 1;
    prepare_scaling(&twice, 0, 2);
    prepare_addition(&more, 0);
    for (int i = 0; i < 100; i++) add(queue, i % 2 == 0 ? &more : &twice, 1000 + i);
    assert_int_equal(queue_length(queue), 100);
    assert_int_equal(queue_run(queue, &plain, NULL), TCPLAN_OK);
    double expected = 1;
    for (int i = 0; i < 50; i++) expected = 2 * (expected + 1);
    assert_true(x[0] == expected);
    const struct sample *sample = queue_samples(queue, &count);
    assert_int_equal(count, 100);
    for (int s = 0; s < count; s++) {
        assert_int_equal(sample[s].tag, 1000 + s);
        assert_true(sample[s].ticks > 0 && sample[s].ns > 0);
        assert_true(fabs(sample[s].ns - (double)sample[s].ticks / ticks_hz() * 1e9) <=
                    1e-3 * sample[s].ns);
    }
    assert_int_equal(queue_stopped_at(queue), -1);
    x[0] = 1; /* the queue can run again with the same calls */
    assert_int_equal(queue_run(queue, &plain, NULL), TCPLAN_OK);
    assert_true(x[0] == expected);
    queue_clear(queue);
    assert_int_equal(queue_length(queue), 0);
    assert_int_equal(queue_run(queue, &plain, NULL), TCPLAN_OK);
    queue_samples(queue, &count);
    assert_int_equal(count, 0);
    queue_free(queue);
    queue_free(NULL);
}

static void a_region_has_one_sample_and_its_sequences_stay_in_order(void **state) {
    static struct call twice[8], more[8], before;
    struct queue *queue = queue_new();
    int count;
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        queue_clear(queue);
        x[0] = 5;
        prepare_scaling(&before, 0, 0);
        add(queue, &before, 1);
        assert_int_equal(queue_begin_region(queue, 2, NULL), TCPLAN_OK);
        for (int p = 0; p < 8; p++) {
            if (p > 0) x[p] = p;
            prepare_scaling(&twice[p], p, 2);
            prepare_addition(&more[p], p);
            assert_int_equal(queue_begin_sequence(queue, NULL), TCPLAN_OK);
            for (int i = 0; i < 10; i++) {
                add(queue, &more[p], 3);
                add(queue, &twice[p], 4);
            }
            queue_end_sequence(queue);
        }
        queue_end_region(queue);
        add(queue, &before, 5);
        const struct queue_options options = {.threads = threads};
        assert_int_equal(queue_run(queue, &options, NULL), TCPLAN_OK);
        const struct sample *sample = queue_samples(queue, &count);
        assert_int_equal(count, 3);
        assert_true(sample[0].tag == 1 && sample[1].tag == 2 && sample[2].tag == 5);
        for (int p = 1; p < 8; p++) assert_true(x[p] == (p + 2) * 1024 - 2);
        assert_true(x[0] == 0);
    }
    queue_free(queue);
}

static void calls_of_a_region_are_pieces_of_their_own(void **state) {
    static struct call twice[8];
    struct queue *queue = queue_new();
    int count;
    (void)state;
    assert_int_equal(queue_begin_region(queue, 7, NULL), TCPLAN_OK);
    for (int p = 0; p < 8; p++) {
        x[p] = p;
        prepare_scaling(&twice[p], p, 2);
        add(queue, &twice[p], 0);
    }
    queue_end_region(queue);
    const struct queue_options options = {.threads = 2};
    assert_int_equal(queue_run(queue, &options, NULL), TCPLAN_OK);
    assert_int_equal(queue_samples(queue, &count)->tag, 7);
    assert_int_equal(count, 1);
    for (int p = 0; p < 8; p++) assert_true(x[p] == 2 * p);
    queue_free(queue);
}

static void sleep_ms(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static void nap(const int *m) {
    sleep_ms(*m);
}

static atomic_bool is_released, is_asleep;

static void sleep_for_ever(const int *m) {
    (void)m;
    atomic_store(&is_asleep, true);
    while (!atomic_load(&is_released)) sleep_ms(1);
    atomic_store(&is_asleep, false);
}

/** Prepares a call of dgerand that calls `function` instead, which reads only the first argument.
 */
static void prepare_other(struct call *call, void (*function)(const int *), int m) {
    static double nothing[1];
    void *const data[4] = {[2] = nothing};
    prepare(call, "dgerand", (const int64_t[]){m, 0, 0, m > 0 ? m : 1}, NULL, data);
    call->routine.function = (routine_fn *)function;
}

static void a_call_that_loses_its_core_is_marked(void **state) {
    static struct call sleeping, short_one;
    struct queue *queue = queue_new();
    int count;
    (void)state;
    prepare_other(&sleeping, nap, 20);
    prepare_scaling(&short_one, 0, 1);
    for (int i = 0; i < 10; i++) add(queue, &short_one, 0);
    add(queue, &sleeping, 1);
    assert_int_equal(queue_run(queue, &plain, NULL), TCPLAN_OK);
    const struct sample *sample = queue_samples(queue, &count);
    assert_int_equal(count, 11);
    assert_true(sample[10].disturbed && sample[10].ns >= 2e7);
    const struct queue_options team = {.threads = 2}; /* threads that wait for others sleep instead
                                                         of spinning */
    assert_int_equal(queue_run(queue, &team, NULL), TCPLAN_OK);
    assert_false(queue_samples(queue, &count)[10].disturbed);
    queue_free(queue);
}

static void a_limit_ends_a_run_between_calls(void **state) {
    static struct call sleeping;
    struct queue *queue = queue_new();
    struct tcplan_error error;
    int count;
    const struct queue_options options = {.threads = 1, .limit_seconds = 0.1};
    (void)state;
    prepare_other(&sleeping, nap, 10);
    for (int i = 0; i < 1000; i++) add(queue, &sleeping, i);
    assert_int_equal(queue_run(queue, &options, &error), TCPLAN_BUSY);
    assert_string_equal(error.message, "not all calls were made within 0.1 s");
    queue_samples(queue, &count);
    assert_true(count < 20 && queue_stopped_at(queue) == count);
    assert_false(queue_given_up(queue));
    queue_clear(queue);
    add(queue, &sleeping, 5);
    const struct queue_options enough = {.threads = 1, .limit_seconds = 60};
    assert_int_equal(queue_run(queue, &enough, &error), TCPLAN_OK);
    queue_samples(queue, &count);
    assert_int_equal(count, 1);
    queue_free(queue);
}

static struct queue *abandoned; /* a queue whose memory its threads still use */

static void a_call_that_never_ends_is_given_up(void **state) {
    static struct call sleeping, short_one;
    struct tcplan_error error;
    int count;
    const struct queue_options options = {.threads = 1, .limit_seconds = 0.1};
    (void)state;
    abandoned = queue_new();
    prepare_scaling(&short_one, 0, 1);
    prepare_other(&sleeping, sleep_for_ever, 0);
    add(abandoned, &short_one, 1);
    add(abandoned, &sleeping, 2);
    add(abandoned, &short_one, 3);
    assert_int_equal(queue_run(abandoned, &options, &error), TCPLAN_BUSY);
    assert_string_equal(error.message, "a call has not returned within 0.1 s");
    assert_true(queue_given_up(abandoned));
    assert_int_equal(queue_stopped_at(abandoned), 2);
    assert_int_equal(queue_samples(abandoned, &count)->tag, 1);
    assert_int_equal(count, 1);
    assert_int_equal(queue_run(abandoned, &options, &error), TCPLAN_BUSY);
    queue_clear(abandoned);
    queue_free(abandoned);
    atomic_store(&is_released, true);
    while (atomic_load(&is_asleep)) sleep_ms(1);
    sleep_ms(20); /* the thread ends */
}

/* Counters and pivots. */

static void counters_are_read_around_each_call(void **state) {
    static const char text[] =
        "counts 1\nevent misses 64 0 lines\nevent instructions 1 0 all\ngrowth 3 1000\n";
    static const enum counter_quantity wanted[] = {COUNTER_INSTRUCTIONS, COUNTER_MISSES,
                                                   COUNTER_CYCLES};
    static struct call short_one;
    struct queue *queue = queue_new();
    struct counter_source *source;
    struct tcplan_error error;
    int count;
    (void)state;
    const unsigned quantities = 1 << COUNTER_MISSES | COUNTER_OF_CORES;
    if (recorded_parse(&source, text, strlen(text),
                       &(struct counter_target){.quantities = quantities}, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    prepare_scaling(&short_one, 0, 1);
    for (int i = 0; i < 3; i++) add(queue, &short_one, i);
    const struct queue_options options = {
        .threads = 1, .source = source, .counters = 3, .counter = wanted};
    assert_int_equal(queue_run(queue, &options, &error), TCPLAN_OK);
    const struct sample *sample = queue_samples(queue, &count);
    assert_int_equal(count, 3);
    for (int s = 0; s < 3; s++) {
        assert_true(sample[s].counter[0] == 1000);
        assert_true(sample[s].counter[1] == 3); /* lines, not bytes */
        assert_true(isnan(sample[s].counter[2]));
    }
    counter_close(source);
    queue_free(queue);
}

static void pivots_are_checked_before_a_call(void **state) {
    static struct call swaps, short_one;
    double a[4] = {1, 2, 3, 4};
    int pivots[2] = {1, 7};
    void *const data[7] = {[1] = a, [5] = pivots};
    struct queue *queue = queue_new();
    struct tcplan_error error;
    int count;
    (void)state;
    prepare_scaling(&short_one, 0, 1);
    prepare(&swaps, "dlaswp", (const int64_t[]){2, 0, 2, 1, 2, 0, 1}, NULL, data);
    add(queue, &short_one, 1);
    add(queue, &swaps, 2);
    assert_int_equal(queue_run(queue, &plain, &error), TCPLAN_INVALID);
    assert_string_equal(error.message,
                        "the pivots that dlaswp reads are not rows of its matrix (1 to 2)");
    assert_int_equal(queue_stopped_at(queue), 2);
    queue_samples(queue, &count);
    assert_int_equal(count, 1);
    assert_true(a[0] == 1 && a[3] == 4);
    pivots[1] = 1;
    pivots[0] = 2;
    assert_int_equal(queue_run(queue, &plain, &error), TCPLAN_OK);
    queue_free(queue);
}

static void out_of_memory_returns_a_status(void **state) {
    static struct call short_one;
    (void)state;
    prepare_scaling(&short_one, 0, 1);
    for (long successes = 0;; successes++) {
        base_alloc_fail_after(successes);
        struct queue *queue = queue_new();
        enum tcplan_status status = queue ? TCPLAN_OK : TCPLAN_NO_MEMORY;
        for (int i = 0; i < 100 && status == TCPLAN_OK; i++)
            status = queue_add(queue, &short_one, i, NULL);
        if (status == TCPLAN_OK) status = queue_run(queue, &plain, NULL);
        base_alloc_fail_after(-1);
        queue_free(queue);
        if (status == TCPLAN_OK) break;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_run_in_order_and_each_has_a_sample),
        cmocka_unit_test(a_region_has_one_sample_and_its_sequences_stay_in_order),
        cmocka_unit_test(calls_of_a_region_are_pieces_of_their_own),
        cmocka_unit_test(a_call_that_loses_its_core_is_marked),
        cmocka_unit_test(a_limit_ends_a_run_between_calls),
        cmocka_unit_test(a_call_that_never_ends_is_given_up),
        cmocka_unit_test(counters_are_read_around_each_call),
        cmocka_unit_test(pivots_are_checked_before_a_call),
        cmocka_unit_test(out_of_memory_returns_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
