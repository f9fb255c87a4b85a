#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roofline/kernels/working_set.h"

static struct tcplan_machine loaded(const char *spec) {
    struct tcplan_machine machine;
    struct tcplan_error error;
    if (tcplan_machine_load(&machine, spec, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return machine;
}

static const char usual[] = "pack:1 l3:1(size=32MiB) l2:4(size=1MiB) l1d:1(size=32KiB) core:1 pu:2";

enum { KIB = 1 << 10, MIB = 1 << 20 };

static void private_caches_are_half_filled(void **state) {
    const struct tcplan_machine machine = loaded(usual);
    (void)state;
    assert_int_equal(working_set_for(&machine, 0, 1, INT64_MAX).bytes, 16 * KIB);
    assert_int_equal(working_set_for(&machine, 1, 1, INT64_MAX).bytes, 512 * KIB);
    assert_int_equal(working_set_for(&machine, 1, 4, INT64_MAX).bytes, 512 * KIB);
}

static void threads_keep_well_inside_a_shared_cache(void **state) {
    const struct tcplan_machine machine = loaded(usual);
    (void)state;
    assert_int_equal(working_set_for(&machine, 2, 1, INT64_MAX).bytes, 8 * MIB);
    assert_int_equal(working_set_for(&machine, 2, 2, INT64_MAX).bytes, 4 * MIB);
    assert_int_equal(working_set_for(&machine, 2, 4, INT64_MAX).bytes, 2 * MIB);
}

static void a_huge_third_cache_counts_as_shared(void **state) {
    const struct tcplan_machine machine =
        loaded("pack:1 l3:1(size=480MiB) l2:2(size=2MiB) l1d:1(size=48KiB) core:1 pu:1");
    (void)state;
    assert_int_equal(working_set_for(&machine, 2, 1, INT64_MAX).bytes, 16 * MIB);
    const struct tcplan_machine guest =
        loaded("pack:1 core:2 l3:1(size=508MiB) l2:1(size=1MiB) l1d:1(size=48KiB) pu:1");
    assert_int_equal(working_set_for(&guest, 2, 1, INT64_MAX).bytes, 8 * MIB);
}

static void memory_sets_are_four_times_the_last_cache_or_all_memory(void **state) {
    const struct tcplan_machine machine = loaded(usual);
    (void)state;
    struct working_set set = working_set_for(&machine, 3, 1, INT64_MAX);
    assert_int_equal(set.bytes, 128 * MIB);
    assert_false(set.reduced);
    assert_int_equal(working_set_for(&machine, 3, 4, INT64_MAX).bytes, 32 * MIB);
    set = working_set_for(&machine, 3, 2, 20 * MIB);
    assert_int_equal(set.bytes, 10 * MIB);
    assert_true(set.reduced);
}

static void a_cache_beyond_the_memory_allowed_is_left_out(void **state) {
    const struct tcplan_machine machine = loaded(usual);
    (void)state;
    assert_int_equal(working_set_for(&machine, 2, 1, 4 * MIB).bytes, 0);
}

static void a_cache_no_larger_than_the_nearer_one_is_left_out(void **state) {
    const struct tcplan_machine machine =
        loaded("pack:1 l2:1(size=64KiB) l1d:4(size=48KiB) core:1 pu:1");
    (void)state;
    assert_int_equal(working_set_for(&machine, 1, 4, INT64_MAX).bytes, 0);
}

static void without_caches_there_is_memory(void **state) {
    const struct tcplan_machine machine = loaded("numa:1 pu:2");
    char level[8];
    (void)state;
    assert_int_equal(working_set_for(&machine, 0, 1, INT64_MAX).bytes, 64 * MIB);
    working_set_level(level, sizeof level, &machine, 0);
    assert_string_equal(level, "DRAM");
}

static void levels_are_called_by_their_number(void **state) {
    const struct tcplan_machine machine = loaded(usual);
    char level[8];
    (void)state;
    working_set_level(level, sizeof level, &machine, 2);
    assert_string_equal(level, "L3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(private_caches_are_half_filled),
        cmocka_unit_test(threads_keep_well_inside_a_shared_cache),
        cmocka_unit_test(a_huge_third_cache_counts_as_shared),
        cmocka_unit_test(memory_sets_are_four_times_the_last_cache_or_all_memory),
        cmocka_unit_test(a_cache_beyond_the_memory_allowed_is_left_out),
        cmocka_unit_test(a_cache_no_larger_than_the_nearer_one_is_left_out),
        cmocka_unit_test(without_caches_there_is_memory),
        cmocka_unit_test(levels_are_called_by_their_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
