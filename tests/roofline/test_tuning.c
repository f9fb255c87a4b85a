#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cachesim/places.h"
#include "tcplan/tuning.h"

/* The tests start their own program for each invocation. */
static const char *const serving[] = {"/proc/self/exe", "serve", NULL};

static struct tcplan_tune_options quick(enum tcplan_tuned benchmark,
                                        const struct tcplan_machine *machine) {
    struct tcplan_tune_options options = tcplan_tune_defaults();
    options.benchmark = benchmark;
    options.invocations = options.iterations = 1;
    options.seconds = 0.01;
    options.machine = machine;
    options.program = serving;
    return options;
}

static struct tcplan_machine small_machine(void) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    const enum tcplan_status status = tcplan_machine_load(
        &machine, "pack:1 l3:1(size=256KiB) l2:1(size=32KiB) l1d:1(size=8KiB) core:1 pu:1", &error);
    if (status != TCPLAN_OK) fail_msg("%s", error.message);
    return machine;
}

static void every_part_of_the_machine_has_its_rows(void **state) {
    (void)state;
    const struct tcplan_machine machine = small_machine();
    const struct tcplan_tune_options options = quick(TCPLAN_TUNED_TRIAD, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    struct places places;
    struct place_part part[PLACE_SCOPES];
    assert_int_equal(places_load(&places, NULL, &error), TCPLAN_OK);
    const int parts = places_parts(part, &places);
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_int_equal(tuning.count, 2 * parts);
    for (int r = 0; r < tuning.count; r++) {
        const struct tcplan_tuned_row *row = &tuning.row[r];
        assert_int_equal(row->threads, part[r / 2].threads);
        assert_string_equal(row->part, place_scope_name(part[r / 2].scope));
        assert_string_equal(row->level, r % 2 ? "DRAM" : "L3");
        assert_int_equal(row->lost, 0);
        assert_true(row->configurations > 0 && row->seconds > 0);
        assert_true(!row->found || (row->rate > 0 && row->elements > 0 && row->used_threads >= 1 &&
                                    row->used_threads <= row->threads));
    }
    assert_string_equal(tuning.lost_reason, "");
    tcplan_tuning_free(&tuning);
}

static void one_number_of_threads_can_be_asked_for(void **state) {
    (void)state;
    const struct tcplan_machine machine = small_machine();
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_DGEMM, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    options.threads = 1;
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_int_equal(tuning.count, 1);
    assert_string_equal(tuning.row[0].part, "core");
    assert_int_equal(tuning.row[0].configurations, 45);
    assert_true(!tuning.row[0].found ||
                (tuning.row[0].m > 0 && tuning.row[0].slowest <= tuning.row[0].rate));
    tcplan_tuning_free(&tuning);
}

static void each_configuration_may_have_its_row(void **state) {
    (void)state;
    const struct tcplan_machine machine = small_machine();
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_CGEMM, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    options.threads = 1;
    options.configurations = true;
    options.extents = TCPLAN_TUNE_QUICK;
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_int_equal(tuning.count, 45);
    for (int r = 0; r < tuning.count; r++) {
        const struct tcplan_tuned_row *row = &tuning.row[r];
        assert_int_equal(row->configurations, 1);
        assert_int_equal(row->k, 32 << r % 5);
        assert_int_equal(row->m, 128 << 2 * (r / 5 % 3));
        assert_true(row->rate == row->slowest && row->found == (row->invocations > 0));
        assert_true(tuning.peak.core_gflops == 0 ||
                    row->peak == 2 * tuning.peak.core_gflops); /* half as long numbers */
    }
    tcplan_tuning_free(&tuning);
}

static void processes_that_die_do_not_end_the_tuning(void **state) {
    (void)state;
    static const char *const dying[] = {"/proc/self/exe", "die", NULL};
    const struct tcplan_machine machine = small_machine();
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_TRIAD, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    options.threads = 1;
    options.program = dying;
    assert_int_equal(tcplan_tune(&tuning, &options, &error), TCPLAN_OK);
    assert_int_equal(tuning.count, 2);
    for (int r = 0; r < 2; r++) {
        assert_false(tuning.row[r].found);
        assert_int_equal(tuning.row[r].left_out, tuning.row[r].configurations);
        assert_int_equal(tuning.row[r].lost, 2 * tuning.row[r].configurations);
    }
    assert_non_null(strstr(tuning.lost_reason, "status 3"));
    tcplan_tuning_free(&tuning);
}

/* The system reports a last cache of 256 KiB. Measured: 96 KiB for one thread, and 40 KiB in the
 * L2 caches of two threads together. */
static void caches_have_their_measured_sizes(void **state) {
    (void)state;
    const struct tcplan_machine machine = small_machine();
    struct tcplan_level level[] = {
        {.name = "L2", .cache = 1, .threads = 2, .holds_bytes = 40 << 10},
        {.name = "L3", .cache = 2, .threads = 2, .holds_bytes = 500 << 10},
        {.name = "L3", .cache = 2, .threads = 1, .holds_bytes = 96 << 10},
        {.name = "DRAM", .cache = 3, .threads = 1}};
    const struct tcplan_roofline known = {.machine = machine, .level_count = 4, .level = level};
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_TRIAD, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    options.threads = 1;
    options.known = &known;
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(tuning.cache_found && tuning.reported_cache_bytes == 256 << 10);
    assert_int_equal(tuning.machine.cache[0].size_bytes, 8 << 10);
    assert_int_equal(tuning.machine.cache[1].size_bytes,
                     20 << 10); /* size of each of the two L2 caches */
    assert_int_equal(tuning.machine.cache[2].size_bytes, 96 << 10);
    assert_string_equal(tuning.row[1].level, "DRAM");
    assert_int_equal(tuning.row[1].wanted_bytes, 4 * (96 << 10));
    tcplan_tuning_free(&tuning);
}

static void insufficient_memory_is_reported(void **state) {
    (void)state;
    const struct tcplan_machine machine = small_machine();
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_TRIAD, &machine);
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    options.threads = 1;
    options.max_memory_bytes = 600 << 10;
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(!tuning.cache_found && tuning.row[1].reduced && !tuning.row[1].too_little_memory);
    tcplan_tuning_free(&tuning);
    options.max_memory_bytes = 100 << 10;
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_int_equal(tuning.count, 2);
    assert_true(tuning.row[1].too_little_memory && !tuning.row[1].found &&
                tuning.row[1].wanted_bytes == 1 << 20);
    tcplan_tuning_free(&tuning);
    options.max_memory_bytes = INT64_MAX; /* more than available */
    if (tcplan_tune(&tuning, &options, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_true(tuning.available_bytes == 0 ||
                tuning.options.max_memory_bytes <= tuning.available_bytes);
    tcplan_tuning_free(&tuning);
}

static void check_refused(const struct tcplan_tune_options *options, enum tcplan_status status,
                          const char *message) {
    struct tcplan_tuning tuning;
    struct tcplan_error error;
    assert_int_equal(tcplan_tune(&tuning, options, &error), status);
    if (!strstr(error.message, message)) fail_msg("'%s' is not in '%s'", message, error.message);
}

static void options_out_of_range_are_refused(void **state) {
    (void)state;
    struct tcplan_tune_options options = tcplan_tune_defaults();
    options.invocations = 0;
    check_refused(&options, TCPLAN_INVALID, "number of invocations, found 0");
    options = tcplan_tune_defaults();
    options.iterations = 1000001;
    check_refused(&options, TCPLAN_INVALID, "number of iterations, found 1000001");
    options = tcplan_tune_defaults();
    options.least_count = 0;
    check_refused(&options, TCPLAN_INVALID, "least count, found 0");
    options = tcplan_tune_defaults();
    options.seconds = 0;
    check_refused(&options, TCPLAN_INVALID, "expected a time above 0 s");
    options = tcplan_tune_defaults();
    options.tolerance = 1;
    check_refused(&options, TCPLAN_INVALID, "expected a tolerance");
    options = tcplan_tune_defaults();
    options.stops = 8;
    check_refused(&options, TCPLAN_INVALID, "expected the stops C, I and O");
    options = tcplan_tune_defaults();
    options.max_memory_bytes = -1;
    check_refused(&options, TCPLAN_INVALID, "expected a memory limit");
    options = tcplan_tune_defaults();
    options = tcplan_tune_defaults();
    options.provider = TCPLAN_PROVIDER_FILE_4;
    check_refused(&options, TCPLAN_NOT_APPLICABLE, "this program has no library blas4");
    options = tcplan_tune_defaults();
    options.threads = PLACES_MAX + 1;
    check_refused(&options, TCPLAN_INVALID,
                  "one for each core that this process may use, found 1025");
}

static void a_program_that_cannot_be_started_is_an_error(void **state) {
    (void)state;
    static const char *const nothing[] = {"/nowhere/tcplan", NULL};
    struct tcplan_tune_options options = quick(TCPLAN_TUNED_TRIAD, NULL);
    options.threads = 1;
    options.program = nothing;
    check_refused(&options, TCPLAN_ENVIRONMENT, "cannot start '/nowhere/tcplan'");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_of_the_machine_has_its_rows),
        cmocka_unit_test(one_number_of_threads_can_be_asked_for),
        cmocka_unit_test(each_configuration_may_have_its_row),
        cmocka_unit_test(processes_that_die_do_not_end_the_tuning),
        cmocka_unit_test(caches_have_their_measured_sizes),
        cmocka_unit_test(insufficient_memory_is_reported),
        cmocka_unit_test(options_out_of_range_are_refused),
        cmocka_unit_test(a_program_that_cannot_be_started_is_an_error),
    };
    if (argc > 1) return strcmp(argv[1], "serve") == 0 && tcplan_tune_serve() ? EXIT_SUCCESS : 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
