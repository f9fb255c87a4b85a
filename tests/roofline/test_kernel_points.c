#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "roofline/validation/fft.h"
#include "tcplan/kernel_points.h"

/* Ceilings of a synthetic machine. */

static struct tcplan_ceiling compute[] = {{.name = "fma",
                                           .precision = TCPLAN_DOUBLE,
                                           .vector_bits = 256,
                                           .threads = 1,
                                           .cache = -1,
                                           .rate = 50}};

static struct tcplan_ceiling bandwidth[] = {
    {.name = "load",
     .level = "L1",
     .threads = 1,
     .cache = 0,
     .rate = 200,
     .line_bytes_per_count_byte = 1},
    {.name = "load",
     .level = "DRAM",
     .threads = 1,
     .cache = 2,
     .rate = 16,
     .line_bytes_per_count_byte = 1},
    {.name = "copy",
     .level = "L1",
     .threads = 1,
     .cache = 0,
     .rate = 160,
     .line_bytes_per_count_byte = 1.5},
    {.name = "copy",
     .level = "L2",
     .threads = 1,
     .cache = 1,
     .rate = 40,
     .line_bytes_per_count_byte = 1.5},
    {.name = "copy",
     .level = "DRAM",
     .threads = 1,
     .cache = 2,
     .rate = 8,
     .line_bytes_per_count_byte = 1.5},
    {.name = "axpy",
     .level = "L2",
     .threads = 1,
     .cache = 1,
     .rate = 60,
     .line_bytes_per_count_byte = 1},
    {.name = "axpy",
     .level = "DRAM",
     .threads = 1,
     .cache = 2,
     .rate = 12,
     .line_bytes_per_count_byte = 1},
};

static struct tcplan_level levels[] = {
    {.name = "L1", .cache = 0, .threads = 1, .holds_bytes = 20000, .rate = 200},
    {.name = "L2", .cache = 1, .threads = 1, .holds_bytes = 100000, .rate = 40},
    {.name = "DRAM", .cache = 2, .threads = 1, .rate = 16}};

static struct tcplan_roofline roofline = {
    .machine = {.line_bytes = 64,
                .page_bytes = 4096,
                .cache_count = 2,
                .cache = {{.level = 1, .size_bytes = 32768}, {.level = 2, .size_bytes = 1 << 20}}},
    .compute_count = sizeof compute / sizeof *compute,
    .compute = compute,
    .bandwidth_count = sizeof bandwidth / sizeof *bandwidth,
    .bandwidth = bandwidth,
    .level_count = sizeof levels / sizeof *levels,
    .level = levels};

/** Returns the point of an FFT with 1024 elements, whose data has 32 KiB. */
static struct tcplan_kernel_point fft_of_1024(bool cold) {
    return (struct tcplan_kernel_point){.kernel = TCPLAN_POINT_FFT,
                                        .n = 1024,
                                        .cold = cold,
                                        .flops = 32768,
                                        .flops_origin = TCPLAN_ORIGIN_ANALYTIC,
                                        .compulsory_bytes = 32768,
                                        .compulsory_written_bytes = 16384,
                                        .bytes = 49152,
                                        .written_bytes = 16384,
                                        .data_bytes = 32768,
                                        .seconds = 1e-5};
}

static void cold_kernels_are_fed_by_memory(void **state) {
    (void)state;
    const struct tcplan_kernel_point point = fft_of_1024(true);
    const struct tcplan_point place =
        tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH);
    assert_string_equal(place.bandwidth->level, "DRAM");
    assert_string_equal(place.bandwidth->name,
                        "copy"); /* FFT: half of its bytes are written without being read before */
    assert_float_equal(place.intensity_high, 1, 1e-6);
    assert_float_equal(place.intensity_low, 2.0 / 3,
                       1e-6); /* bytes include cache lines of the result that are fetched before
                                 they are written */
    assert_float_equal(place.gflops, 3.2768, 1e-6);
    assert_float_equal(place.roof, 8, 1e-6);
    assert_float_equal(place.efficiency, 3.2768 / 8, 1e-6);
    assert_float_equal(place.model_efficiency, 3.2768 / (12 * 2.0 / 3), 1e-6);
    assert_int_equal(place.origin, TCPLAN_ORIGIN_MEASURED);
    assert_false(place.above_roof || place.compute_bound);
}

static void warm_kernels_are_fed_by_the_level_that_was_found_to_hold_them(void **state) {
    (void)state;
    struct tcplan_kernel_point point = fft_of_1024(false);
    assert_string_equal(tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH)
                            .bandwidth->level,
                        "L2"); /* its data does not fit: L1 holds at most 20000 bytes */
    roofline.level_count = 0;
    assert_string_equal(tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH)
                            .bandwidth->level,
                        "L1"); /* the reported capacity */
    roofline.level_count = sizeof levels / sizeof *levels;
    point.data_bytes = 1 << 30;
    assert_string_equal(tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH)
                            .bandwidth->level,
                        "DRAM");
}

static void speeds_above_the_roof_are_flagged(void **state) {
    (void)state;
    struct tcplan_kernel_point point = fft_of_1024(true);
    point.seconds = 2e-6;
    const struct tcplan_point place =
        tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH);
    assert_true(place.above_roof && place.efficiency > 1);
}

static void updates_are_compared_with_axpy(void **state) {
    (void)state;
    const struct tcplan_kernel_point point = {.kernel = TCPLAN_POINT_DAXPY,
                                              .n = 1000000,
                                              .cold = true,
                                              .flops = 2e6,
                                              .compulsory_bytes = 24e6,
                                              .compulsory_written_bytes = 8e6,
                                              .bytes = 30e6, /* counted */
                                              .written_bytes = 10e6,
                                              .bytes_source = TCPLAN_KERNEL_BYTES_COUNTED,
                                              .data_bytes = 16000000,
                                              .seconds = 2.5e-3};
    const struct tcplan_point place =
        tcplan_kernel_point_place(&point, &roofline, 1, true, TCPLAN_DIRECTION_BOTH);
    assert_string_equal(place.bandwidth->name, "axpy");
    assert_float_equal(place.efficiency, 0.8, 1e-6);
    assert_float_equal(place.intensity_low, 2.0 / 30, 1e-6);
}

/* Measuring. */

static struct tcplan_kernel_points *measure(const struct tcplan_kernel_options *options) {
    struct tcplan_kernel_points *points = NULL;
    struct tcplan_error error;
    if (tcplan_kernel_points_measure(&points, options, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return points;
}

static void every_kernel_is_measured_cold_and_warm(void **state) {
    static const struct tcplan_kernel_wanted wanted[] = {{TCPLAN_POINT_DAXPY, 5000},
                                                         {TCPLAN_POINT_DGEMV, 60},
                                                         {TCPLAN_POINT_DGEMM, 40},
                                                         {TCPLAN_POINT_FFT, 256}};
    (void)state;
    const size_t count = fft_version() ? 4 : 3;
    const struct tcplan_kernel_options options = {.count = count,
                                                  .wanted = wanted,
                                                  .counters = "none",
                                                  .threads = 1,
                                                  .max_memory_bytes = 4 << 20,
                                                  .repeats = 2};
    struct tcplan_kernel_points *points = measure(&options);
    assert_int_equal(points->count, 2 * count);
    assert_string_equal(points->counts, "none");
    assert_true(*points->why_no_flops && *points->why_no_bytes);
    assert_int_equal(*points->fft_version != '\0', count == 4);
    for (size_t p = 0; p < points->count; p++) {
        const struct tcplan_kernel_point *point = &points->point[p];
        assert_int_equal(point->kernel, wanted[p / 2].kernel);
        assert_int_equal(point->n, wanted[p / 2].n);
        assert_int_equal(point->cold, p % 2 == 0);
        assert_int_equal(point->bytes_source, TCPLAN_KERNEL_BYTES_ANALYTIC);
        assert_int_equal(point->flops_origin, TCPLAN_ORIGIN_ANALYTIC);
        assert_true(point->flops > 0 && point->runs >= 1 && point->repeats == 2);
        assert_true(point->seconds_q1 <= point->seconds && point->seconds <= point->seconds_q3);
        assert_true(point->bytes >= point->compulsory_bytes && point->replicas_bytes <= 4 << 20);
        if (point->kernel == TCPLAN_POINT_FFT)
            assert_true(point->flops < point->pseudo_flops && point->bytes == 48.0 * 256);
    }
    tcplan_kernel_points_free(points);
}

static void recorded_counts_are_called_counted(void **state) {
    static const struct tcplan_kernel_wanted wanted[] = {{TCPLAN_POINT_DAXPY, 5000}};
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/cli/counts/program.counts", TCPLAN_TESTS_DIR);
    const struct tcplan_kernel_options options = {.count = 1,
                                                  .wanted = wanted,
                                                  .counters = path,
                                                  .threads = 1,
                                                  .max_memory_bytes = 1 << 20,
                                                  .repeats = 2};
    struct tcplan_kernel_points *points = measure(&options);
    assert_string_equal(points->counts, "recorded");
    assert_string_equal(points->why_no_flops, "");
    assert_string_equal(points->why_no_bytes, "");
    assert_int_equal(points->point[0].flops_origin, TCPLAN_ORIGIN_MEASURED);
    assert_int_equal(points->point[1].bytes_source,
                     TCPLAN_KERNEL_BYTES_ANALYTIC); /* analytic: with warm caches, the memory
                                                       traffic is not the kernel's */
    tcplan_kernel_points_free(points);
}

static void simulated_bytes_are_called_so(void **state) {
    static const struct tcplan_kernel_wanted wanted[] = {{TCPLAN_POINT_FFT, 64}};
    (void)state;
    if (!fft_version()) skip();
    const struct tcplan_kernel_options options = {.count = 1,
                                                  .wanted = wanted,
                                                  .counters = "simulated",
                                                  .threads = 1,
                                                  .max_memory_bytes = 1 << 20,
                                                  .repeats = 1};
    struct tcplan_kernel_points *points = measure(&options);
    assert_string_equal(points->counts, "simulated");
    assert_int_equal(points->point[0].bytes_source,
                     TCPLAN_KERNEL_BYTES_ANALYTIC); /* analytic: the access pattern of FFTW is
                                                       unknown */
    assert_string_equal(tcplan_kernel_bytes_name(TCPLAN_KERNEL_BYTES_SIMULATED), "simulated");
    tcplan_kernel_points_free(points);
}

static void assert_refused(struct tcplan_kernel_wanted wanted, int threads, const char *counters,
                           const char *message) {
    const struct tcplan_kernel_options options = {.count = 1,
                                                  .wanted = &wanted,
                                                  .counters = counters,
                                                  .threads = threads,
                                                  .max_memory_bytes = 1 << 20,
                                                  .repeats = 1};
    struct tcplan_kernel_points *points = NULL;
    struct tcplan_error error = {0};
    assert_int_not_equal(tcplan_kernel_points_measure(&points, &options, &error), TCPLAN_OK);
    assert_null(points);
    if (!strstr(error.message, message)) fail_msg("'%s' is not in '%s'", message, error.message);
}

static void impossible_values_are_refused(void **state) {
    (void)state;
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_DAXPY, 0}, 1, NULL,
                   "daxpy: expected a size from 1 to 1073741824, found 0");
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_DGEMM, INT64_MAX}, 1, NULL,
                   "expected a size from 1 to 65536, found 9223372036854775807");
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_FFT, 1 << 20}, 1, NULL,
                   "fft of 1048576: the data take 32 MiB, but only 1 MiB may be used");
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_DAXPY, 10}, 0, NULL, "found 0");
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_DAXPY, 10}, 100000, NULL,
                   "the number that can run at the same time here, found 100000");
    assert_refused((struct tcplan_kernel_wanted){TCPLAN_POINT_DAXPY, 10}, 1, "/no/such/counts",
                   "cannot read recorded counts '/no/such/counts'");
}

static void no_point_is_begun_when_the_time_is_over(void **state) {
    static const struct tcplan_kernel_wanted wanted[] = {{TCPLAN_POINT_DAXPY, 5000},
                                                         {TCPLAN_POINT_DAXPY, 6000}};
    (void)state;
    const struct tcplan_kernel_options options = {.count = 2,
                                                  .wanted = wanted,
                                                  .counters = "none",
                                                  .threads = 1,
                                                  .max_memory_bytes = 1 << 20,
                                                  .repeats = 1,
                                                  .time_limit_seconds = 1e-9};
    struct tcplan_kernel_points *points = measure(&options);
    assert_int_equal(points->count, 0);
    assert_int_equal(points->unmeasured, 4);
    tcplan_kernel_points_free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cold_kernels_are_fed_by_memory),
        cmocka_unit_test(warm_kernels_are_fed_by_the_level_that_was_found_to_hold_them),
        cmocka_unit_test(speeds_above_the_roof_are_flagged),
        cmocka_unit_test(updates_are_compared_with_axpy),
        cmocka_unit_test(every_kernel_is_measured_cold_and_warm),
        cmocka_unit_test(recorded_counts_are_called_counted),
        cmocka_unit_test(simulated_bytes_are_called_so),
        cmocka_unit_test(impossible_values_are_refused),
        cmocka_unit_test(no_point_is_begun_when_the_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
