#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tcplan/machine.h"

static struct tcplan_machine loaded(const char *spec) {
    struct tcplan_machine machine;
    struct tcplan_error error = {0};
    if (tcplan_machine_load(&machine, spec, &error) != TCPLAN_OK)
        fail_msg("%s: %s", spec, error.message);
    return machine;
}

static void assert_refused(const char *spec, enum tcplan_status status,
                           const char *part_of_message) {
    struct tcplan_machine machine;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_machine_load(&machine, spec, &error), status);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.message, part_of_message));
    assert_int_equal(tcplan_machine_load(&machine, spec, NULL), status);
}

static void assert_cache(const struct tcplan_cache_level *cache, int level, int64_t size_bytes,
                         int64_t line_bytes, int ways, int shared_by) {
    assert_int_equal(cache->level, level);
    assert_int_equal(cache->size_bytes, size_bytes);
    assert_int_equal(cache->line_bytes, line_bytes);
    assert_int_equal(cache->ways, ways);
    assert_int_equal(cache->shared_by, shared_by);
}

/** Returns the path of a test file in this folder, or writes `contents` to a new file in the
 * working directory. */
static const char *fixture(const char *name) {
    static char path[1024];
    snprintf(path, sizeof path, "%s/cachesim/%s", TCPLAN_TESTS_DIR, name);
    return path;
}

static const char *file_with(const char *name, const char *content) {
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return name;
}

/** Writes the example machine with additional XML entries in its outermost object to `out`. */
static void example_with(char *out, size_t size, const char *entries) {
    static const char begin[] = "gp_index=\"1\">";
    char example[6000];
    FILE *file = fopen(fixture("machine_example.xml"), "r");
    assert_non_null(file);
    const size_t length = fread(example, 1, sizeof example - 1, file);
    fclose(file);
    example[length] = '\0';
    char *at = strstr(example, begin);
    assert_non_null(at);
    at += sizeof begin - 1;
    assert_true((size_t)snprintf(out, size, "%.*s%s%s", (int)(at - example), example, entries, at) <
                size);
}

static void heuristics_have_default_values_unless_a_file_sets_them(void **state) {
    (void)state;
    static const char *const entries[][2] = {
        {"<info name=\"TcplanFarBytes\" value=\"1048576\"/><info name=\"TcplanAheadColumns\" value=\"0\"/>",
         NULL},
        {"<info name=\"TcplanFarBytes\" value=\"1 MB\"/>",
         "expected a whole number as TcplanFarBytes, found '1 MB'"},
        {"<info name=\"TcplanAheadBytes\" value=\"-1\"/>",
         "expected a whole number as TcplanAheadBytes, found '-1'"},
        {"<info name=\"TcplanAheadColumns\" value=\"9223372036854775808\"/>",
         "expected a whole number as TcplanAheadColumns, found '9223372036854775808'"}};
    const struct tcplan_heuristics usual = tcplan_heuristics_default();
    const struct tcplan_heuristics of_file = loaded(fixture("machine_example.xml")).heuristics;
    assert_memory_equal(&of_file, &usual, sizeof usual);
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        char text[8000];
        example_with(text, sizeof text, entries[e][0]);
        const char *file = file_with("heuristics.xml", text);
        if (entries[e][1]) {
            assert_refused(file, TCPLAN_INVALID, entries[e][1]);
        } else {
            const struct tcplan_heuristics heuristics = loaded(file).heuristics;
            assert_int_equal(heuristics.far_bytes, 1048576);
            assert_int_equal(heuristics.ahead_bytes, usual.ahead_bytes);
            assert_int_equal(heuristics.ahead_columns, 0);
        }
        remove(file);
    }
}

static void data_beyond_the_last_cache_is_far(void **state) {
    (void)state;
    const struct tcplan_heuristics usual = tcplan_heuristics_default();
    assert_int_equal(loaded("pack:1 l3:1(size=8MB) l2:1(size=1MB) l1d:1(size=32kB) core:1 pu:1")
                         .heuristics.far_bytes,
                     8000000);
    assert_int_equal(loaded("pack:1 l3:1(size=64MB) l2:1(size=1MB) l1d:1(size=32kB) core:1 pu:1")
                         .heuristics.far_bytes,
                     usual.far_bytes);
}

static void a_file_may_have_a_data_sheet(void **state) {
    (void)state;
    static const char *const entries[][2] = {
        {"<info name=\"TcplanClockHz\" value=\"2200000000\"/><info name=\"TcplanFmaUnits\" value=\"1\"/>"
         "<info name=\"TcplanMemoryTransfers\" value=\"2400000000\"/><info name=\"TcplanMemoryChannels\" value=\"4\"/>",
         NULL},
        {"<info name=\"TcplanFmaUnits\" value=\"two\"/>",
         "expected a whole number as TcplanFmaUnits, found 'two'"},
        {"<info name=\"TcplanFmaUnits\" value=\"17\"/>",
         "expected a number from 1 to 16 as TcplanFmaUnits, found 17"},
        {"<info name=\"TcplanMemoryChannels\" value=\"0\"/>",
         "expected a number from 1 to 64 as TcplanMemoryChannels, found 0"}};
    const struct tcplan_data_sheet none = loaded(fixture("machine_example.xml")).data_sheet;
    assert_int_equal(none.clock_hz + none.fma_units + none.memory_transfers + none.memory_channels,
                     0);
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        char text[8000];
        example_with(text, sizeof text, entries[e][0]);
        const char *file = file_with("sheet.xml", text);
        if (entries[e][1]) {
            assert_refused(file, TCPLAN_INVALID, entries[e][1]);
        } else {
            const struct tcplan_data_sheet sheet = loaded(file).data_sheet;
            assert_int_equal(sheet.clock_hz, 2200000000);
            assert_int_equal(sheet.fma_units, 1);
            assert_int_equal(sheet.memory_transfers, 2400000000);
            assert_int_equal(sheet.memory_channels, 4);
        }
        remove(file);
    }
}

static void a_synthetic_machine_has_the_caches_of_its_description(void **state) {
    (void)state;
    const char *spec = "pack:1 l3:1(size=32MB) l2:4(size=1MB) l1d:1(size=32kB) core:1 pu:2";
    const struct tcplan_machine machine = loaded(spec);
    assert_string_equal(machine.source, spec);
    assert_string_equal(machine.cpu, "");
    assert_false(machine.live);
    assert_int_equal(machine.cores, 4);
    assert_int_equal(machine.processing_units, 8);
    assert_int_equal(machine.cache_count, 3);
    assert_cache(&machine.cache[0], 1, 32000, machine.cache[0].line_bytes, 0, 2);
    assert_cache(&machine.cache[1], 2, 1000000, machine.cache[1].line_bytes, 0, 2);
    assert_cache(&machine.cache[2], 3, 32000000, machine.cache[2].line_bytes, 0, 8);
}

static void sizes_beyond_all_machines_are_refused(void **state) {
    (void)state;
    assert_int_equal(loaded("pack:1 l1d:1(size=72057594037927936) core:1 pu:1").cache[0].size_bytes,
                     INT64_C(1) << 56);
    assert_refused("pack:1 l1d:1(size=72057594037927937) core:1 pu:1", TCPLAN_INVALID,
                   "expected at most 72057594037927936 bytes as a cache");
    assert_refused("pack:1 l1d:1(size=18446744073709551615) core:1 pu:1", TCPLAN_INVALID,
                   "found 18446744073709551615");
    assert_refused("numa:1(memory=18446744073709551615) pu:1", TCPLAN_INVALID, "as memory");
}

static void an_xml_machine_has_the_caches_of_its_file(void **state) {
    (void)state;
    const struct tcplan_machine machine = loaded(fixture("machine_example.xml"));
    assert_string_equal(machine.cpu, "Example CPU @ 2.00GHz");
    assert_false(machine.live);
    assert_int_equal(machine.cores, 2);
    assert_int_equal(machine.processing_units, 4);
    assert_int_equal(machine.memory_bytes, 17179869184);
    assert_int_equal(machine.cache_count, 3);
    assert_cache(&machine.cache[0], 1, 32768, 64, 8, 2);
    assert_cache(&machine.cache[1], 2, 1048576, 0, -1, 2);
    assert_cache(&machine.cache[2], 3, 33554432, 0, -1, 4);
}

static void the_line_size_is_that_of_the_first_level_with_one(void **state) {
    (void)state;
    const struct tcplan_machine machine = loaded(fixture("machine_example.xml"));
    assert_int_equal(machine.line_bytes, 64);
    assert_false(machine.line_assumed);
}

/** Loads the example machine with a list of page sizes. */
static struct tcplan_machine machine_with_pages(const char *kinds) {
    static const char memory[] = "local_memory=\"17179869184\">";
    char example[6000] = "", text[sizeof example + 500];
    FILE *file = fopen(fixture("machine_example.xml"), "r");
    assert_non_null(file);
    example[fread(example, 1, sizeof example - 1, file)] = '\0';
    fclose(file);
    const char *behind = strstr(example, memory);
    assert_non_null(behind);
    behind += strlen(memory);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(behind - example), example, kinds, behind);
    return loaded(file_with("pages.xml", text));
}

static void pages_are_the_smallest_of_a_machines_memory(void **state) {
    (void)state;
    assert_int_equal(machine_with_pages("<page_type size=\"33554432\" count=\"0\"/>"
                                        "<page_type size=\"16384\" count=\"1000\"/>")
                         .page_bytes,
                     16384);
    assert_int_equal(loaded(fixture("machine_example.xml")).page_bytes,
                     4096); /* the system's page size: the example lists none */
    assert_int_equal(loaded("live").page_bytes, sysconf(_SC_PAGESIZE));
    assert_int_equal(remove("pages.xml"), 0);
}

static void without_any_cache_the_line_is_assumed(void **state) {
    (void)state;
    const struct tcplan_machine machine = loaded("numa:1 pu:2");
    assert_int_equal(machine.cache_count, 0);
    assert_int_equal(machine.line_bytes, 64);
    assert_true(machine.line_assumed);
}

static void without_cores_every_processing_unit_counts_as_one(void **state) {
    (void)state;
    const struct tcplan_machine machine = loaded("numa:1 pu:2");
    assert_int_equal(machine.cores, 2);
}

static void this_machine_is_live(void **state) {
    (void)state;
    const struct tcplan_machine machine = loaded("live");
    assert_string_equal(machine.source, "live");
    assert_true(machine.live);
    assert_true(machine.cores >= 1);
    assert_true(machine.processing_units >= machine.cores);
    assert_true(machine.line_bytes > 0);
    for (int c = 1; c < machine.cache_count; c++)
        assert_true(machine.cache[c].level > machine.cache[c - 1].level);
}

static void topologies_that_hwloc_rejects_are_refused(void **state) {
    (void)state;
    assert_refused("", TCPLAN_INVALID, "expected a machine");
    assert_refused("toaster", TCPLAN_INVALID, "found 'toaster'");
    assert_refused("pack:0 pu:1", TCPLAN_INVALID, "found 'pack:0 pu:1'");
}

static void a_file_without_a_topology_is_refused(void **state) {
    (void)state;
    assert_refused(file_with("machine_cut.xml", "<?xml version=\"1.0\"?><topology"), TCPLAN_INVALID,
                   "machine_cut.xml");
    assert_refused(file_with("machine_other.xml", "<?xml version=\"1.0\"?>\n<tea/>\n"),
                   TCPLAN_INVALID, "machine_other.xml");
    assert_refused(file_with("machine_empty.xml", ""), TCPLAN_INVALID, "machine_empty.xml");
    remove("machine_cut.xml");
    remove("machine_other.xml");
    remove("machine_empty.xml");
}

static void a_file_that_cannot_be_read_is_the_environments_failure(void **state) {
    (void)state;
    assert_refused("no/such/machine.xml", TCPLAN_ENVIRONMENT, "No such file");
}

static void a_long_description_is_cut_but_understood(void **state) {
    (void)state;
    const struct tcplan_machine machine =
        loaded("pack:1 l3:1(size=32000000) l2:4(size=1000000) l1d:1(size=32000) core:1 pu:2"
               "                                                                                 ");
    assert_true(strlen(machine.source) < TCPLAN_MACHINE_TEXT);
    assert_int_equal(machine.cores, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heuristics_have_default_values_unless_a_file_sets_them),
        cmocka_unit_test(data_beyond_the_last_cache_is_far),
        cmocka_unit_test(a_file_may_have_a_data_sheet),
        cmocka_unit_test(a_synthetic_machine_has_the_caches_of_its_description),
        cmocka_unit_test(sizes_beyond_all_machines_are_refused),
        cmocka_unit_test(an_xml_machine_has_the_caches_of_its_file),
        cmocka_unit_test(the_line_size_is_that_of_the_first_level_with_one),
        cmocka_unit_test(pages_are_the_smallest_of_a_machines_memory),
        cmocka_unit_test(without_any_cache_the_line_is_assumed),
        cmocka_unit_test(without_cores_every_processing_unit_counts_as_one),
        cmocka_unit_test(this_machine_is_live),
        cmocka_unit_test(topologies_that_hwloc_rejects_are_refused),
        cmocka_unit_test(a_file_without_a_topology_is_refused),
        cmocka_unit_test(a_file_that_cannot_be_read_is_the_environments_failure),
        cmocka_unit_test(a_long_description_is_cut_but_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
