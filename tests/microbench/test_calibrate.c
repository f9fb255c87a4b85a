/* Evaluates synthetic measurements of caches, pages and copies; nothing is timed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "microbench/calibrate/parts.h"

static const struct tcplan_machine machine = {.line_bytes = 64,
                                              .page_bytes = 4096,
                                              .cache_count = 3,
                                              .cache = {{.level = 1, .size_bytes = 32 << 10},
                                                        {.level = 2, .size_bytes = 512 << 10},
                                                        {.level = 3, .size_bytes = 32 << 20}}};

/** Returns synthetic times per cache line, for three caches of `held` bytes, and for more than
 * `pages` pages. */
static struct line_times times_of(const double held[3], const double ns[4], double pages) {
    const struct calibration calibration = {
        .bytes = 64 << 20, .page_bytes = 4096, .line_bytes = 64};
    struct line_times times;
    lines_start(&times, &calibration, &machine);
    for (int p = 0; p < times.line_count; p++) {
        int c = 0;
        while (c < 3 && times.line[p].size > held[c]) c++;
        times.line[p].ns = ns[c];
    }
    for (int p = 0; p < times.page_count; p++)
        times.page[p].ns = times.page[p].size > pages ? 6 : 0;
    times.written_near = ns[0];
    times.written_far = ns[0] + 1.5 * (ns[3] - ns[0]);
    times.streamed = 3;
    times.streamed_row[0] = 20;
    times.streamed_row[1] = 55;
    times.sequential = ns[0] + 0.25 * (ns[3] - ns[0]);
    times.far_page = ns[3] + 7;
    return times;
}

static struct tcplan_costs find(const struct line_times *times) {
    struct tcplan_costs costs = {.page_bytes = 4096};
    costs.copy[TCPLAN_DOUBLE].run = 0.125e-9;
    lines_find(&costs, times, &machine);
    return costs;
}

static bool is_near(double value, double expected, double share) {
    return fabs(value - expected) <= share * expected;
}

static const double plain_ns[] = {0.5, 1, 2, 6};

static void a_cache_holds_all_sets_of_the_same_speed(void **state) {
    (void)state;
    const double held[] = {32 << 10, 400 << 10,
                           9 << 20}; /* the L3 cache is shared, and has less for one thread */
    const struct line_times times = times_of(held, plain_ns, 1000);
    const struct tcplan_costs costs = find(&times);
    assert_int_equal(costs.cache_count, 3);
    for (int c = 0; c < 3; c++) {
        assert_true(is_near(costs.cache[c].held_bytes, held[c], 0.2));
        assert_true(
            is_near(costs.cache[c].line_seconds, 1e-9 * (plain_ns[c + 1] - plain_ns[c]), 1e-9));
    }
    assert_true(is_near(costs.written, 1.5, 1e-9));
    assert_true(is_near(costs.streamed, (3 - 8 * 0.125) / 5.5, 1e-9));
    assert_true(is_near(costs.streamed_row, 35e-9, 1e-9));
    assert_true(is_near(costs.sequential, 0.25, 1e-9));
    assert_true(costs.pages >= 512 && costs.pages <= 1024 &&
                is_near(costs.page_seconds, 7e-9, 1e-9));
}

static void a_cache_as_slow_as_the_next_costs_nothing(void **state) {
    (void)state;
    const double held[] = {32 << 10, 512 << 10, 32 << 20}, ns[] = {1, 1, 1, 5};
    const struct line_times times = times_of(held, ns, 1e9);
    const struct tcplan_costs costs = find(&times);
    assert_true(costs.cache[0].line_seconds == 0 && costs.cache[1].line_seconds == 0 &&
                costs.cache[2].line_seconds > 0);
    assert_true(costs.cache[0].held_bytes <= costs.cache[1].held_bytes &&
                costs.cache[1].held_bytes <= costs.cache[2].held_bytes);
    assert_true(costs.pages >= 16384); /* no TLB miss was observed */
}

static void a_disturbed_time_of_a_small_set_is_ignored(void **state) {
    (void)state;
    const double held[] = {32 << 10, 512 << 10, 16 << 20};
    struct line_times times = times_of(held, plain_ns, 1000);
    const struct tcplan_costs expected = find(&times);
    times.line[2].ns = 50;
    times.line[20].ns = 50;
    times.page[1].ns = 50;
    const struct tcplan_costs costs = find(&times);
    assert_memory_equal(&costs, &expected, sizeof costs);
}

static void any_times_yield_plausible_costs(void **state) {
    (void)state;
    const double held[] = {32 << 10, 512 << 10, 16 << 20};
    uint64_t random = 7;
    for (int n = 0; n < 2000; n++) {
        struct line_times times = times_of(held, plain_ns, 1000);
        for (int p = 0; p < times.line_count; p++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            times.line[p].ns = 0.1 + (double)(random >> 44) / 1e5;
        }
        struct tcplan_costs costs = tcplan_costs_assumed(&machine);
        lines_find(&costs, &times, &machine);
        if (!tcplan_costs_are_sound(&costs, &machine))
            fail_msg("case %d: held %g %g %g", n, costs.cache[0].held_bytes,
                     costs.cache[1].held_bytes, costs.cache[2].held_bytes);
    }
}

static void predicted_times_of_copies_are_the_measured_ones(void **state) {
    (void)state;
    const struct copy_times times = {.long_row = 32,
                                     .two = 20,
                                     .run = 0.1,
                                     .transposed_long = 0.5,
                                     .transposed_short = 2,
                                     .run_short = 0.6,
                                     .scattered = 1,
                                     .summed = 0.3,
                                     .scaled = 0.2};
    const struct tcplan_copy_costs costs = copies_find(&times);
    assert_true(is_near(costs.transposed + 2 * costs.row / 4, 2e-9, 1e-9) &&
                is_near(costs.transposed + 2 * costs.row / 32, 0.5e-9, 1e-9));
    assert_true(is_near(costs.run + costs.contiguous_row / 4, 0.6e-9, 1e-9));
    assert_true(is_near(costs.begin, 19.8e-9, 1e-9));
}

static void a_transposed_element_is_no_faster_than_one_of_a_run(void **state) {
    (void)state;
    const struct copy_times times = {.long_row = 16,
                                     .two = 0,
                                     .run = 0.2,
                                     .transposed_long = 0.5,
                                     .transposed_short = 9,
                                     .run_short = 0.1,
                                     .scattered = 0.1,
                                     .summed = 0.3,
                                     .scaled = 0.2};
    const struct tcplan_copy_costs costs = copies_find(&times);
    assert_true(costs.transposed >= costs.run && costs.scattered > 0 && costs.contiguous_row == 0 &&
                costs.begin == 0);
    assert_true(is_near(costs.transposed + 2 * costs.row / 4, 9e-9, 1e-9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_holds_all_sets_of_the_same_speed),
        cmocka_unit_test(a_cache_as_slow_as_the_next_costs_nothing),
        cmocka_unit_test(a_disturbed_time_of_a_small_set_is_ignored),
        cmocka_unit_test(any_times_yield_plausible_costs),
        cmocka_unit_test(predicted_times_of_copies_are_the_measured_ones),
        cmocka_unit_test(a_transposed_element_is_no_faster_than_one_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
