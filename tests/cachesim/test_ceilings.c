#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/ceilings.h"

/* Rates that make all times whole numbers of milliseconds; an element has 8 bytes. */
static struct tcplan_ceiling compute[] = {
    {.name = "dgemm", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 2, .m = 8},
    {.name = "fma", .precision = TCPLAN_DOUBLE, .threads = 1, .cache = -1, .rate = 4},
    {.name = "cgemm",
     .precision = TCPLAN_FLOAT_COMPLEX,
     .threads = 1,
     .cache = -1,
     .rate = 8,
     .m = 8}};
static struct tcplan_ceiling bandwidth[] = {
    {.name = "load", .threads = 1, .cache = 0, .rate = 80},
    {.name = "store", .threads = 1, .cache = 0, .rate = 40},
    {.name = "load", .threads = 1, .cache = 1, .rate = 8},
    {.name = "store", .threads = 1, .cache = 1, .rate = 1},
    {.name = "store_nt", .threads = 1, .cache = 1, .rate = 4},
    {.name = "load", .threads = 2, .cache = 1, .rate = 8}};

static struct tcplan_level level[] = {
    {.cache = 0, .threads = 1, .holds_bytes = 24000},
    {.cache = -1, .threads = 1, .holds_bytes = 48000}, /* a measured cache that the system does not
                                                          report */
    {.cache = 1, .threads = 1},
    {.cache = 1, .threads = 2}};

static struct tcplan_roofline make_roofline(void) {
    return (struct tcplan_roofline){
        .machine = {.cache_count = 1, .cache = {{.level = 1, .size_bytes = 1}}},
        .compute_count = 3,
        .compute = compute,
        .bandwidth_count = 6,
        .bandwidth = bandwidth,
        .level_count = 4,
        .level = level};
}

/** The capacity of all caches together, in bytes, with the tolerance of the limit: */
#define HELD (1.15 * 72000)

static double limit(const struct tcplan_roofline *roofline, const char *text,
                    const int64_t extent[], enum tcplan_dtype dtype, int threads) {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    assert_int_equal(tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_problem_init(&problem, contraction, extent, dtype, NULL), TCPLAN_OK);
    const double seconds = tcplan_roofline_limit_seconds(roofline, &problem, threads);
    tcplan_contraction_free(contraction);
    return seconds;
}

static void assert_near(double found, double expected) {
    if (!(found > expected * (1 - 1e-12) && found < expected * (1 + 1e-12)))
        fail_msg("expected %g, found %g", expected, found);
}

static void large_contractions_are_limited_by_the_fastest_arithmetic(void **state) {
    struct tcplan_roofline roofline = make_roofline();
    const int64_t extent[] = {1000, 1000, 1000};
    struct tcplan_ceiling own[3];
    (void)state;
    memcpy(own, compute, sizeof own);
    roofline.compute = own;
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1),
                2e9 / 4e9); /* the peak of FMA instructions, 4 GFLOP/s, exceeds that of dgemm */
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE_COMPLEX, 1), 8e9 / 4e9);
    own[0].rate = 5; /* now dgemm is faster than the FMA instructions */
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1), 2e9 / 5e9);
    own[0].rate = 2;
    own[1].q3 = 4.5; /* upper quartile of the samples for FMA */
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1), 2e9 / 4.5e9);
    own[1].q3 = 0;
    roofline.compute = &own[1]; /* without a gemm */
    roofline.compute_count = 1;
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1), 2e9 / 4e9);
}

/**
 * Outer product of 10^6 by 1 elements: A 8 MB, B 8 B, C 8 MB. Caches hold 72 kB times 1.15.
 * Non-temporal stores write C at 4 GB/s.
 */
static void each_level_is_charged_for_data_beyond_nearer_caches(void **state) {
    struct tcplan_roofline roofline = make_roofline();
    const int64_t long_vector[] = {1000000, 1};
    const double bytes = 16e6 + 8 - HELD;
    (void)state;
    /*
     * Reading and writing may overlap. The limit assumes the cached bytes for which both take
     * equally long, but at most all of A.
     */
    const double written = bytes - (8e6 + 8);
    assert_near(limit(&roofline, "C_ab=A_a*B_b", long_vector, TCPLAN_DOUBLE, 1),
                fmax(written / 4e9, bytes / 8e9));
    assert_near(limit(&roofline, "C_ab+=A_a*B_b", long_vector, TCPLAN_DOUBLE, 1),
                (bytes + written) / 8e9); /* C += ...: C is also read */
    assert_near(limit(&roofline, "C=A_a*A_a", (const int64_t[]){1000000}, TCPLAN_DOUBLE, 1),
                (8e6 + 8 - HELD) / 8e9); /* both factors are A: it is read once */
}

/** The stream `update` counts lines as read that other streams fetch uncounted. */
static void a_stream_that_reads_its_result_bounds_only_updates(void **state) {
    struct tcplan_ceiling streams[7];
    struct tcplan_roofline roofline = make_roofline();
    const int64_t long_vector[] = {1000000, 1};
    const double bytes = 16e6 + 8 - HELD, written = bytes - (8e6 + 8);
    (void)state;
    memcpy(streams, bandwidth, sizeof bandwidth);
    streams[6] = (struct tcplan_ceiling){.name = "update", .threads = 1, .cache = 1, .rate = 16};
    roofline.bandwidth = streams;
    roofline.bandwidth_count = 7;
    assert_near(limit(&roofline, "C_ab=A_a*B_b", long_vector, TCPLAN_DOUBLE, 1),
                fmax(written / 4e9, bytes / 8e9));
    assert_near(limit(&roofline, "C_ab+=A_a*B_b", long_vector, TCPLAN_DOUBLE, 1), bytes / 8e9);
}

/**
 * Three vectors. Up to 72 kB, only the first cache has a ceiling: all bytes are loaded and stored
 * there.
 */
static void cached_data_is_not_charged_to_memory(void **state) {
    const struct tcplan_roofline roofline = make_roofline();
    (void)state;
    assert_near(limit(&roofline, "C_a=A_a*B_a", (const int64_t[]){999}, TCPLAN_DOUBLE, 1),
                1998 / 4e9); /* arithmetic takes longer */
    assert_near(limit(&roofline, "C_a=A_a*B_a", (const int64_t[]){3000}, TCPLAN_DOUBLE, 1),
                6000 / 4e9); /* 72 kB */
    assert_near(limit(&roofline, "C_a=A_a*B_a", (const int64_t[]){6000}, TCPLAN_DOUBLE, 1),
                (144000 - HELD) / 8e9);
}

/** The limit never decreases with the size, and has no step at the capacity of a cache. */
static void the_limit_grows_with_the_size_without_steps(void **state) {
    const struct tcplan_roofline roofline = make_roofline();
    double before = 0;
    (void)state;
    for (int64_t n = 100; n < 20000; n += 10) {
        const double seconds = limit(&roofline, "C_a=A_a*B_a", &n, TCPLAN_DOUBLE, 1);
        assert_true(seconds >= before && (n == 100 || seconds - before < 1e-7));
        before = seconds;
    }
}

/** The detected capacity of a cache replaces the reported one: a virtual machine may report a cache
 * that it shares with others. */
static void a_cache_has_its_detected_or_else_its_reported_capacity(void **state) {
    struct tcplan_roofline roofline = make_roofline();
    const int64_t extent[] = {6000};
    (void)state;
    roofline.machine.cache[0].size_bytes = 40000;
    assert_near(limit(&roofline, "C_a=A_a*B_a", extent, TCPLAN_DOUBLE, 1), (144000 - HELD) / 8e9);
    roofline.level_count = 0; /* no cache level was measured, for example because time ran out */
    assert_near(limit(&roofline, "C_a=A_a*B_a", extent, TCPLAN_DOUBLE, 1), (144000 - 40000) / 8e9);
}

static void a_level_is_found_by_how_much_it_holds(void **state) {
    const struct tcplan_roofline roofline = make_roofline();
    (void)state;
    assert_ptr_equal(tcplan_roofline_level(&roofline, 24000, 1), &level[0]);
    assert_ptr_equal(tcplan_roofline_level(&roofline, 24001, 1), &level[1]);
    assert_ptr_equal(tcplan_roofline_level(&roofline, 48001, 1), &level[2]);
    assert_ptr_equal(tcplan_roofline_level(&roofline, 1, 2), &level[3]);
    assert_null(tcplan_roofline_level(&roofline, 1, 3));
}

/** A ceiling of FMA instructions that was measured with a reference time of 30 us; the best is 20
 * us. The limit scales it to the faster clock. */
static void measurements_on_slow_cores_set_no_limit(void **state) {
    struct tcplan_roofline roofline = make_roofline();
    struct tcplan_ceiling own[3];
    const int64_t extent[] = {1000, 1000, 1000};
    (void)state;
    for (int c = 0; c < 3; c++) own[c] = compute[c];
    roofline.compute = own;
    for (int c = 0; c < 3; c++) own[c].reference_seconds = own[c].good_reference_seconds = 20e-6;
    for (int c = 0; c < 3; c++) assert_near(tcplan_ceiling_speed_share(&own[c]), 1);
    assert_near(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1), 2e9 / 4e9);
    for (int c = 0; c < 3; c++)
        own[c].reference_seconds = strcmp(own[c].name, "fma") == 0 ? 30e-6 : 21e-6;
    for (int c = 0; c < 3; c++)
        assert_true(tcplan_ceiling_is_slow(&own[c]) == (strcmp(own[c].name, "fma") == 0));
    assert_true(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_DOUBLE, 1) == 0);
    own[1].precision = TCPLAN_FLOAT;
    own[1].reference_seconds = 20e-6;
    assert_true(limit(&roofline, "C_ab=A_ai*B_ib", extent, TCPLAN_FLOAT_COMPLEX, 1) > 0);
    assert_true(tcplan_ceiling_speed_share(&bandwidth[0]) == 0 &&
                !tcplan_ceiling_is_slow(&bandwidth[0])); /* unknown */
}

/** 8 MB, partly cached, at 8 GB/s for 2 million operations; the compute roof is 4 GFLOP/s. */
static void a_roof_is_the_speed_at_the_limit(void **state) {
    const struct tcplan_roofline roofline = make_roofline();
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    (void)state;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_ab=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_problem_init(&problem, contraction, (const int64_t[]){1000, 1, 1000},
                                         TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    assert_near(tcplan_roofline_roof(&roofline, &problem, 1),
                2e6 / ((8e6 + 16e3 - HELD) / 8e9) * 1e-9);
    assert_int_equal(tcplan_problem_init(&problem, contraction, (const int64_t[]){4000, 4000, 4000},
                                         TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    assert_near(tcplan_roofline_roof(&roofline, &problem, 1), 4);
    assert_true(tcplan_roofline_roof(&roofline, &problem, 2) == 0); /* no roof: no compute ceiling
                                                                       was measured */
    tcplan_contraction_free(contraction);
}

/** The highest rates are 10 GB/s and 40 GFLOP/s; slower ceilings do not move the ridge. */
static void a_ridge_is_where_the_highest_rates_meet(void **state) {
    struct tcplan_ceiling point[] = {{.threads = 1, .cache = 1, .intensity = 0.5, .rate = 4},
                                     {.threads = 1, .cache = 1, .intensity = 1, .rate = 10},
                                     {.threads = 1, .cache = 1, .intensity = 8, .rate = 40},
                                     {.threads = 1, .cache = 1, .intensity = 16, .rate = 39},
                                     {.threads = 1, .cache = 0, .intensity = 16, .rate = 99}};
    const struct tcplan_roofline roofline = {.intensity_count = 5, .intensity = point};
    (void)state;
    assert_near(tcplan_roofline_ridge(&roofline, 1, 1), 4);
    assert_true(tcplan_roofline_ridge(&roofline, 0, 1) == 0 &&
                tcplan_roofline_ridge(&roofline, 1, 2) == 0);
    assert_true(tcplan_roofline_has_intensities(&roofline, 1) &&
                !tcplan_roofline_has_intensities(&roofline, 2));
}

/** The stride share is the rate, divided by the rate with unit stride. It is 0.5 for stride 2, and
 * 0.0625 for stride 64, although 0.125 is expected. */
static void strides_are_compared_with_unit_stride(void **state) {
    struct tcplan_ceiling access[] = {
        {.name = "load_1", .vector_bits = 64, .threads = 1, .cache = 1, .rate = 40},
        {.name = "load_2", .vector_bits = 64, .threads = 1, .cache = 1, .rate = 20},
        {.name = "load_64", .vector_bits = 64, .threads = 1, .cache = 1, .rate = 2.5},
        {.name = "store_1", .vector_bits = 64, .threads = 1, .cache = 1, .rate = 10},
        {.name = "store_2", .vector_bits = 64, .threads = 1, .cache = 1, .rate = 5},
        {.name = "load_2", .vector_bits = 64, .threads = 2, .cache = 1, .rate = 20},
        {.name = "load_2", .vector_bits = 64, .threads = 1, .cache = 0, .rate = 20}};
    const struct tcplan_roofline roofline = {.bandwidth_count = 7, .bandwidth = access};
    const char *const unstrided[] = {"load",  "store",  "store_nt", "triad_nt",
                                     "load_", "copy_2", "fma"};
    (void)state;
    assert_near(tcplan_roofline_stride_share(&roofline, &access[0]), 1);
    assert_near(tcplan_roofline_stride_share(&roofline, &access[1]), 0.5);
    assert_near(tcplan_ceiling_stride_expected(&access[1]), 0.5);
    assert_near(tcplan_roofline_stride_share(&roofline, &access[2]), 0.0625);
    assert_near(tcplan_ceiling_stride_expected(&access[2]), 0.125);
    assert_near(tcplan_roofline_stride_share(&roofline, &access[4]), 0.5);
    assert_true(tcplan_roofline_stride_share(&roofline, &access[5]) ==
                0); /* no ceiling with unit stride and as many threads in this level */
    assert_true(tcplan_roofline_stride_share(&roofline, &access[6]) == 0);
    for (size_t u = 0; u < sizeof unstrided / sizeof *unstrided; u++) {
        struct tcplan_ceiling ceiling = {.threads = 1, .cache = 1, .rate = 1};
        memcpy(ceiling.name, unstrided[u], strlen(unstrided[u]));
        assert_int_equal(tcplan_ceiling_stride(&ceiling), 0);
        assert_true(tcplan_ceiling_stride_expected(&ceiling) == 0 &&
                    tcplan_roofline_stride_share(&roofline, &ceiling) == 0);
    }
    assert_true(tcplan_roofline_has_strides(&roofline, 1, false) &&
                !tcplan_roofline_has_strides(&roofline, 2, false));
    access[2].rough = true;
    assert_true(!tcplan_roofline_has_strides(&roofline, 1, false) &&
                tcplan_roofline_has_strides(&roofline, 1, true));
    memcpy(access[0].name, "load_random", sizeof "load_random");
    assert_ptr_equal(tcplan_roofline_bandwidth(&roofline, "load_random", 1, 1), &access[0]);
    assert_null(tcplan_roofline_bandwidth(&roofline, NULL, 1, 1)); /* all ceilings are strided or
                                                                      random */
}

static void several_widths_are_distinguished(void **state) {
    struct tcplan_ceiling load[] = {
        {.name = "load", .vector_bits = 512, .threads = 1, .rate = 9},
        {.name = "load_1", .vector_bits = 64, .threads = 1, .rate = 8},
        {.name = "load", .vector_bits = 256, .threads = 1, .rate = 9.5}};
    struct tcplan_roofline roofline = {.bandwidth_count = 2, .bandwidth = load};
    (void)state;
    assert_false(tcplan_roofline_has_widths(&roofline, 1, true));
    roofline.bandwidth_count = 3;
    assert_true(tcplan_roofline_has_widths(&roofline, 1, false) &&
                !tcplan_roofline_has_widths(&roofline, 2, true));
    assert_ptr_equal(tcplan_roofline_bandwidth(&roofline, "load", 0, 1),
                     &load[2]); /* width 0: any vector width */
}

/** A mixed precision has no contractions. The roofline of a processor without mixed-precision
 * instructions is complete without their ceilings. */
static void mixed_precisions_are_listed_with_the_types(void **state) {
    struct tcplan_ceiling mixed[] = {{.name = "fma",
                                      .precision = TCPLAN_DOUBLE,
                                      .vector_bits = 512,
                                      .threads = 1,
                                      .cache = -1,
                                      .rate = 10},
                                     {.name = "fma",
                                      .precision = TCPLAN_DOUBLE,
                                      .mix = TCPLAN_MIX_S_D,
                                      .vector_bits = 512,
                                      .threads = 1,
                                      .cache = -1,
                                      .rate = 99},
                                     {.name = "fma",
                                      .precision = TCPLAN_DOUBLE,
                                      .mix = TCPLAN_MIX_S_D,
                                      .vector_bits = 256,
                                      .threads = 1,
                                      .cache = -1,
                                      .rate = 50}};
    struct tcplan_roofline roofline = {.compute_count = 3, .compute = mixed};
    (void)state;
    assert_ptr_equal(tcplan_roofline_compute(&roofline, "fma", TCPLAN_DOUBLE, 0, 1), &mixed[0]);
    assert_ptr_equal(tcplan_roofline_compute(&roofline, NULL, TCPLAN_DOUBLE, 0, 1), &mixed[0]);
    assert_ptr_equal(tcplan_roofline_mixed(&roofline, TCPLAN_MIX_S_D, 1), &mixed[1]);
    assert_null(tcplan_roofline_mixed(&roofline, TCPLAN_MIX_S_D, 2));
    assert_null(tcplan_roofline_mixed(&roofline, TCPLAN_MIX_FP16, 1));
    assert_null(tcplan_roofline_mixed(&roofline, TCPLAN_MIX_NONE, 1));
}

/** Adds all other ceilings: operations and gemm of all types, loads with and without strides. */
static void all_ceilings_exist_with_or_without_a_mixed_precision(void **state) {
    struct tcplan_ceiling own[7] = {{.name = "fma", .precision = TCPLAN_DOUBLE, .threads = 1},
                                    {.name = "fma", .threads = 1}};
    struct tcplan_ceiling loads[] = {{.name = "load", .threads = 1},
                                     {.name = "load_2", .threads = 1}};
    struct tcplan_roofline roofline = {
        .compute_count = 6, .compute = own, .bandwidth_count = 2, .bandwidth = loads};
    (void)state;
    for (int d = 0; d < TCPLAN_DTYPES; d++)
        own[2 + d] =
            (struct tcplan_ceiling){.precision = (enum tcplan_dtype)d, .threads = 1, .m = 8};
    assert_false(tcplan_roofline_has(&roofline, 0, 1, true));
    assert_true(tcplan_roofline_has(&roofline, 1U << TCPLAN_DOUBLE, 1, true));
    roofline.lacking = 1U << TCPLAN_MIX_FP16 | 1U << TCPLAN_MIX_BF16_S;
    assert_false(tcplan_roofline_has(&roofline, 0, 1, true));
    roofline.unbuilt = 1U << TCPLAN_MIX_S_D;
    assert_true(tcplan_roofline_has(&roofline, 0, 1, true));
    roofline.lacking = roofline.unbuilt = 0;
    own[roofline.compute_count++] = (struct tcplan_ceiling){
        .name = "fma", .mix = TCPLAN_MIX_BF16_S, .threads = 1, .rough = true};
    assert_true(tcplan_roofline_has(&roofline, 0, 1, true));
    assert_false(tcplan_roofline_has(&roofline, 0, 1, false));
}

static void without_a_ceiling_there_is_no_limit(void **state) {
    struct tcplan_roofline roofline = make_roofline();
    const int64_t extent[] = {1000, 1};
    (void)state;
    assert_true(limit(NULL, "C_ab=A_a*B_b", extent, TCPLAN_DOUBLE, 1) == 0);
    assert_true(limit(&roofline, "C_ab=A_a*B_b", extent, TCPLAN_FLOAT, 1) == 0);
    assert_true(limit(&roofline, "C_ab=A_a*B_b", extent, TCPLAN_DOUBLE, 2) == 0);
    roofline.bandwidth_count = 3; /* no ceilings of stores to memory */
    assert_true(limit(&roofline, "C_ab=A_a*B_b", (const int64_t[]){1000000, 1}, TCPLAN_DOUBLE, 1) ==
                0);
    roofline.bandwidth_count =
        4; /* no ceilings of non-temporal stores, which some processors lack */
    assert_near(limit(&roofline, "C_ab=A_a*B_b", (const int64_t[]){1000000, 1}, TCPLAN_DOUBLE, 1),
                (8e6 - HELD) / 1e9);
    assert_true(limit(&roofline, "C_ab=A_a*B_b", (const int64_t[]){0, 1}, TCPLAN_DOUBLE, 1) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_contractions_are_limited_by_the_fastest_arithmetic),
        cmocka_unit_test(each_level_is_charged_for_data_beyond_nearer_caches),
        cmocka_unit_test(a_stream_that_reads_its_result_bounds_only_updates),
        cmocka_unit_test(cached_data_is_not_charged_to_memory),
        cmocka_unit_test(the_limit_grows_with_the_size_without_steps),
        cmocka_unit_test(a_cache_has_its_detected_or_else_its_reported_capacity),
        cmocka_unit_test(a_level_is_found_by_how_much_it_holds),
        cmocka_unit_test(measurements_on_slow_cores_set_no_limit),
        cmocka_unit_test(a_roof_is_the_speed_at_the_limit),
        cmocka_unit_test(a_ridge_is_where_the_highest_rates_meet),
        cmocka_unit_test(strides_are_compared_with_unit_stride),
        cmocka_unit_test(several_widths_are_distinguished),
        cmocka_unit_test(mixed_precisions_are_listed_with_the_types),
        cmocka_unit_test(all_ceilings_exist_with_or_without_a_mixed_precision),
        cmocka_unit_test(without_a_ceiling_there_is_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
