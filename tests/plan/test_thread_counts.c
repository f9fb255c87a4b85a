/* Tests with how many threads candidates are executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/thread_counts.h"

static void one_thread_powers_of_two_and_all_threads_compete(void **state) {
    (void)state;
    static const int expected[] = {1, 2, 4, 6};
    const struct tcplan_rank_options options = {.threads = 6};
    int size[THREAD_COUNTS], generated[2];
    assert_int_equal(thread_counts(size, &options), 4);
    for (int s = 0; s < 4; s++) assert_int_equal(size[s], expected[s]);
    assert_int_equal(thread_counts_generated(generated, &options, NULL), 2);
    assert_int_equal(generated[0], 1);
    assert_int_equal(generated[1], 6);
}

static void the_largest_number_of_threads_fits_into_the_list(void **state) {
    (void)state;
    const struct tcplan_rank_options options = {.threads = TCPLAN_MAX_THREADS};
    int size[THREAD_COUNTS];
    const int count = thread_counts(size, &options);
    assert_int_equal(count, 13);
    for (int s = 0; s < count; s++) assert_int_equal(size[s], 1 << s);
}

static void exactly_so_many_compete_with_none(void **state) {
    (void)state;
    const struct tcplan_rank_options exact = {.threads = 6, .exact_threads = true},
                                     one = {.threads = 1};
    int size[THREAD_COUNTS];
    assert_int_equal(thread_counts(size, &exact), 1);
    assert_int_equal(size[0], 6);
    assert_int_equal(thread_counts(size, &one), 1);
    assert_int_equal(size[0], 1);
    assert_int_equal(thread_counts(size, NULL), 1);
    assert_int_equal(size[0], 1);
}

/** Compiled kernels use one thread, except in parallel loops. */
static void unshared_loops_run_on_one_thread(void **state) {
    (void)state;
    const struct tcplan_rank_options options = {.threads = 6};
    struct tcplan_algorithm algorithm = tcplan_algorithm_empty();
    algorithm.provider = TCPLAN_PROVIDER_EMITTED;
    assert_int_equal(thread_count_of(&options, &algorithm, 6), 1);
    int generated[2];
    assert_int_equal(thread_counts_generated(generated, &options, &algorithm), 1);
    assert_int_equal(generated[0], 1);
    algorithm.parallel = 0;
    assert_int_equal(thread_count_of(&options, &algorithm, 6), 6);
    assert_int_equal(thread_counts_generated(generated, &options, &algorithm), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_powers_of_two_and_all_threads_compete),
        cmocka_unit_test(the_largest_number_of_threads_fits_into_the_list),
        cmocka_unit_test(exactly_so_many_compete_with_none),
        cmocka_unit_test(unshared_loops_run_on_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
