/*
 * Tests which variants of an algorithm with other copies, or with one thread, exist, and that they
 * compute the same result.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/variant.h"
#include "support/random_contraction.h"
#include "support/run_algorithm.h"

enum { KIBI = 1024 };

/** C has 16 KiB. In IN_PLACE, gemm can write to a matrix of C in place; in the other contraction,
 * inside loops over c, it cannot. */
#define IN_PLACE "C_abc=A_ai*B_ibc"
#define TO_COPY "C_cab=A_ai*B_ibc"
#define SIZES "a=b=16,c=8,i=5"

static struct tcplan_machine machine_with(int64_t second_bytes, int64_t last_bytes) {
    struct tcplan_machine machine = {
        .source = "made up", .line_bytes = 64, .page_bytes = 4096, .cache_count = 3};
    machine.cache[0].size_bytes = KIBI;
    machine.cache[1].size_bytes = second_bytes;
    machine.cache[2].size_bytes = last_bytes;
    return machine;
}

static struct tcplan_algorithm algorithm_of(const struct random_contraction *given,
                                            const char *name) {
    struct tcplan_algorithm algorithm;
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, given->contraction, TCPLAN_DOUBLE, name, NULL),
        TCPLAN_OK);
    return algorithm;
}

/** Checks which variant of an algorithm exists; NULL: none. */
static void assert_variant(const struct tcplan_machine *machine, const char *contraction,
                           const char *name, const char *expected) {
    struct random_contraction given;
    struct tcplan_algorithm variant;
    random_contraction_given(&given, contraction, SIZES, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = algorithm_of(&given, name);
    assert_int_equal(variant_of_result(&variant, &given.problem, machine, &algorithm),
                     expected != NULL);
    if (expected) {
        const struct tcplan_algorithm other = algorithm_of(&given, expected);
        assert_true(tcplan_algorithm_equal(&variant, &other));
        run_algorithm_checked(&given.problem, &variant, 1, expected);
    }
    random_contraction_free(&given);
}

/** Checks the variant of an algorithm with non-temporal stores; NULL: none. */
static void assert_streamed(const struct tcplan_machine *machine, const char *contraction,
                            const char *name, const char *expected) {
    struct random_contraction given;
    struct tcplan_algorithm variant;
    random_contraction_given(&given, contraction, SIZES, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = algorithm_of(&given, name);
    assert_int_equal(variant_streamed(&variant, &given.problem, machine, &algorithm),
                     expected != NULL);
    if (expected) {
        const struct tcplan_algorithm other = algorithm_of(&given, expected);
        assert_true(tcplan_algorithm_equal(&variant, &other));
    }
    random_contraction_free(&given);
}

static void results_written_in_place_may_bypass_the_caches(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_with(8 * KIBI, 64 * KIBI),
                                large = machine_with(16 * KIBI, 64 * KIBI);
    assert_streamed(&machine, IN_PLACE, "c-dgemm@emitted", "c-dgemm@emitted's");
    assert_streamed(&machine, IN_PLACE, "c-dgemm@emitted's", NULL);
    assert_streamed(&machine, IN_PLACE, "c-dgemm", NULL);
    assert_streamed(&machine, IN_PLACE, "c'C-dgemm@emitted", NULL);
    assert_streamed(&machine, "C_abc+=A_ai*B_ibc", "c-dgemm@emitted", NULL);
    assert_streamed(&large, IN_PLACE, "c-dgemm@emitted", NULL);
}

static void non_temporal_results_may_be_made_in_place(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_with(8 * KIBI, 64 * KIBI);
    assert_variant(&machine, IN_PLACE, "c'Cs-dgemm", "c-dgemm");
    assert_variant(&machine, IN_PLACE, "c.b:8'Cs-dgemm", "c.b:8-dgemm");
}

static void non_temporal_results_that_do_not_fit_in_place_use_the_caches(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_with(8 * KIBI, 64 * KIBI);
    assert_variant(&machine, TO_COPY, "c'Cs-dgemm", "c'C-dgemm");
    assert_variant(&machine, TO_COPY, "c'C-dgemm", "c'Cs-dgemm");
}

static void no_cache_holds_larger_data_and_a_second_cache_holds_all_smaller(void **state) {
    (void)state;
    const struct tcplan_machine small = machine_with(2 * KIBI, 15 * KIBI),
                                large = machine_with(16 * KIBI, 64 * KIBI);
    assert_variant(&small, IN_PLACE, "c'Cs-dgemm", NULL);
    assert_variant(&small, TO_COPY, "c'C-dgemm", "c'Cs-dgemm");
    assert_variant(&large, TO_COPY, "c'C-dgemm", NULL);
    assert_variant(&large, IN_PLACE, "c'Cs-dgemm", "c-dgemm");
}

static void uncopied_operands_stay_in_place(void **state) {
    (void)state;
    const struct tcplan_machine machine = machine_with(8 * KIBI, 64 * KIBI);
    assert_variant(&machine, IN_PLACE, "c-dgemm", NULL);
    assert_variant(&machine, IN_PLACE, "'A.c-dgemm", NULL);
}

/** Checks the variant of an algorithm with padding, or without a parallel loop; NULL: none. */
static void assert_other(const struct tcplan_machine *machine, const char *contraction,
                         const char *name, const char *expected) {
    struct random_contraction given;
    struct tcplan_algorithm other;
    random_contraction_given(&given, contraction, SIZES, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    const struct tcplan_algorithm algorithm = algorithm_of(&given, name);
    const bool has_other = machine ? variant_padded(&other, &given.problem, machine, &algorithm)
                                   : variant_unshared(&other, given.contraction, &algorithm);
    assert_int_equal(has_other, expected != NULL);
    if (expected) {
        const struct tcplan_algorithm wanted = algorithm_of(&given, expected);
        assert_true(tcplan_algorithm_equal(&other, &wanted));
        run_algorithm_checked(&given.problem, &other, 1, expected);
    }
    random_contraction_free(&given);
}

static void temporaries_with_conflicting_cache_lines_are_padded(void **state) {
    (void)state;
    struct tcplan_machine machine = machine_with(8 * KIBI, 64 * KIBI);
    assert_other(&machine, IN_PLACE, "'C.c-dgemm",
                 NULL); /* none: the associativity of the first cache is unknown */
    machine.cache[0].ways = 2;
    assert_other(&machine, IN_PLACE, "'C.c-dgemm",
                 "'C+8.c-dgemm"); /* columns of C, 2 KiB apart, meet in one set; a way has 512 bytes
                                   */
    assert_other(&machine, IN_PLACE, "'C+8.c-dgemm", NULL);
    assert_other(&machine, IN_PLACE, "c'C-dgemm", NULL); /* b: 128 bytes */
    assert_other(&machine, IN_PLACE, "c-dgemm", NULL);
    machine.cache[0].ways = 16; /* 16 ways hold all columns along b and c */
    assert_other(&machine, IN_PLACE, "'C.c-dgemm", NULL);
}

static void one_thread_can_run_shared_loops(void **state) {
    (void)state;
    assert_other(NULL, IN_PLACE, "c|-dgemm", "c-dgemm");
    assert_other(NULL, TO_COPY, "c|'C-dgemm", "c'C-dgemm");
    assert_other(NULL, IN_PLACE, "c|.b|-dgemv", "c.b-dgemv");
    assert_other(NULL, IN_PLACE, "c-dgemm", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_written_in_place_may_bypass_the_caches),
        cmocka_unit_test(non_temporal_results_may_be_made_in_place),
        cmocka_unit_test(non_temporal_results_that_do_not_fit_in_place_use_the_caches),
        cmocka_unit_test(no_cache_holds_larger_data_and_a_second_cache_holds_all_smaller),
        cmocka_unit_test(uncopied_operands_stay_in_place),
        cmocka_unit_test(temporaries_with_conflicting_cache_lines_are_padded),
        cmocka_unit_test(one_thread_can_run_shared_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
