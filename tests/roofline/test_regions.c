#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tcplan/regions.h"

static struct tcplan_regions *read_file(const char *name) {
    char path[512];
    struct tcplan_regions *regions = NULL;
    struct tcplan_error error = {0};
    snprintf(path, sizeof path, "%s/roofline/regions/%s", TCPLAN_TESTS_DIR, name);
    if (tcplan_regions_read(&regions, path, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return regions;
}

static void assert_near(double found, double expected) {
    if (fabs(found - expected) > 1e-9 * expected)
        fail_msg("expected %.12g, found %.12g", expected, found);
}

static void two_sockets_are_sums_over_sums(void **state) {
    (void)state;
    struct tcplan_regions *regions = read_file("marker_two_sockets.csv");
    assert_string_equal(regions->source, "likwid-perfctr");
    assert_int_equal(regions->count, 2);
    const struct tcplan_region *triad = &regions->region[0];
    assert_string_equal(triad->name, "triad");
    assert_int_equal(triad->threads, 2);
    assert_int_equal(triad->calls, 10);
    /* One thread has 2 GFLOP/s for 2 s, another 2 GFLOP/s for 1 s: together 2 s. LIKWID's own sum
     * of intensities is 0.125. */
    assert_near(triad->seconds, 2);
    assert_near(triad->flops, 6e9);
    assert_near(triad->bytes, 96e9);
    assert_near(triad->written_bytes, 24e9);
    assert_near(triad->gflops, 3);
    assert_near(triad->intensity, 0.0625);
    assert_int_equal(triad->dtype, TCPLAN_DOUBLE);
    assert_int_equal(triad->bytes_source, TCPLAN_BYTES_CONTROLLERS);
    /* The tutorial's numbers: 3782.7741 MFLOP/s and, reported by only one thread of the socket,
     * 12002.4521 MByte/s. */
    const struct tcplan_region *sum = &regions->region[1];
    assert_string_equal(sum->name, "sum, of squares");
    assert_near(sum->gflops, 3.7827741);
    assert_near(sum->intensity, 3782.7741 / 12002.4521);
    tcplan_regions_free(regions);
}

static void groups_of_one_program_are_put_together(void **state) {
    (void)state;
    struct tcplan_regions *regions = read_file("groups.csv");
    assert_int_equal(regions->count, 1);
    assert_string_equal(regions->region[0].name, "program");
    assert_near(regions->region[0].gflops, 4);
    assert_near(regions->region[0].intensity, 1);
    assert_int_equal(regions->region[0].dtype, TCPLAN_FLOAT);
    assert_string_equal(regions->why_no_bytes, "");
    tcplan_regions_free(regions);
}

static void statistics_alone_are_enough(void **state) {
    (void)state;
    struct tcplan_regions *regions = read_file("statistics.csv");
    assert_near(regions->region[0].gflops, 3.7827741);
    assert_near(regions->region[0].seconds, 1);
    assert_near(regions->region[0].intensity, 3782.7741 / 12002.4521);
    tcplan_regions_free(regions);
}

static void a_plain_table_is_read_unchanged(void **state) {
    (void)state;
    struct tcplan_regions *regions = read_file("plain.csv");
    assert_int_equal(regions->count, 3);
    assert_near(regions->region[0].gflops, 2);
    assert_near(regions->region[0].intensity, 1.0 / 12);
    assert_int_equal(regions->region[0].threads, 2);
    assert_int_equal(regions->region[0].flops_origin, TCPLAN_ORIGIN_GIVEN);
    assert_string_equal(regions->region[1].name, "sum, of squares");
    assert_int_equal(regions->region[1].dtype, TCPLAN_FLOAT);
    assert_true(tcplan_region_has_place(&regions->region[1], TCPLAN_DIRECTION_BOTH) &&
                !tcplan_region_has_place(&regions->region[2], TCPLAN_DIRECTION_BOTH));
    tcplan_regions_free(regions);
    regions = read_file("rates.csv");
    assert_near(regions->region[0].gflops, 90.5);
    assert_true(regions->region[0].flops < 0 && regions->region[0].seconds < 0);
    tcplan_regions_free(regions);
}

static void missing_parts_of_a_file_are_reported(void **state) {
    static const char half[] =
        "TABLE,Group 1 Metric,MEM1,2\nMetric,HWThread 0\nRuntime (RDTSC) [s],1\nMemory bandwidth (channels 0-3) [MBytes/s],9\n";
    struct tcplan_regions *regions = NULL;
    (void)state;
    assert_int_equal(tcplan_regions_parse(&regions, "half", half, strlen(half), NULL), TCPLAN_OK);
    assert_true(regions->region[0].bytes < 0 &&
                !tcplan_region_has_place(&regions->region[0], TCPLAN_DIRECTION_BOTH));
    assert_string_equal(
        regions->why_no_bytes,
        "only half of the memory channels were measured: use both groups, MEM1 and MEM2");
    assert_string_equal(regions->why_no_flops,
                        "no group with operations (FLOPS_DP, FLOPS_SP, MEM_DP or MEM_SP)");
    tcplan_regions_free(regions);
}

static void refuse(const char *text, size_t line, size_t column, const char *message) {
    struct tcplan_regions *regions = NULL;
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_regions_parse(&regions, "f", text, strlen(text), &error),
                     TCPLAN_INVALID);
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void errors_are_reported_with_their_place(void **state) {
    (void)state;
    refuse(
        "name,flop,bytes,seconds\n", 1, 6,
        "f, line 1, column 6: expected a column name, flops, bytes, written_bytes, seconds, intensity, gflops, "
        "threads, calls, dtype, canonical_flops or efficiency, or the CSV of "
        "likwid-perfctr -O, found 'flop'");
    refuse(
        "name,flops\n", 1, 11,
        "f, line 1, column 11: expected the columns flops, bytes and seconds, or intensity and gflops, or efficiency, found the end of the line");
    refuse("name,intensity,gflops\na,1\n", 2, 4,
           "f, line 2, column 4: expected 3 fields, as in the heading, found the end of the line");
    refuse("name,intensity,gflops\n\na,1,2,3\n", 3, 7,
           "f, line 3, column 7: expected 3 fields, as in the heading, found '3'");
    refuse("name,intensity,gflops\na,x,2\n", 2, 3,
           "f, line 2, column 3: expected intensity: a number above 0, at most 1e30, found 'x'");
    refuse("name,intensity,gflops\na,0,2\n", 2, 3,
           "f, line 2, column 3: expected intensity: a number above 0, at most 1e30, found '0'");
    refuse("name,intensity,gflops\n,1,2\n", 2, 1,
           "f, line 2, column 1: expected a name, found nothing");
    refuse("name,intensity,gflops\n\"a,1,2\n", 2, 1,
           "f, line 2, column 1: expected a closing quote, found '\"a,1,2'");
    refuse("name,flops,bytes,seconds,written_bytes\na,1,2,3,4\n", 2, 9,
           "f, line 2, column 9: expected at most as many written_bytes as bytes, found '4'");
    refuse("name,intensity,gflops\n", 2, 1,
           "f, line 2: expected a point, found the end of the file");
    refuse(
        "", 1, 1,
        "f, line 1: expected a heading such as name,flops,bytes,seconds, or the CSV of likwid-perfctr -O, found the end of the file");
    refuse("TABLE,Group 1 Metric,MEM_DP,2\nMetric,HWThread 0\nDP [MFLOP/s],5\n", 4, 1,
           "f, line 4: expected a row of the table, found the end of the file");
    refuse("TABLE,Group 1 Metric,MEM_DP,1\nMetric,HWThread 0,HWThread 1\nDP [MFLOP/s],5\n", 3, 15,
           "f, line 3, column 15: expected 2 values, found the end of the line");
    refuse("hello\nTABLE,Group 1 Metric,MEM_DP,1\nMetric,HWThread 0\nDP [MFLOP/s],five\n", 4, 14,
           "f, line 4, column 14: expected a number from 0 to 1e15, found 'five'");
    refuse(
        "TABLE,Group one,MEM_DP,1\n", 1, 7,
        "f, line 1, column 7: expected the kind of a table, such as 'Group 1 Metric', found 'Group one'");
    refuse("TABLE,Group 1 Metric,MEM_DP,x\n", 1, 29,
           "f, line 1, column 29: expected the number of rows, at most 100000, found 'x'");
    refuse("STRUCT,Info,3\n", 2, 1, "f, line 2: expected a table, found the end of the file");
}

/** Places a region under the roofs of one thread: 50 GFLOP/s; loads at 10 GB/s; copies at 8 GB/s;
 * stores at 5 GB/s, and at 6 GB/s past the caches. Copies move 12 GB/s of cache lines, because
 * written lines are fetched first. */
static struct tcplan_point place_direction(const struct tcplan_region *region, const char *kernel,
                                           enum tcplan_direction direction) {
    struct tcplan_ceiling compute[] = {
        {.name = "fma", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 50},
        {.name = "mul_add", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 25}};
    struct tcplan_ceiling bandwidth[] = {{.name = "load",
                                          .level = "DRAM",
                                          .threads = 1,
                                          .cache = 1,
                                          .rate = 10,
                                          .line_bytes_per_count_byte = 1},
                                         {.name = "copy",
                                          .level = "DRAM",
                                          .threads = 1,
                                          .cache = 1,
                                          .rate = 8,
                                          .line_bytes_per_count_byte = 1.5},
                                         {.name = "store",
                                          .level = "DRAM",
                                          .threads = 1,
                                          .cache = 1,
                                          .rate = 5,
                                          .line_bytes_per_count_byte = 2},
                                         {.name = "store_nt",
                                          .level = "DRAM",
                                          .threads = 1,
                                          .cache = 1,
                                          .rate = 6,
                                          .line_bytes_per_count_byte = 1}};
    static struct tcplan_ceiling kept[6];
    memcpy(kept, compute, sizeof compute);
    memcpy(kept + 2, bandwidth, sizeof bandwidth);
    static struct tcplan_roofline roofline;
    roofline = (struct tcplan_roofline){.machine.cache_count = 1,
                                        .compute = kept,
                                        .compute_count = 2,
                                        .bandwidth = kept + 2,
                                        .bandwidth_count = 4};
    return tcplan_region_place(region, &(struct tcplan_region_roofs){.roofline = &roofline,
                                                                     .direction = direction,
                                                                     .dtype = TCPLAN_DOUBLE,
                                                                     .threads = 1,
                                                                     .fused = true,
                                                                     .bandwidth = kernel});
}

static struct tcplan_point place(const struct tcplan_region *region, const char *kernel) {
    return place_direction(region, kernel, TCPLAN_DIRECTION_BOTH);
}

static void a_region_is_compared_with_the_kernel_that_writes_as_much(void **state) {
    struct tcplan_region region = {
        .gflops = 1.2, .intensity = 0.125, .bytes = 3, .written_bytes = -1, .dtype = -1};
    (void)state;
    struct tcplan_point point = place(&region, NULL);
    assert_string_equal(point.bandwidth->name, "load"); /* load: the share of writes is unknown */
    assert_near(point.roof, 1.25);
    assert_near(point.efficiency, 0.96);
    region.written_bytes = 1;
    point = place(&region, NULL);
    assert_string_equal(point.bandwidth->name, "copy");
    assert_near(point.roof, 1.5);
    assert_false(point.compute_bound);
    point = place(&region, "load");
    assert_near(point.roof, 1.25);
    region.intensity = 100;
    point = place(&region, NULL);
    assert_true(point.compute_bound && point.roof == 50);
    point = place(&region, "update"); /* no ceiling has the name "update" */
    assert_true(point.roof == 0);
}

static void operations_and_ceilings_can_be_of_other_kinds(void **state) {
    struct tcplan_region region = {.gflops = 30,
                                   .flops = 60,
                                   .canonical_flops = 40,
                                   .intensity = 6,
                                   .bytes = 10,
                                   .written_bytes = -1,
                                   .dtype = -1};
    struct tcplan_ceiling compute[] = {
        {.name = "fma", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 50},
        {.name = "mul_add",
         .precision = TCPLAN_DOUBLE,
         .threads = 1,
         .cache = -1,
         .rate = 25,
         .limit = 32},
        {.name = "divide", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 4}};
    struct tcplan_ceiling load = {.name = "load",
                                  .level = "DRAM",
                                  .threads = 1,
                                  .cache = 1,
                                  .rate = 10,
                                  .line_bytes_per_count_byte = 1};
    const struct tcplan_roofline roofline = {.machine.cache_count = 1,
                                             .compute = compute,
                                             .compute_count = 3,
                                             .bandwidth = &load,
                                             .bandwidth_count = 1};
    struct tcplan_region_roofs roofs = {
        .roofline = &roofline, .dtype = TCPLAN_DOUBLE, .threads = 1, .fused = true};
    (void)state;
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 30. / 50);
    roofs.fused = false;
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 30. / 25);
    roofs.theoretical = true;
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 30. / 32);
    roofs.fused = true; /* the limit of fma is unknown */
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 30. / 50);
    roofs.compute = "divide";
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 30. / 4);
    assert_true(tcplan_region_use_canonical(&region));
    assert_near(region.gflops, 20);
    assert_near(region.intensity, 4);
    assert_near(tcplan_region_place(&region, &roofs).efficiency, 20. / 4);
    region.canonical_flops = -1;
    assert_false(tcplan_region_use_canonical(&region));
}

static void reads_and_writes_have_roofs_of_their_own(void **state) {
    const struct tcplan_region region = {.gflops = 1.2,
                                         .flops = 24,
                                         .intensity = 0.125,
                                         .bytes = 192,
                                         .written_bytes = 48,
                                         .dtype = -1};
    struct tcplan_region unknown = region, dot = region;
    (void)state;
    unknown.written_bytes = -1;
    dot.written_bytes = 0;
    const struct tcplan_point read = place_direction(&region, NULL, TCPLAN_DIRECTION_READ),
                              written = place_direction(&region, NULL, TCPLAN_DIRECTION_WRITE);
    assert_string_equal(read.bandwidth->name, "load");
    assert_near(read.intensity_high, 24. / 144);
    assert_near(read.roof, 10 * 24. / 144);
    assert_string_equal(written.bandwidth->name, "store_nt"); /* the fastest stores */
    assert_near(written.intensity_high, 0.5);
    assert_near(written.roof, 3);
    assert_true(tcplan_region_has_place(&dot, TCPLAN_DIRECTION_READ));
    assert_false(tcplan_region_has_place(&dot, TCPLAN_DIRECTION_WRITE));
    assert_true(tcplan_region_has_place(&unknown, TCPLAN_DIRECTION_BOTH));
    assert_false(tcplan_region_has_place(&unknown, TCPLAN_DIRECTION_READ));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sockets_are_sums_over_sums),
        cmocka_unit_test(groups_of_one_program_are_put_together),
        cmocka_unit_test(statistics_alone_are_enough),
        cmocka_unit_test(a_plain_table_is_read_unchanged),
        cmocka_unit_test(missing_parts_of_a_file_are_reported),
        cmocka_unit_test(errors_are_reported_with_their_place),
        cmocka_unit_test(operations_and_ceilings_can_be_of_other_kinds),
        cmocka_unit_test(reads_and_writes_have_roofs_of_their_own),
        cmocka_unit_test(a_region_is_compared_with_the_kernel_that_writes_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
