#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "roofline/ceilings/levels.h"

enum { KIB = 1 << 10, MIB = 1 << 20, POINTS_MOST = 200 };

/** A synthetic memory with caches of these sizes and load rates; the last rate is that of main
 * memory. */
struct memory {
    int caches;
    double size[4], rate[5];
};

static const struct memory memories[] = {
    {.caches = 0, .rate = {20}},
    {.caches = 1, .size = {32 * KIB}, .rate = {200, 20}},
    {.caches = 2, .size = {48 * KIB, 2 * MIB}, .rate = {410, 170, 15}},
    {.caches = 3, .size = {48 * KIB, 2 * MIB, 30.0 * MIB}, .rate = {410, 170, 28, 15}},
    {.caches = 4,
     .size = {32 * KIB, 512 * KIB, 8 * MIB, 128.0 * MIB},
     .rate = {300, 150, 80, 50, 20}}};

enum { MEMORIES = sizeof memories / sizeof *memories };

/** Returns a pseudo-random number between -1 and 1. */
static double noise(unsigned *state) {
    *state = *state * 1664525U + 1013904223U;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

struct curve {
    int count;
    struct size_rate point[POINTS_MOST];
};

/**
 * Makes a curve of load rates, for sets from 4 KiB to 1 GiB. Beyond a cache's size, the share of
 * loads that it still serves depends on `ramp`. 0: none (LRU); 1: its share of the set.
 */
static struct curve curve_of(const struct memory *memory, double growth, double ramp, double noisy,
                             unsigned seed) {
    struct curve curve = {0};
    for (int64_t bytes = 4 * KIB; bytes <= (int64_t)1 << 30;
         bytes = levels_next_size(bytes, growth, KIB)) {
        double seconds = 1 / memory->rate[memory->caches];
        for (int c = memory->caches - 1; c >= 0; c--) {
            const double share =
                memory->size[c] >= (double)bytes ? 1 : ramp * memory->size[c] / (double)bytes;
            seconds = share / memory->rate[c] + (1 - share) * seconds;
        }
        curve.point[curve.count++] =
            (struct size_rate){bytes, (1 + noisy * noise(&seed)) / seconds};
    }
    return curve;
}

static void assert_levels(const struct curve *curve, const struct memory *memory, double within,
                          const char *what) {
    struct plateau found[LEVELS_MOST];
    const int count = levels_find(found, curve->point, curve->count);
    if (count != memory->caches + 1)
        fail_msg("%s: expected %d levels, found %d", what, memory->caches + 1, count);
    for (int l = 0; l < count; l++) {
        const double rate = found[l].rate / memory->rate[l];
        if (!(rate > 0.9 && rate < 1.1))
            fail_msg("%s: level %d is loaded at %g, not %g", what, l, found[l].rate,
                     memory->rate[l]);
        assert_true(found[l].first_bytes <= found[l].last_bytes);
        if (l == memory->caches) {
            assert_int_equal(found[l].holds_bytes, 0);
            continue;
        }
        const double holds = (double)found[l].holds_bytes / memory->size[l];
        if (!(holds < within && holds > 1 / within))
            fail_msg("%s: level %d holds %g times what it should", what, l, holds);
        assert_true(found[l].last_bytes <= found[l].holds_bytes &&
                    found[l].holds_bytes < found[l + 1].first_bytes);
    }
}

static void levels_of_one_to_five_are_found_to_a_step(void **state) {
    (void)state;
    for (int m = 0; m < MEMORIES; m++) {
        const struct curve fine = curve_of(&memories[m], 1.1, 0, 0, 0),
                           coarse = curve_of(&memories[m], 1.2, 0, 0, 0);
        assert_levels(&fine, &memories[m], 1.13, "fine");
        assert_levels(&coarse, &memories[m], 1.25, "coarse");
    }
}

static void noise_changes_neither_how_many_nor_how_large(void **state) {
    (void)state;
    for (int m = 0; m < MEMORIES; m++) {
        for (unsigned seed = 1; seed <= 50; seed++) {
            const struct curve curve = curve_of(&memories[m], 1.15, 0, 0.06, seed);
            assert_levels(&curve, &memories[m], 1.18, "noise");
        }
    }
}

/** Levels are found despite disturbed windows in up to three neighbouring sets, and despite sets
 * that are fast by chance. */
static void dips_and_bumps_are_no_levels(void **state) {
    (void)state;
    for (int m = 0; m < MEMORIES; m++) {
        for (int at = 3; at < 60; at += 19) {
            struct curve curve = curve_of(&memories[m], 1.15, 0, 0.02, (unsigned)at);
            const double size = (double)curve.point[at].bytes;
            bool near = false; /* whether a disturbance is so near to a boundary that it moves it */
            for (int c = 0; c < memories[m].caches; c++)
                near = near || fabs(log(size / memories[m].size[c])) < 1;
            if (near) continue;
            for (int p = at; p < at + 3; p++) curve.point[p].rate *= 0.4;
            assert_levels(&curve, &memories[m], 1.18, "dip");
            for (int p = at; p < at + 2; p++) curve.point[p].rate *= 1.5 / 0.4;
            assert_levels(&curve, &memories[m], 1.18, "bump");
        }
    }
}

static void sets_that_could_not_be_measured_are_ignored(void **state) {
    (void)state;
    for (int m = 0; m < MEMORIES; m++) {
        struct curve curve = curve_of(&memories[m], 1.15, 0, 0.02, 7);
        for (int p = 1; p < curve.count; p += 3) curve.point[p].rate = p % 2 ? 0 : NAN;
        assert_levels(&curve, &memories[m], 1.4, "missing");
    }
}

/** Ramps at both ends: short loops are slow, and a cache serves part of a larger set. */
static void ramps_are_no_levels(void **state) {
    (void)state;
    for (int m = 0; m < MEMORIES; m++) {
        struct curve curve = curve_of(&memories[m], 1.15, 1, 0.02, 3);
        for (int p = 0; p < 5; p++) curve.point[p].rate *= 0.5 + 0.1 * p;
        if (m < 3) assert_levels(&curve, &memories[m], 2, "ramp");
    }
}

/** From 4 KiB to 1 GiB, rates fall by 15 % from set to set: there is no plateau. */
static void a_slope_has_no_levels(void **state) {
    struct curve curve = curve_of(&memories[0], 1.15, 0, 0, 0);
    struct plateau found[LEVELS_MOST];
    (void)state;
    for (int p = 0; p < curve.count; p++) curve.point[p].rate = 1e6 / (double)curve.point[p].bytes;
    assert_int_equal(levels_find(found, curve.point, curve.count), 0);
    assert_int_equal(levels_find(found, curve.point, 0), 0);
    assert_int_equal(levels_find(found, curve.point, 1), 0);
}

/** As on an EPYC (family 25, model 17): rates fall over three doublings beyond the last cache of 32
 * MiB, and the plateau of main memory is shorter than one doubling. */
static void memory_is_found_if_its_plateau_is_short(void **state) {
    (void)state;
    static const struct {
        int kib, rate;
    } measured[] = {{4, 217},    {5, 214},    {6, 208},    {7, 218},    {8, 214},     {9, 212},
                    {10, 219},   {11, 222},   {12, 218},   {13, 221},   {14, 221},    {16, 219},
                    {18, 212},   {20, 208},   {23, 213},   {26, 212},   {29, 215},    {33, 209},
                    {37, 125},   {42, 125},   {48, 122},   {55, 120},   {63, 119},    {72, 118},
                    {82, 118},   {94, 118},   {108, 118},  {124, 118},  {142, 118},   {163, 118},
                    {187, 118},  {215, 118},  {247, 118},  {284, 118},  {326, 118},   {374, 118},
                    {430, 118},  {494, 116},  {568, 115},  {653, 111},  {750, 109},   {862, 105},
                    {991, 102},  {1139, 99},  {1309, 98},  {1505, 97},  {1730, 98},   {1989, 98},
                    {2287, 100}, {2630, 99},  {3024, 100}, {3477, 99},  {3998, 99},   {4597, 98},
                    {5286, 100}, {6078, 100}, {6989, 100}, {8037, 100}, {9242, 97},   {10628, 92},
                    {12222, 89}, {14055, 86}, {16163, 83}, {18587, 78}, {21375, 74},  {24581, 66},
                    {28268, 62}, {32508, 58}, {37384, 56}, {42991, 50}, {49439, 43},  {56854, 42},
                    {65382, 41}, {75189, 33}, {86467, 33}, {99437, 32}, {114352, 33}, {131504, 33}};
    struct size_rate point[sizeof measured / sizeof *measured];
    const int count = (int)(sizeof measured / sizeof *measured);
    struct plateau found[LEVELS_MOST];
    for (int p = 0; p < count; p++)
        point[p] = (struct size_rate){(int64_t)measured[p].kib * KIB, measured[p].rate};
    assert_int_equal(levels_find(found, point, count), 3);
    assert_int_equal(found[0].holds_bytes, 33 * KIB);
    assert_true(found[1].holds_bytes > 24 * MIB && found[1].holds_bytes < 48 * MIB);
    assert_true(found[2].rate > 31 && found[2].rate < 35);
    assert_int_equal(levels_find(found, point, count - 20),
                     2); /* the curve ends within the last cache */
}

static void levels_that_are_hardly_different_are_one(void **state) {
    static const struct memory other = {.caches = 2,
                                        .size = {48 * KIB, 2 * MIB},
                                        .rate = {200, 33, 30}},
                               expected = {.caches = 1, .size = {48 * KIB}, .rate = {200, 30}};
    (void)state;
    const struct curve curve = curve_of(&other, 1.15, 0, 0.02, 5);
    assert_levels(&curve, &expected, 1.18, "merged");
}

static void a_sweep_grows_by_its_factor_and_always(void **state) {
    (void)state;
    for (int64_t bytes = 0, next; bytes < (int64_t)1 << 40; bytes = next) {
        next = levels_next_size(bytes, 1.15, 1024);
        assert_true(next > bytes && next % 1024 == 0 &&
                    (double)next <= 1.15 * (double)bytes + 1024);
    }
}

static struct tcplan_machine loaded(const char *spec) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    if (tcplan_machine_load(&machine, spec, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return machine;
}

static const char guest[] =
    "pack:1 l3:1(size=480MiB) l2:2(size=2MiB) l1d:1(size=48KiB) core:1 pu:1";

/** Checks to which caches of a machine the levels with these capacities belong (0: main memory). */
static void assert_matched(const int64_t holds[], const int expected[], int count, int threads) {
    const struct tcplan_machine machine = loaded(guest);
    struct plateau plateau[LEVELS_MOST];
    int cache[LEVELS_MOST];
    for (int p = 0; p < count; p++) plateau[p] = (struct plateau){.holds_bytes = holds[p]};
    levels_match(cache, plateau, count, &machine, threads);
    for (int p = 0; p < count; p++) assert_int_equal(cache[p], expected[p]);
}

static void levels_have_the_caches_that_they_may_be(void **state) {
    (void)state;
    assert_matched((int64_t[]){45 * KIB, 1800 * KIB, 30 * MIB, 0}, (int[]){0, 1, 2, 3}, 4, 1);
    assert_matched((int64_t[]){45 * KIB, 30 * MIB, 0}, (int[]){0, 2, 3}, 3,
                   1); /* one level: L2 cannot be distinguished from L3 */
    assert_matched((int64_t[]){45 * KIB, 1800 * KIB, 0}, (int[]){0, 1, 3}, 3, 1);
    assert_matched((int64_t[]){1800 * KIB, 20 * MIB, 0}, (int[]){1, 2, 3}, 3, 2);
    assert_matched((int64_t[]){0}, (int[]){3}, 1, 1);
}

static void a_level_beyond_the_reported_ones_has_no_cache(void **state) {
    (void)state;
    assert_matched((int64_t[]){45 * KIB, 500 * KIB, 1800 * KIB, 30 * MIB, 0},
                   (int[]){0, -1, 1, 2, 3}, 5, 1);
    assert_matched((int64_t[]){45 * KIB, 1800 * KIB, 30 * MIB, (int64_t)2 << 30, 0},
                   (int[]){0, 1, 2, -1, 3}, 5, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_one_to_five_are_found_to_a_step),
        cmocka_unit_test(noise_changes_neither_how_many_nor_how_large),
        cmocka_unit_test(dips_and_bumps_are_no_levels),
        cmocka_unit_test(sets_that_could_not_be_measured_are_ignored),
        cmocka_unit_test(ramps_are_no_levels),
        cmocka_unit_test(a_slope_has_no_levels),
        cmocka_unit_test(memory_is_found_if_its_plateau_is_short),
        cmocka_unit_test(levels_that_are_hardly_different_are_one),
        cmocka_unit_test(a_sweep_grows_by_its_factor_and_always),
        cmocka_unit_test(levels_have_the_caches_that_they_may_be),
        cmocka_unit_test(a_level_beyond_the_reported_ones_has_no_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
