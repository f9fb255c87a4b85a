#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/points.h"

static void assert_near(double found, double expected, double tolerance) {
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static struct tcplan_ceiling compute_ceilings[] = {
    {.name = "fma",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 512,
     .threads = 1,
     .cache = -1,
     .rate = 100},
    {.name = "fma",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 256,
     .threads = 1,
     .cache = -1,
     .rate = 60},
    {.name = "mul_add",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 512,
     .threads = 1,
     .cache = -1,
     .rate = 50},
    {.name = "dgemm",
     .precision = TCPLAN_DOUBLE,
     .threads = 1,
     .cache = -1,
     .rate = 95,
     .m = 9,
     .n = 9,
     .k = 9},
    {.name = "fma",
     .precision = TCPLAN_FLOAT,
     .vector_bits = 512,
     .threads = 1,
     .cache = -1,
     .rate = 200},
    {.name = "fma",
     .precision = TCPLAN_DOUBLE,
     .vector_bits = 512,
     .threads = 2,
     .cache = -1,
     .rate = 180},
};

/* Ceilings in cache level 0 (L1), 1 (L2), and 2 (memory). */
static struct tcplan_ceiling bandwidth_ceilings[] = {
    {.name = "load", .threads = 1, .cache = 1, .rate = 40, .line_bytes_per_count_byte = 1},
    {.name = "triad", .threads = 1, .cache = 1, .rate = 30, .line_bytes_per_count_byte = 4.0 / 3},
    {.name = "copy", .threads = 1, .cache = 1, .rate = 28, .line_bytes_per_count_byte = 1.5},
    {.name = "store", .threads = 1, .cache = 1, .rate = 20, .line_bytes_per_count_byte = 2},
    {.name = "axpy", .threads = 1, .cache = 1, .rate = 35, .line_bytes_per_count_byte = 1},
    {.name = "update", .threads = 1, .cache = 1, .rate = 36, .line_bytes_per_count_byte = 1},
    {.name = "load_8", .threads = 1, .cache = 1, .rate = 99, .line_bytes_per_count_byte = 8},
    {.name = "load", .threads = 1, .cache = 2, .rate = 10, .line_bytes_per_count_byte = 1},
    {.name = "load", .threads = 2, .cache = 1, .rate = 80, .line_bytes_per_count_byte = 1},
    {.name = "store", .threads = 1, .cache = 0, .rate = 50, .line_bytes_per_count_byte = 2},
};

static const struct tcplan_roofline roofline = {
    .compute_count = sizeof compute_ceilings / sizeof *compute_ceilings,
    .compute = compute_ceilings,
    .bandwidth_count = sizeof bandwidth_ceilings / sizeof *bandwidth_ceilings,
    .bandwidth = bandwidth_ceilings};

/** Returns a computation with 1e9 operations in 0.1 s. It moves 1e9 compulsory bytes, and 2e9 in
 * the traffic model; it only reads, from level 1 on. */
static struct tcplan_point_subject subject_of(void) {
    return (struct tcplan_point_subject){.flops = 1e9,
                                         .dtype = TCPLAN_DOUBLE,
                                         .traffic = {.cache = 1,
                                                     .compulsory_bytes = 1e9,
                                                     .model_bytes = 2e9,
                                                     .method = TCPLAN_TRAFFIC_SIMULATED},
                                         .threads = 1,
                                         .fused = true,
                                         .seconds = 0.1,
                                         .origin = TCPLAN_ORIGIN_MEASURED};
}

static void a_point_has_the_intensities_of_both_ends(void **state) {
    (void)state;
    const struct tcplan_point_subject subject = subject_of();
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_near(point.intensity_low, 0.5, 1e-15);
    assert_near(point.intensity_high, 1, 1e-15);
    assert_near(point.gflops, 10, 1e-12);
    assert_int_equal(point.origin, TCPLAN_ORIGIN_MEASURED);
}

static void efficiency_is_the_share_of_the_bandwidth_roof(void **state) {
    (void)state;
    const struct tcplan_point_subject subject = subject_of();
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_string_equal(point.bandwidth->name, "load");
    assert_near(point.roof, 40, 1e-12);
    assert_near(point.efficiency, 0.25, 1e-12);
    assert_near(point.model_roof, 20, 1e-12);
    assert_near(point.model_efficiency, 0.5, 1e-12);
    assert_false(point.compute_bound);
    assert_false(point.above_roof);
}

static void efficiency_is_relative_to_the_lower_roof(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.flops = 1e10;
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_true(point.compute_bound);
    assert_near(point.roof, 100, 1e-12);
    assert_near(point.efficiency, 1, 1e-12);
}

static void a_point_above_its_roof_is_flagged(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.seconds = 0.02;
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_near(point.efficiency, 1.25, 1e-12);
    assert_true(point.above_roof);
}

static void the_compute_ceiling_is_that_of_type_threads_and_operations(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    assert_ptr_equal(tcplan_point_make(&roofline, &subject).compute, &compute_ceilings[0]);
    subject.dtype = TCPLAN_DOUBLE_COMPLEX;
    assert_ptr_equal(tcplan_point_make(&roofline, &subject).compute, &compute_ceilings[0]);
    subject.dtype = TCPLAN_FLOAT_COMPLEX;
    assert_ptr_equal(tcplan_point_make(&roofline, &subject).compute, &compute_ceilings[4]);
    subject.dtype = TCPLAN_DOUBLE;
    subject.fused = false;
    assert_ptr_equal(tcplan_point_make(&roofline, &subject).compute, &compute_ceilings[2]);
    subject.fused = true;
    subject.threads = 2;
    assert_ptr_equal(tcplan_point_make(&roofline, &subject).compute, &compute_ceilings[5]);
}

static void the_bandwidth_ceiling_is_that_of_the_nearest_mix(void **state) {
    (void)state;
    static const struct {
        double write_share;
        bool updates;
        const char *name;
    } cases[] = {{0.1, false, "load"},  {0.3, false, "triad"},  {0.4, false, "triad"},
                 {0.45, false, "copy"}, {0.95, false, "store"}, {0.1, true, "load"},
                 {0.3, true, "axpy"},   {0.49, true, "update"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const struct tcplan_traffic traffic = {
            .cache = 1, .write_share = cases[c].write_share, .updates = cases[c].updates};
        assert_string_equal(tcplan_point_bandwidth_ceiling(&roofline, &traffic, 1)->name,
                            cases[c].name);
    }
}

static void the_bandwidth_ceiling_is_that_of_the_level(void **state) {
    (void)state;
    const struct tcplan_traffic traffic = {.cache = 2, .write_share = 0.9};
    const struct tcplan_ceiling *ceiling = tcplan_point_bandwidth_ceiling(&roofline, &traffic, 1);
    assert_string_equal(ceiling->name, "load"); /* the only ceiling */
    assert_int_equal(ceiling->cache, 2);
}

/* A store counts one line, but moves two: it fetches the line first. The traffic model counts
 * both. */
static void lines_are_compared_with_lines(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.traffic.write_share = 0.9;
    subject.traffic.model_write_share = 0.5;
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_string_equal(point.bandwidth->name, "store");
    assert_string_equal(point.model_bandwidth->name,
                        "store"); /* 40 = 2 * 20 for store, above 36 for update */
    assert_near(point.roof, 20, 1e-12);
    assert_near(point.model_roof, 20, 1e-12); /* 40 * 0.5 */
    subject.traffic.model_bytes = 4e9;
    assert_near(tcplan_point_make(&roofline, &subject).model_roof, 10, 1e-12);
}

/* An algorithm that only overwrites C may still update C repeatedly in the caches, so the model's
 * ratio of reads and writes selects the ceiling. */
static void the_models_mix_chooses_the_ceiling_of_the_model(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.traffic.model_write_share = 0.26;
    assert_string_equal(tcplan_point_make(&roofline, &subject).model_bandwidth->name, "triad");
    subject.traffic.model_write_share = 0.35; /* copy moves 42, axpy 35 */
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_string_equal(point.bandwidth->name, "load");
    assert_string_equal(point.model_bandwidth->name, "copy");
    assert_near(point.model_roof, 21, 1e-12);
}

static void requests_to_the_first_cache_are_compared_with_requests(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.traffic = (struct tcplan_traffic){.cache = 0,
                                              .compulsory_bytes = 1e9,
                                              .model_bytes = 2e9,
                                              .write_share = 0.9,
                                              .model_write_share = 0.9,
                                              .method = TCPLAN_TRAFFIC_COUNTED};
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_string_equal(point.model_bandwidth->name, "store");
    assert_near(point.roof, 50, 1e-12);
    assert_near(point.model_roof, 25, 1e-12);
}

static void a_point_above_the_bound_of_its_traffic_is_flagged(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.traffic.model_bytes = 8e9; /* 40 * 0.125 = 5 GFLOP/s */
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_near(point.model_efficiency, 2, 1e-12);
    assert_true(point.above_model);
    assert_false(point.above_roof);
}

/* Returns a computation with 1e9 operations. It writes 2.5e8 of 1e9 compulsory bytes, and 1e9 of
 * the model's 2e9. */
static struct tcplan_point_subject subject_of_direction(enum tcplan_direction direction) {
    struct tcplan_point_subject subject = subject_of();
    subject.traffic.write_share = 0.25;
    subject.traffic.model_write_share = 0.5;
    subject.direction = direction;
    return subject;
}

static void reads_are_compared_with_loads(void **state) {
    (void)state;
    const struct tcplan_point_subject subject = subject_of_direction(TCPLAN_DIRECTION_READ);
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_near(point.intensity_high, 1 / 0.75, 1e-12);
    assert_near(point.intensity_low, 1, 1e-12);
    assert_string_equal(point.bandwidth->name, "load");
    assert_near(point.roof, 40 / 0.75, 1e-12);
    assert_near(point.model_roof, 40, 1e-12);
}

/* A line that a store fetches counts as read, not as written. */
static void writes_are_compared_with_stores(void **state) {
    (void)state;
    const struct tcplan_point_subject subject = subject_of_direction(TCPLAN_DIRECTION_WRITE);
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_near(point.intensity_high, 4, 1e-12);
    assert_near(point.intensity_low, 1, 1e-12);
    assert_string_equal(point.bandwidth->name, "store");
    assert_near(point.roof, 80, 1e-12);
    assert_near(point.model_roof, 20, 1e-12);
}

static void the_faster_store_is_the_ceiling_of_writes(void **state) {
    (void)state;
    static struct tcplan_ceiling stores[] = {
        {.name = "store", .threads = 1, .cache = 1, .rate = 20, .line_bytes_per_count_byte = 2},
        {.name = "store_nt", .threads = 1, .cache = 1, .rate = 30, .line_bytes_per_count_byte = 1},
    };
    struct tcplan_roofline two = roofline;
    two.bandwidth = stores;
    two.bandwidth_count = 2;
    const struct tcplan_point_subject subject = subject_of_direction(TCPLAN_DIRECTION_WRITE);
    assert_string_equal(tcplan_point_make(&two, &subject).bandwidth->name, "store_nt");
    stores[1].rate = 10;
    assert_string_equal(tcplan_point_make(&two, &subject).bandwidth->name, "store");
}

/* A model with fewer written bytes than the compulsory ones is rejected. The bytes of both
 * directions add up to the total. */
static void directions_add_up(void **state) {
    (void)state;
    struct tcplan_traffic traffic = {
        .compulsory_bytes = 100, .write_share = 0.25, .model_bytes = 300, .model_write_share = 0.4};
    assert_near(tcplan_traffic_compulsory(&traffic, TCPLAN_DIRECTION_READ) +
                    tcplan_traffic_compulsory(&traffic, TCPLAN_DIRECTION_WRITE),
                100, 1e-12);
    assert_near(tcplan_traffic_modelled(&traffic, TCPLAN_DIRECTION_READ) +
                    tcplan_traffic_modelled(&traffic, TCPLAN_DIRECTION_WRITE),
                300, 1e-12);
    traffic.model_write_share = 0;
    assert_near(tcplan_traffic_modelled(&traffic, TCPLAN_DIRECTION_WRITE), 25, 1e-12);
}

static void rates_per_cycle_use_the_core_clock(void **state) {
    (void)state;
    static struct tcplan_ceiling compute[1], bandwidth[1];
    struct tcplan_error error;
    compute[0] = compute_ceilings[0];
    bandwidth[0] = bandwidth_ceilings[0];
    struct tcplan_roofline cycles = {
        .compute_count = 1, .compute = compute, .bandwidth_count = 1, .bandwidth = bandwidth};
    assert_int_equal(tcplan_roofline_per_cycle(&cycles, &error),
                     TCPLAN_ENVIRONMENT); /* fails: the clock frequency is unknown */
    cycles.clock.hz = 4e9;
    assert_int_equal(tcplan_roofline_per_cycle(&cycles, &error), TCPLAN_OK);
    assert_int_equal(tcplan_roofline_per_cycle(&cycles, &error),
                     TCPLAN_OK); /* succeeds: the rates are per cycle already */
    assert_near(compute[0].rate, 25, 1e-12);
    assert_near(bandwidth[0].rate, 10, 1e-12);
    const struct tcplan_point_subject subject = subject_of();
    const struct tcplan_point point = tcplan_point_make(&cycles, &subject);
    assert_near(point.gflops, 2.5, 1e-12);
    assert_near(point.roof, 10, 1e-12);
    assert_near(point.efficiency, tcplan_point_make(&roofline, &subject).efficiency, 1e-12);
}

static void a_ceiling_is_divided_by_the_clock_measured_with_it(void **state) {
    (void)state;
    static struct tcplan_ceiling compute[2];
    struct tcplan_error error;
    compute[0] = compute[1] = compute_ceilings[0];
    compute[1].clock_hz = 2e9;
    struct tcplan_roofline cycles = {.clock.hz = 4e9, .compute_count = 2, .compute = compute};
    assert_int_equal(tcplan_roofline_per_cycle(&cycles, &error), TCPLAN_OK);
    assert_near(compute[0].rate, 25, 1e-12);
    assert_near(compute[1].rate, 50, 1e-12);
}

static void without_ceilings_there_is_no_efficiency(void **state) {
    (void)state;
    struct tcplan_point_subject subject = subject_of();
    subject.threads = 7;
    const struct tcplan_point point = tcplan_point_make(&roofline, &subject);
    assert_null(point.compute);
    assert_null(point.bandwidth);
    assert_true(point.efficiency == 0 && point.roof == 0);
    assert_near(point.gflops, 10, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_has_the_intensities_of_both_ends),
        cmocka_unit_test(efficiency_is_the_share_of_the_bandwidth_roof),
        cmocka_unit_test(efficiency_is_relative_to_the_lower_roof),
        cmocka_unit_test(a_point_above_its_roof_is_flagged),
        cmocka_unit_test(the_compute_ceiling_is_that_of_type_threads_and_operations),
        cmocka_unit_test(the_bandwidth_ceiling_is_that_of_the_nearest_mix),
        cmocka_unit_test(the_bandwidth_ceiling_is_that_of_the_level),
        cmocka_unit_test(lines_are_compared_with_lines),
        cmocka_unit_test(the_models_mix_chooses_the_ceiling_of_the_model),
        cmocka_unit_test(requests_to_the_first_cache_are_compared_with_requests),
        cmocka_unit_test(a_point_above_the_bound_of_its_traffic_is_flagged),
        cmocka_unit_test(reads_are_compared_with_loads),
        cmocka_unit_test(writes_are_compared_with_stores),
        cmocka_unit_test(the_faster_store_is_the_ceiling_of_writes),
        cmocka_unit_test(directions_add_up),
        cmocka_unit_test(rates_per_cycle_use_the_core_clock),
        cmocka_unit_test(a_ceiling_is_divided_by_the_clock_measured_with_it),
        cmocka_unit_test(without_ceilings_there_is_no_efficiency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
