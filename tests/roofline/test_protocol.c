#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/counters/recorded.h"
#include "roofline/validation/protocol.h"

static void assert_near(double found, double expected) {
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static struct protocol_sample sample_of(double seconds, double flops, double read, double written) {
    struct protocol_sample out = {.seconds = seconds};
    out.counts.known[COUNTER_FLOPS] = out.counts.known[COUNTER_READ] =
        out.counts.known[COUNTER_WRITTEN] = true;
    out.counts.amount[COUNTER_FLOPS] = flops;
    out.counts.amount[COUNTER_READ] = read;
    out.counts.amount[COUNTER_WRITTEN] = written;
    return out;
}

static void quantities_are_for_one_run_minus_the_loop(void **state) {
    struct protocol_sample sample[3], empty[3];
    struct protocol_result result;
    (void)state;
    for (int i = 0; i < 3; i++) {
        sample[i] = sample_of(1.1 + i, 1010, 510, 260);
        empty[i] = sample_of(0.1, 10, 10, 10);
    }
    assert_int_equal(protocol_summarise(&result, sample, empty, 3, 10, 0, NULL), TCPLAN_OK);
    assert_near(result.overhead.median, 0.1);
    assert_near(result.seconds.median, 0.2);
    assert_near(result.work.median, 100);
    assert_near(result.read.median, 50);
    assert_near(result.written.median, 25);
    assert_near(result.moved.median, 75);
    assert_near(result.gflops.median, 1e-9 * 100 / 0.2);
    assert_near(result.intensity.median, 100.0 / 75);
    assert_near(result.intensity_read.median, 2);
    assert_near(result.intensity_written.median, 4);
}

/* Repeats of one to five seconds; the faster ones have more bytes. */
static void quartiles_cover_both_axes(void **state) {
    struct protocol_sample sample[5], empty[5];
    struct protocol_result result;
    (void)state;
    for (int i = 0; i < 5; i++) {
        sample[i] = sample_of(1 + i, 1e9, 100.0 * (5 - i), 0);
        empty[i] = sample_of(0, 0, 0, 0);
    }
    assert_int_equal(protocol_summarise(&result, sample, empty, 5, 1, 0, NULL), TCPLAN_OK);
    assert_near(result.gflops.median, 1.0 / 3);
    assert_near(result.gflops.q1, 1.0 / 4);
    assert_near(result.gflops.q3, 1.0 / 2);
    assert_near(result.intensity.median, 1e9 / 300);
    assert_near(result.intensity.q1, 1e9 / 400);
    assert_near(result.intensity.q3, 1e9 / 200);
    assert_true(isinf(result.intensity_written.median) &&
                isinf(result.intensity_written.q1)); /* warm caches: nothing is written to memory */
}

static void uncounted_values_are_unknown(void **state) {
    struct protocol_sample sample = sample_of(2, 0, 100, 0), empty = sample_of(0, 0, 0, 0);
    struct protocol_result result;
    (void)state;
    sample.counts.known[COUNTER_FLOPS] = sample.counts.known[COUNTER_WRITTEN] = false;
    assert_int_equal(protocol_summarise(&result, &sample, &empty, 1, 1, 4e9, NULL), TCPLAN_OK);
    assert_true(result.seconds.known && result.read.known && result.gflops.known &&
                result.intensity_read.known);
    assert_false(result.work.known || result.written.known || result.moved.known ||
                 result.intensity.known || result.intensity_written.known);
    assert_near(result.gflops.median, 2); /* GFLOP/s from the analytic number of operations */
    assert_int_equal(protocol_summarise(&result, &sample, &empty, 1, 1, 0, NULL), TCPLAN_OK);
    assert_false(result.gflops.known || result.intensity_read.known);
}

static void disturbed_repeats_count_only_if_all_are_disturbed(void **state) {
    struct protocol_sample sample[3] = {sample_of(1, 1, 1, 1), sample_of(9, 1, 1, 1),
                                        sample_of(8, 1, 1, 1)},
                           empty[3] = {{0}};
    struct protocol_result result;
    (void)state;
    sample[1].disturbed = sample[2].disturbed = true;
    assert_int_equal(protocol_summarise(&result, sample, empty, 3, 1, 1, NULL), TCPLAN_OK);
    assert_near(result.seconds.median, 1);
    assert_int_equal(result.disturbed, 2);
    sample[0].disturbed = true;
    assert_int_equal(protocol_summarise(&result, sample, empty, 3, 1, 1, NULL), TCPLAN_OK);
    assert_near(result.seconds.median, 8);
}

/** Records the requests that the tested protocol makes. */
struct log {
    int64_t runs, empty_runs;
    int calls, empty_calls;
};

static void run(void *context, int64_t runs) {
    struct log *log = context;
    log->runs += runs;
    log->calls++;
}

static void run_empty(void *context, int64_t runs) {
    struct log *log = context;
    log->empty_runs += runs;
    log->empty_calls++;
}

/* Each repeat reads the counters twice: the first increment belongs to the empty loop, the second
 * to the kernel. */
static void recorded_counts_are_those_of_the_repeats(void **state) {
    static const char text[] = "counts 1\n"
                               "event flops 4 256 packed_double\n"
                               "event read 64 0 reads\n"
                               "event written 64 0 writes\n"
                               "growth 0 0 0\n" /* increments up to the first reading */
                               "growth 1 2 3\n" /* the empty loop */
                               "growth 0 0 0\n" /* between them */
                               "growth 51 12 8\n" /* the kernel */;
    struct log log = {0};
    struct counter_source *counts = NULL;
    struct tcplan_error error;
    struct protocol_result result;
    (void)state;
    if (recorded_parse(&counts, text, strlen(text),
                       &(struct counter_target){.quantities = COUNTER_ALL}, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    const struct protocol_target target = {
        .context = &log, .run = run, .run_empty = run_empty, .replicas = 5};
    const struct protocol_options options = {.repeats = 4, .counts = counts, .alone = true};
    if (protocol_run(&result, &target, &options, 0, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    counter_close(counts);
    assert_int_equal(result.repeats, 4);
    assert_int_equal(result.runs,
                     5); /* each of the replicas once, although no minimum time is set */
    assert_int_equal(log.empty_runs, 4 * 5);
    assert_int_equal(log.runs, (4 + 2) * 5); /* two more passes: one fills the caches, one is timed
                                                to set the number of runs */
    assert_near(result.work.median, 4 * 50 / 5.0);
    assert_near(result.read.median, 64 * 10 / 5.0);
    assert_near(result.written.median, 64 * 5 / 5.0);
    assert_near(result.intensity.median, 4 * 50 / (64 * 15.0));
}

static volatile double sink;

static void work_a_while(void *context, int64_t runs) {
    (void)context;
    for (int64_t r = 0; r < runs; r++) sink = sink + 1;
}

static void repeats_fill_the_minimum_time(void **state) {
    const struct protocol_target target = {
        .run = work_a_while, .run_empty = run_empty, .context = &(struct log){0}, .replicas = 1};
    const struct protocol_options options = {.repeats = 2, .least_seconds = 1e-4, .alone = true};
    struct protocol_result result;
    struct tcplan_error error;
    (void)state;
    assert_int_equal(protocol_run(&result, &target, &options, 1, &error), TCPLAN_OK);
    assert_true(result.runs > 100 && result.seconds.median > 0);
    assert_false(result.read.known || result.work.known);
}

static void replicas_exceed_the_cache_times_its_ways(void **state) {
    (void)state;
    assert_int_equal(protocol_replicas(100, 1000, 4, 1 << 20), 40);
    assert_int_equal(protocol_replicas(300, 1000, 4, 1 << 20), 14); /* rounded up */
    assert_int_equal(protocol_replicas(100, 1000, 0, 1 << 20), 10);
    assert_int_equal(protocol_replicas(100, 1000, 4, 2050), 20); /* the limit */
    assert_int_equal(protocol_replicas(5000, 1000, 4, 100), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities_are_for_one_run_minus_the_loop),
        cmocka_unit_test(quartiles_cover_both_axes),
        cmocka_unit_test(uncounted_values_are_unknown),
        cmocka_unit_test(disturbed_repeats_count_only_if_all_are_disturbed),
        cmocka_unit_test(recorded_counts_are_those_of_the_repeats),
        cmocka_unit_test(repeats_fill_the_minimum_time),
        cmocka_unit_test(replicas_exceed_the_cache_times_its_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
