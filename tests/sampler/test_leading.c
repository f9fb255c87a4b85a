/*
 * Tests the leading dimensions of operands: on the machines of Peise (2017) those of the source, on
 * other machines those of the rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "routines/sampler/generation/leading.h"

/* SANDY BRIDGE-EP: L1d 32 KiB 8-way, L2 256 KiB 8-way, L3 20 MiB 20-way. */
static const struct tcplan_machine sandy_bridge = {
    .line_bytes = 64,
    .page_bytes = 4096,
    .cache_count = 3,
    .cache = {{1, 32 << 10, 64, 8, 1}, {2, 256 << 10, 64, 8, 1}, {3, 20 << 20, 64, 20, 8}}};

static void on_the_dissertations_machine_the_leading_dimension_is_5000(void **state) {
    (void)state;
    assert_int_equal(leading_dimension(&sandy_bridge, 8, 1), 5000);
    assert_int_equal(leading_dimension(&sandy_bridge, 8, 4152), 5000);
    assert_int_equal(leading_dimension(&sandy_bridge, 8, 5000), 5000);
}

static void sets_that_share_a_divisor_exclude_it(void **state) {
    (void)state;
    struct tcplan_machine machine = sandy_bridge;
    machine.cache[2] = (struct tcplan_cache_level){3, 64 * 16 * 1280, 64, 16,
                                                   8}; /* 1280 sets; 5000 is 625 lines */
    assert_int_equal(leading_dimension(&machine, 8, 1), 5064);
    machine.cache[2].ways = 0; /* unknown */
    assert_int_equal(leading_dimension(&machine, 8, 1), 5000);
    machine.cache[2].ways = -1;
    assert_int_equal(leading_dimension(&machine, 8, 1), 5000);
}

/** Returns how many sets of a cache the first elements of `columns` columns belong to. */
static int sets_met(int64_t leading_bytes, int64_t line_bytes, int sets) {
    char *met = calloc((size_t)sets, 1);
    int count = 0;
    assert_non_null(met);
    for (int64_t column = 0; column < sets; column++) {
        const int64_t set = column * leading_bytes / line_bytes % sets;
        count += !met[set];
        met[set] = 1;
    }
    free(met);
    return count;
}

static void columns_begin_in_all_sets_of_every_cache(void **state) {
    static const int64_t element_bytes[] = {4, 8, 16};
    static const int64_t largest[] = {1, 4999, 5001, 8192, 65536, 1000000};
    (void)state;
    for (size_t e = 0; e < sizeof element_bytes / sizeof *element_bytes; e++) {
        for (size_t l = 0; l < sizeof largest / sizeof *largest; l++) {
            const int64_t leading = leading_dimension(&sandy_bridge, element_bytes[e], largest[l]);
            assert_true(leading >= largest[l] && leading >= LEADING_LEAST &&
                        leading < largest[l] + LEADING_LEAST + 1000);
            assert_int_equal(leading * element_bytes[e] % 64, 0);
            assert_int_not_equal(leading % (128 / element_bytes[e]), 0);
            for (int c = 0; c < sandy_bridge.cache_count; c++) {
                const struct tcplan_cache_level *cache = &sandy_bridge.cache[c];
                const int sets = (int)(cache->size_bytes / cache->line_bytes / cache->ways);
                assert_int_equal(sets_met(leading * element_bytes[e], cache->line_bytes, sets),
                                 sets);
            }
        }
    }
}

static void elements_beyond_the_range_have_no_leading_dimension(void **state) {
    (void)state;
    assert_int_equal(leading_dimension(&sandy_bridge, 8, INT64_MAX), 0);
    assert_int_equal(leading_dimension(&sandy_bridge, 8, INT64_MAX / 8), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_the_dissertations_machine_the_leading_dimension_is_5000),
        cmocka_unit_test(sets_that_share_a_divisor_exclude_it),
        cmocka_unit_test(columns_begin_in_all_sets_of_every_cache),
        cmocka_unit_test(elements_beyond_the_range_have_no_leading_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
