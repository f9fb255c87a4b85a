/*
 * Tests counting by perf_event with a fake kernel: a folder replaces /sys and /proc, and functions
 * replace the system calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "microbench/counters/perf.h"
#include "microbench/counters/pmu.h"

enum { FAKES = 256 };

/** The fake kernel: which requests it received, and how it answers. */
static struct fake {
    struct perf_event_attr attr;
    pid_t process;
    int cpu;
    bool enabled;
    bool closed;
} fakes[FAKES];
static int opened;
static int refuse_type;   /* attr.type of events that the kernel refuses; negative: none */
static int refuse_number; /* errno for refused events */
static int refuse_from;   /* all events from this number on, counted from 0, are refused */
static uint64_t running_of_100 = 100;

static int fake_open(const struct perf_event_attr *attr, pid_t process, int cpu) {
    if (refuse_type == (int)attr->type && opened >= refuse_from) {
        errno = refuse_number;
        return -1;
    }
    assert_true(opened < FAKES);
    fakes[opened] = (struct fake){.attr = *attr, .process = process, .cpu = cpu};
    return 1000 + opened++;
}

static int fake_control(int descriptor, unsigned long request) {
    fakes[descriptor - 1000].enabled = request == PERF_EVENT_IOC_ENABLE;
    return 0;
}

/** Fakes read() of counters: each event counts its own number plus one while it has a hardware
 * counter. */
static ssize_t fake_read(int descriptor, void *out, size_t size) {
    const int number = descriptor - 1000;
    const uint64_t reading[3] = {
        fakes[number].enabled ? (uint64_t)(number + 1) * running_of_100 : 0, 100, running_of_100};
    assert_int_equal(size, sizeof reading);
    memcpy(out, reading, sizeof reading);
    return (ssize_t)sizeof reading;
}

static int fake_close(int descriptor) {
    assert_false(fakes[descriptor - 1000].closed);
    fakes[descriptor - 1000].closed = true;
    return 0;
}

static char root[] = "/tmp/tcplan_perf_XXXXXX";
static const struct perf_system fake = {.root = root,
                                        .open = fake_open,
                                        .control = fake_control,
                                        .read = fake_read,
                                        .close = fake_close};

/** Writes a file, and makes its folders. */
static void put(const char *path, const char *text) {
    char name[512];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define DEVICES "/sys/bus/event_source/devices/"

static void put_controller(int number, const char *cpus) {
    static const char *const file[][2] = {{"events/cas_count_read", "event=0x04,umask=0x03\n"},
                                          {"events/cas_count_write", "event=0x04,umask=0x0c\n"},
                                          {"events/cas_count_read.scale", "6.103515625e-5\n"},
                                          {"events/cas_count_write.scale", "6.103515625e-5\n"},
                                          {"events/cas_count_read.unit", "MiB\n"},
                                          {"events/cas_count_write.unit", "MiB\n"},
                                          {"format/event", "config:0-7\n"},
                                          {"format/umask", "config:8-15\n"}};
    char path[256], type[16];
    for (size_t f = 0; f < sizeof file / sizeof *file; f++) {
        snprintf(path, sizeof path, DEVICES "uncore_imc_%d/%s", number, file[f][0]);
        put(path, file[f][1]);
    }
    snprintf(path, sizeof path, DEVICES "uncore_imc_%d/type", number);
    snprintf(type, sizeof type, "%d\n", 20 + number);
    put(path, type);
    snprintf(path, sizeof path, DEVICES "uncore_imc_%d/cpumask", number);
    put(path, cpus);
}

static void put_cpu(const char *vendor, int family, int model) {
    char text[256];
    snprintf(text, sizeof text, "vendor_id\t: %s\ncpu family\t: %d\nmodel\t\t: %d\n", vendor,
             family, model);
    put("/proc/cpuinfo", text);
}

static int begin(void **state) {
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    assert_non_null(mkdtemp(root));
    memset(fakes, 0, sizeof fakes);
    opened = 0;
    refuse_type = -1;
    refuse_from = 0;
    running_of_100 = 100;
    put("/proc/sys/kernel/perf_event_paranoid", "4\n");
    return 0;
}

static int end(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static void put_skylake_server(void) {
    put(DEVICES "cpu/type", "4\n");
    put_cpu("GenuineIntel", 6, 85);
    put_controller(0, "0,18\n");
    put_controller(1, "0,18\n");
}

static struct counter_source *open_source(struct counter_target target) {
    struct counter_source *source = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(perf_open(&source, &target, &fake, &error), TCPLAN_OK);
    return source;
}

static void a_server_has_eight_widths_and_all_controllers_of_all_sockets(void **state) {
    struct counter_reading from[COUNTER_MAX_EVENTS], to[COUNTER_MAX_EVENTS];
    (void)state;
    put_skylake_server();
    struct counter_source *source = open_source((struct counter_target){
        .process = 77, .descendants = true, .from_exec = true, .quantities = COUNTER_ALL});
    assert_int_equal(source->count, 8 + 1 + 4 + 4);
    assert_true(fakes[7].attr.type == 4 && fakes[7].attr.config == 0x80c7 &&
                fakes[7].process == 77 && fakes[7].cpu == -1);
    assert_true(fakes[7].attr.inherit && fakes[7].attr.enable_on_exec &&
                fakes[7].attr.exclude_kernel && fakes[7].attr.disabled);
    assert_true(fakes[8].attr.type == PERF_TYPE_HARDWARE &&
                fakes[8].attr.config == PERF_COUNT_HW_CACHE_MISSES);
    assert_true(fakes[9].attr.type == 20 && fakes[9].attr.config == 0x304 &&
                fakes[9].process == -1 && fakes[9].cpu == 0);
    assert_true(fakes[10].cpu == 18 && fakes[11].attr.type == 21 && !fakes[9].attr.inherit &&
                !fakes[9].attr.enable_on_exec);
    assert_string_equal(source->event[9].name, "uncore_imc_0/cas_count_read");
    assert_true(source->event[9].weight == 64);
    assert_true(fakes[13].attr.config == 0xc04 && source->event[13].quantity == COUNTER_WRITTEN);
    for (int q = 0; q < COUNTER_QUANTITIES; q++) assert_string_equal(source->why_not[q], "");
    memset(from, 0, sizeof from);
    assert_int_equal(counter_start(source, NULL), TCPLAN_OK);
    running_of_100 = 50;
    assert_int_equal(counter_read(source, to, NULL), TCPLAN_OK);
    const struct counter_totals totals = counter_between(source, from, to);
    assert_true(totals.share[COUNTER_FLOPS] == 0.5);
    /* Events 1 to 8 have the weights 1, 1, 2, 4, 4, 8, 8 and 16. */
    assert_true(totals.amount[COUNTER_FLOPS] ==
                100.0 * (1 + 2 + 2 * 3 + 4 * 4 + 4 * 5 + 8 * 6 + 8 * 7 + 16 * 8));
    counter_stop(source, NULL);
    assert_false(fakes[0].enabled);
    counter_close(source);
    for (int f = 0; f < opened; f++) assert_true(fakes[f].closed);
}

static void put_listed_events(void) {
    put(DEVICES "cpu/events/mem-stores", "event=0xd0,umask=0x82\n");
    put(DEVICES "cpu/format/event", "config:0-7\n");
    put(DEVICES "cpu/format/umask", "config:8-15\n");
}

static void events_are_found_by_name(void **state) {
    (void)state;
    put_skylake_server();
    put_listed_events();
    struct counter_source *source = open_source((struct counter_target){
        .quantities = 15U << COUNTER_NAMED,
        .named = {"r01c2", "branch-misses", "mem-stores", "uncore_imc_1/event=0x10,umask=0x2/"}});
    assert_int_equal(source->count, 4);
    assert_true(fakes[0].attr.type == 4 && fakes[0].attr.config == 0x1c2);
    assert_true(fakes[1].attr.type == PERF_TYPE_HARDWARE &&
                fakes[1].attr.config == PERF_COUNT_HW_BRANCH_MISSES);
    assert_true(fakes[2].attr.type == 4 && fakes[2].attr.config == 0x82d0);
    assert_true(fakes[3].attr.type == 21 && fakes[3].attr.config == 0x210);
    for (int n = 0; n < COUNTER_MAX_NAMED; n++) {
        assert_int_equal(source->event[n].quantity, COUNTER_NAMED + n);
        assert_string_equal(source->why_not[COUNTER_NAMED + n], "");
    }
    struct counter_reading from[COUNTER_MAX_EVENTS] = {0}, to[COUNTER_MAX_EVENTS];
    assert_int_equal(counter_start(source, NULL), TCPLAN_OK);
    assert_int_equal(counter_read(source, to, NULL), TCPLAN_OK);
    const struct counter_totals totals = counter_between(source, from, to);
    assert_true(totals.known[COUNTER_NAMED + 2] && totals.amount[COUNTER_NAMED + 2] == 300);
    counter_close(source);
}

static void unknown_events_have_a_reason(void **state) {
    (void)state;
    static const char *const reason[COUNTER_MAX_NAMED] = {
        "lists no event of this name", "lists no event of this name", "the kernel has no such unit",
        "the kernel has no such unit"};
    put_skylake_server();
    put_listed_events();
    const struct counter_target target = {
        .quantities = 15U << COUNTER_NAMED,
        .named = {"mem-storse", "r12345678901234567", "cpu/colour=3/", "gpu/event=1/"}};
    struct counter_source *source = open_source(target);
    assert_int_equal(source->count, 0);
    for (int n = 0; n < COUNTER_MAX_NAMED; n++)
        assert_non_null(strstr(source->why_not[COUNTER_NAMED + n], reason[n]));
    counter_close(source);
}

static void without_counters_only_events_of_the_kernel_are_counted(void **state) {
    (void)state;
    put(DEVICES "software/type", "1\n");
    struct counter_source *source = open_source((struct counter_target){
        .quantities = 7U << COUNTER_NAMED, .named = {"page-faults", "r01c2", "branches"}});
    assert_int_equal(source->count, 1);
    assert_true(fakes[0].attr.type == PERF_TYPE_SOFTWARE &&
                fakes[0].attr.config == PERF_COUNT_SW_PAGE_FAULTS);
    for (int n = 1; n < 3; n++)
        assert_non_null(
            strstr(source->why_not[COUNTER_NAMED + n], "most virtual machines have none"));
    counter_close(source);
}

static void a_guest_without_counters_is_reported(void **state) {
    (void)state;
    put(DEVICES "software/type", "1\n");
    put_cpu("GenuineIntel", 6, 85);
    struct counter_source *source = open_source((struct counter_target){.quantities = COUNTER_ALL});
    assert_int_equal(source->count, 0);
    assert_non_null(strstr(source->why_not[COUNTER_FLOPS], "most virtual machines have none"));
    assert_non_null(strstr(source->why_not[COUNTER_MISSES], "most virtual machines have none"));
    assert_non_null(strstr(source->why_not[COUNTER_READ], "no counters of the memory controllers"));
    assert_non_null(
        strstr(source->why_not[COUNTER_WRITTEN], "no counters of the memory controllers"));
    counter_close(source);
}

static void a_refusal_names_the_setting_that_helps(void **state) {
    (void)state;
    put_skylake_server();
    refuse_type = 20;
    refuse_number = EACCES;
    struct counter_source *source = open_source((struct counter_target){.quantities = COUNTER_ALL});
    assert_int_equal(source->count, 9);
    assert_non_null(
        strstr(source->why_not[COUNTER_READ], "perf_event_paranoid is 4, and has to be 0 or less"));
    assert_non_null(strstr(source->why_not[COUNTER_READ], "CAP_PERFMON"));
    counter_close(source);
    refuse_type = 4;
    refuse_number = EPERM;
    source = open_source((struct counter_target){.quantities = 1 << COUNTER_FLOPS});
    assert_non_null(strstr(source->why_not[COUNTER_FLOPS], "has to be 2 or less"));
    counter_close(source);
}

static void a_sum_with_a_missing_event_is_not_measured(void **state) {
    (void)state;
    put_skylake_server();
    refuse_type = 4;
    refuse_number = ENOENT;
    refuse_from = 3; /* only the events of the first three vector widths can be opened */
    struct counter_source *source =
        open_source((struct counter_target){.quantities = COUNTER_OF_THREADS});
    assert_int_equal(source->count, 1);
    assert_int_equal(source->event[0].quantity, COUNTER_MISSES);
    assert_non_null(strstr(source->why_not[COUNTER_FLOPS],
                           "does not offer FP_ARITH_INST_RETIRED.128B_PACKED_SINGLE"));
    assert_true(fakes[0].closed && fakes[1].closed && fakes[2].closed && !fakes[3].closed);
    counter_close(source);
}

static void every_other_failure_has_its_sentence(void **state) {
    static const struct {
        int number;
        const char *part;
    } cases[] = {{ENOSYS, "no perf_event"},
                 {EMFILE, "ulimit -n"},
                 {EOPNOTSUPP, "does not offer"},
                 {EINVAL, "cannot be opened: Invalid argument"}};
    (void)state;
    put_skylake_server();
    refuse_type = 4;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        refuse_number = cases[c].number;
        struct counter_source *source =
            open_source((struct counter_target){.quantities = 1 << COUNTER_FLOPS});
        assert_int_equal(source->count, 0);
        assert_non_null(strstr(source->why_not[COUNTER_FLOPS], cases[c].part));
        counter_close(source);
    }
}

static void a_processor_that_is_not_in_the_table_is_not_guessed(void **state) {
    (void)state;
    put(DEVICES "cpu/type", "4\n");
    put_cpu("GenuineIntel", 6, 63);
    struct counter_source *source =
        open_source((struct counter_target){.quantities = 1 << COUNTER_FLOPS});
    assert_string_equal(
        source->why_not[COUNTER_FLOPS],
        "the events that count operations are not known for this processor (GenuineIntel, family 6, model 0x3f)");
    counter_close(source);
}

static void amd_counts_operations_in_one_event_and_memory_by_its_controllers(void **state) {
    (void)state;
    put(DEVICES "cpu/type", "4\n");
    put_cpu("AuthenticAMD", 25, 17);
    put(DEVICES "amd_umc_0/type", "31\n");
    put(DEVICES "amd_umc_0/cpumask", "0\n");
    put(DEVICES "amd_umc_0/format/event", "config:0-7\n");
    put(DEVICES "amd_umc_0/format/rdwrmask", "config:8-9\n");
    struct counter_source *source = open_source((struct counter_target){.quantities = COUNTER_ALL});
    assert_int_equal(source->count, 3);
    assert_true(fakes[0].attr.config == 0x1f03 && fakes[1].attr.config == 0x10a &&
                fakes[2].attr.config == 0x20a);
    assert_true(source->event[1].weight == 64);
    assert_non_null(strstr(source->why_not[COUNTER_MISSES], "second cache"));
    counter_close(source);
}

static void of_two_kinds_of_cores_only_the_fast_ones_are_counted(void **state) {
    (void)state;
    put(DEVICES "cpu_core/type", "4\n");
    put(DEVICES "cpu_atom/type", "10\n");
    put_cpu("GenuineIntel", 6, 0x97);
    struct counter_source *source =
        open_source((struct counter_target){.quantities = COUNTER_OF_THREADS});
    assert_int_equal(source->count, 9);
    assert_true(fakes[8].attr.config == ((uint64_t)4 << 32 | PERF_COUNT_HW_CACHE_MISSES));
    counter_close(source);
}

static void values_fill_the_bits_of_their_format(void **state) {
    struct pmu pmu;
    struct pmu_event event;
    (void)state;
    put(DEVICES "odd/type", "9\n");
    put(DEVICES "odd/format/event", "config:0-7,32-35\n");
    put(DEVICES "odd/format/filter", "config1:4-7\n");
    put(DEVICES "odd/format/edge", "config:18\n");
    assert_true(pmu_find(&pmu, root, "odd"));
    assert_true(pmu_encode(&event, &pmu, "event=0x104,edge,filter=3"));
    assert_true(event.config == (0x04 | (uint64_t)1 << 32 | 1 << 18) && event.config1 == 0x30);
    assert_false(pmu_encode(&event, &pmu, "event=0x1000")); /* the value does not fit in the bits of
                                                               the field */
    assert_false(pmu_encode(&event, &pmu, "umask=1"));
    assert_false(pmu_encode(&event, &pmu, "../type=1"));
    assert_false(pmu_encode(&event, &pmu, ""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_server_has_eight_widths_and_all_controllers_of_all_sockets, begin, end),
        cmocka_unit_test_setup_teardown(events_are_found_by_name, begin, end),
        cmocka_unit_test_setup_teardown(unknown_events_have_a_reason, begin, end),
        cmocka_unit_test_setup_teardown(without_counters_only_events_of_the_kernel_are_counted,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_guest_without_counters_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(a_refusal_names_the_setting_that_helps, begin, end),
        cmocka_unit_test_setup_teardown(a_sum_with_a_missing_event_is_not_measured, begin, end),
        cmocka_unit_test_setup_teardown(every_other_failure_has_its_sentence, begin, end),
        cmocka_unit_test_setup_teardown(a_processor_that_is_not_in_the_table_is_not_guessed, begin,
                                        end),
        cmocka_unit_test_setup_teardown(
            amd_counts_operations_in_one_event_and_memory_by_its_controllers, begin, end),
        cmocka_unit_test_setup_teardown(of_two_kinds_of_cores_only_the_fast_ones_are_counted, begin,
                                        end),
        cmocka_unit_test_setup_teardown(values_fill_the_bits_of_their_format, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
