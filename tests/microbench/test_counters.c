#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "microbench/counters/processor.h"
#include "microbench/counters/recorded.h"

static struct counter_source *parse(const char *text, unsigned quantities) {
    struct counter_source *source = NULL;
    struct tcplan_error error = {0};
    if (recorded_parse(&source, text, strlen(text),
                       &(struct counter_target){.quantities = quantities}, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return source;
}

static const char two_sockets[] =
    "counts 1\n"
    "event flops 8 512 FP_ARITH_INST_RETIRED.512B_PACKED_DOUBLE # eight elements\n"
    "event flops 1 64 FP_ARITH_INST_RETIRED.SCALAR_DOUBLE\n"
    "event read 64 0 uncore_imc_0/cas_count_read\n"
    "event read 64 0 uncore_imc_1/cas_count_read\n"
    "missing misses no permission\n"
    "growth 100 7 1000 500\n"
    "growth 10 0 0 0@0.5\n";

static void totals_are_sums_over_events_and_sockets(void **state) {
    struct counter_reading from[COUNTER_MAX_EVENTS], to[COUNTER_MAX_EVENTS];
    (void)state;
    struct counter_source *source = parse(two_sockets, COUNTER_ALL);
    assert_int_equal(source->count, 4);
    assert_int_equal(counter_read(source, from, NULL),
                     TCPLAN_OK); /* readable, but 0 before the start */
    assert_int_equal(counter_start(source, NULL), TCPLAN_OK);
    assert_int_equal(counter_read(source, to, NULL), TCPLAN_OK);
    const struct counter_totals totals = counter_between(source, from, to);
    assert_true(totals.known[COUNTER_FLOPS] && totals.known[COUNTER_READ]);
    assert_true(totals.amount[COUNTER_FLOPS] == 807 && totals.amount[COUNTER_READ] == 96000);
    assert_true(totals.width_flops[3] == 800 && totals.width_flops[0] == 7);
    assert_true(!totals.known[COUNTER_MISSES] && !totals.known[COUNTER_WRITTEN]);
    assert_string_equal(source->why_not[COUNTER_MISSES], "no permission");
    assert_string_equal(source->why_not[COUNTER_WRITTEN], "the recorded counts have no such event");
    assert_string_equal(source->why_not[COUNTER_READ], "");
    counter_close(source);
}

static void partial_counts_are_extrapolated_and_marked(void **state) {
    struct counter_reading from[COUNTER_MAX_EVENTS], to[COUNTER_MAX_EVENTS];
    (void)state;
    struct counter_source *source = parse(
        "counts 1\nevent flops 2 128 a\nevent flops 1 64 b\ngrowth 1000@0.25 8\ngrowth 5@0 8\n",
        COUNTER_ALL);
    counter_start(source, NULL);
    memset(from, 0, sizeof from);
    counter_read(source, to, NULL);
    assert_int_equal((int)to[0].value, 250);
    struct counter_totals totals = counter_between(source, from, to);
    assert_true(totals.amount[COUNTER_FLOPS] == 2008 && totals.share[COUNTER_FLOPS] == 0.25);
    counter_read(source, from,
                 NULL); /* one event never had a hardware counter, so their sum is unknown */
    totals = counter_between(source, to, from);
    assert_true(!totals.known[COUNTER_FLOPS] && totals.share[COUNTER_FLOPS] == 0);
    counter_close(source);
}

static void only_requested_quantities_are_opened(void **state) {
    struct counter_reading to[COUNTER_MAX_EVENTS];
    (void)state;
    struct counter_source *source = parse(two_sockets, COUNTER_OF_MACHINE);
    assert_int_equal(source->count, 2);
    assert_false(counter_can(source, COUNTER_FLOPS));
    assert_string_equal(source->why_not[COUNTER_FLOPS], "");
    counter_start(source, NULL);
    counter_read(source, to, NULL);
    assert_true(to[0].value == 1000 && to[1].value == 500);
    counter_close(source);
}

static void counts_repeat_from_the_first_and_stop_while_stopped(void **state) {
    struct counter_reading now[COUNTER_MAX_EVENTS];
    (void)state;
    struct counter_source *source =
        parse("counts 1\nevent flops 1 0 a\ngrowth 3\ngrowth 5\n", COUNTER_ALL);
    counter_start(source, NULL);
    for (int r = 0; r < 3; r++) counter_read(source, now, NULL);
    assert_int_equal((int)now[0].value, 11);
    counter_stop(source, NULL);
    counter_read(source, now, NULL);
    assert_int_equal((int)now[0].value, 11);
    counter_close(source);
}

static void threads_add_up_unless_one_lacks_the_quantity(void **state) {
    struct counter_totals sum = {
        .known = {true, true}, .amount = {10, 1}, .share = {1, 1, 1, 1}, .width_flops = {10}};
    const struct counter_totals other = {
        .known = {true}, .amount = {5}, .share = {0.5, 1, 1, 1}, .width_flops = {4, 1}};
    (void)state;
    counter_add(&sum, &other);
    assert_true(sum.known[COUNTER_FLOPS] && !sum.known[COUNTER_MISSES]);
    assert_true(sum.amount[COUNTER_FLOPS] == 15 && sum.share[COUNTER_FLOPS] == 0.5);
    assert_true(sum.width_flops[0] == 14 && sum.width_flops[1] == 1);
}

static void refuse(const char *text, size_t line, size_t column, const char *message) {
    struct counter_source *source = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(recorded_parse(&source, text, strlen(text),
                                    &(struct counter_target){.quantities = COUNTER_ALL}, &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void wrong_recorded_counts_are_refused(void **state) {
    (void)state;
    refuse("", 1, 1,
           "expected recorded counts, which begin with 'counts 1', found the end of the line");
    refuse("count 1\n", 1, 1,
           "expected recorded counts, which begin with 'counts 1', found 'count'");
    refuse("counts 1\nevents\n", 2, 1, "expected event, missing or growth, found 'events'");
    refuse("counts 1\nevent flop 1 0 a\n", 2, 7,
           "expected flops, misses, read, written, cycles, instructions or named, found 'flop'");
    refuse("counts 1\nevent flops -1 0 a\n", 2, 13,
           "expected the weight of a count: a number above 0, found '-1'");
    refuse("counts 1\nevent flops 1 32 a\n", 2, 15,
           "expected the bits of vectors: 0, 64, 128, 256 or 512, found '32'");
    refuse("counts 1\nevent flops 1 0\n", 2, 16,
           "expected a name of at most 63 characters, found the end of the line");
    refuse("counts 1\ngrowth 1\n", 2, 8, "expected an event before the first growth, found '1'");
    refuse("counts 1\nevent flops 1 0 a\ngrowth 1 2\n", 3, 10,
           "expected the end of the line, found '2'");
    refuse("counts 1\nevent flops 1 0 a\ngrowth 1@2\n", 3, 8,
           "expected a count for each event, such as 1000 or 1000@0.5, found '1@2'");
    refuse("counts 1\nevent flops 1 0 a\ngrowth\n", 3, 7,
           "expected a count for each event, such as 1000 or 1000@0.5, found the end of the line");
}

static void a_source_is_opened_by_its_name(void **state) {
    const struct counter_target target = {.quantities = COUNTER_ALL};
    struct counter_source *source = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(counter_open(&source, "none", &target, &error), TCPLAN_OK);
    assert_string_equal(source->class->name, "none");
    assert_string_equal(source->why_not[COUNTER_FLOPS], "counters are turned off");
    counter_close(source);
    assert_int_equal(counter_open(&source, "/no/such/file", &target, &error), TCPLAN_ENVIRONMENT);
    assert_non_null(strstr(error.message, "recorded counts '/no/such/file'"));
}

static void a_processor_is_known_by_manufacturer_and_model(void **state) {
    static const char cascade[] =
        "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\n";
    static const char zen4[] =
        "vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n";
    static const char neoverse[] =
        "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd40\n";
    static const char haswell[] = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 63\n";
    struct processor processor = processor_read(cascade);
    (void)state;
    const struct processor_events *events = processor_flops(&processor);
    assert_true(events && events->event[7].config == 0x80c7 && events->event[7].weight == 16);
    processor = processor_read(zen4);
    events = processor_flops(&processor);
    assert_true(events && events->event[0].config == 0x1f03 && events->event[1].weight == 0);
    processor = processor_read(neoverse);
    events = processor_flops(&processor);
    assert_true(events && events->event[0].weight == 2 && events->note);
    processor = processor_read(haswell);
    assert_null(processor_flops(&processor));
    processor = processor_read("");
    assert_null(processor_flops(&processor));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_sums_over_events_and_sockets),
        cmocka_unit_test(partial_counts_are_extrapolated_and_marked),
        cmocka_unit_test(only_requested_quantities_are_opened),
        cmocka_unit_test(counts_repeat_from_the_first_and_stop_while_stopped),
        cmocka_unit_test(threads_add_up_unless_one_lacks_the_quantity),
        cmocka_unit_test(wrong_recorded_counts_are_refused),
        cmocka_unit_test(a_source_is_opened_by_its_name),
        cmocka_unit_test(a_processor_is_known_by_manufacturer_and_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
