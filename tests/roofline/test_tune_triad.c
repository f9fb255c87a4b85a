#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "roofline/tuning/tuner.h"

enum { MIB = 1 << 20 };

static struct triad_choices make(const char *synthetic, bool in_memory, int64_t most_bytes) {
    struct tcplan_machine machine;
    struct places places;
    struct triad_choices choices;
    struct tcplan_error error;
    if (tcplan_machine_load(&machine, synthetic, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    if (places_load(&places, synthetic, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    triad_choices_make(&choices, &machine, &places, in_memory, most_bytes);
    return choices;
}

static int64_t bytes_of(const struct triad_choice *choice) {
    return TRIAD_ELEMENT_BYTES * choice->elements;
}

/** Checks the lengths of vectors, which are rounded down to a multiple of the step of all threads.
 */
static void check_length(const struct triad_choice *choice, int64_t bytes) {
    assert_true(bytes_of(choice) <= bytes &&
                bytes_of(choice) > bytes - (int64_t)choice->threads * TRIAD_ELEMENT_BYTES * 128);
    assert_int_equal(choice->elements % ((int64_t)choice->threads * 128), 0);
}

static const char one_socket[] =
    "pack:1 l3:1(size=32MiB) l2:4(size=1MiB) l1d:1(size=32KiB) core:1 pu:1";
static const char two_sockets[] =
    "pack:2 numa:1 l3:1(size=32MiB) l2:4(size=1MiB) l1d:1(size=32KiB) core:1 pu:1";

static void lengths_in_the_last_cache_double(void **state) {
    (void)state;
    const struct triad_choices choices = make(one_socket, false, (int64_t)1 << 40);
    assert_int_equal(choices.count,
                     2 * 4); /* times 4 placements: one thread, two close, two spread, four */
    for (int c = 0; c < choices.count; c++)
        check_length(&choices.choice[c], c < 4 ? 8 * MIB : 16 * MIB);
    const int threads[] = {1, 2, 2, 4};
    for (int c = 0; c < choices.count; c++)
        assert_int_equal(choices.choice[c].threads, threads[c % 4]);
    assert_int_equal(choices.choice[1].affinity, PLACE_CLOSE);
    assert_int_equal(choices.choice[2].affinity, PLACE_SPREAD);
    for (int c = 0; c < choices.count; c++) assert_false(choices.choice[c].interleaved);
    assert_false(choices.reduced);
}

static void caches_and_nodes_of_all_sockets_are_used(void **state) {
    (void)state;
    const struct triad_choices choices = make(two_sockets, false, (int64_t)1 << 40);
    assert_int_equal(choices.count,
                     2 * 12); /* 2 lengths (16 and 32 MiB), 6 placements (1 and 8 threads; 2 and 4
                                 threads, close and spread), local or interleaved memory */
    check_length(&choices.choice[0], 16 * MIB);
    check_length(&choices.choice[choices.count - 1], 32 * MIB);
    int interleaved = 0;
    for (int c = 0; c < choices.count; c++) interleaved += choices.choice[c].interleaved;
    assert_int_equal(interleaved, 12);
}

static void lengths_in_memory_are_multiples_of_the_last_cache_or_what_may_be_used(void **state) {
    (void)state;
    struct triad_choices choices = make(one_socket, true, 300 * MIB);
    assert_int_equal(choices.count, 2 * 4);
    check_length(&choices.choice[0], 128 * MIB);
    check_length(&choices.choice[4], 256 * MIB);
    choices = make(one_socket, true, 200 * MIB);
    assert_int_equal(choices.count, 4);
    assert_false(choices.reduced);
    choices = make(one_socket, true, 100 * MIB);
    assert_int_equal(choices.count, 4);
    check_length(&choices.choice[0], 100 * MIB);
    assert_true(choices.reduced);
}

static void at_the_limits_of_memory_nothing_takes_more_than_may_be_used(void **state) {
    static const int64_t limits[] = {1,         3071,      3072,      12287,
                                     12288,     MIB,       31 * MIB,  32 * MIB,
                                     127 * MIB, 128 * MIB, 255 * MIB, 256 * MIB};
    (void)state;
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        for (int in_memory = 0; in_memory < 2; in_memory++) {
            const struct triad_choices choices = make(one_socket, in_memory == 1, limits[l]);
            for (int c = 0; c < choices.count; c++)
                assert_true(bytes_of(&choices.choice[c]) <= limits[l] &&
                            choices.choice[c].elements > 0);
            if (!in_memory) continue;
            assert_int_equal(choices.wanted_bytes, 128 * MIB);
            assert_int_equal(choices.count > 0,
                             limits[l] >= 32 * MIB); /* vectors that fit the last cache would not
                                                        measure the memory */
            assert_int_equal(choices.reduced, limits[l] < 128 * MIB);
        }
    }
}

static void a_cache_that_holds_no_more_than_those_before_it_has_no_lengths(void **state) {
    (void)state;
    assert_int_equal(
        make("pack:1 l3:1(size=4MiB) l2:4(size=1MiB) core:1 pu:1", false, (int64_t)1 << 40).count,
        0);
    assert_int_equal(make("pack:1 l1d:1(size=32KiB) core:1 pu:1", false, (int64_t)1 << 40).count,
                     0);
    assert_int_equal(make("pack:1 core:1 pu:1", false, (int64_t)1 << 40).count, 0);
    assert_int_equal(make("pack:1 core:1 pu:1", true, 64 * MIB).count, 1);
    assert_true(
        make("pack:1 l3:1(size=6MiB) l2:4(size=1MiB) core:1 pu:1", false, (int64_t)1 << 40).count >
        0); /* too small: half of it fits in the caches */
}

static struct autotune_options short_search(void) {
    struct autotune_options options = autotune_defaults();
    options.iteration.most_samples = 4;
    options.invocation.most_samples = 2;
    return options;
}

/* The best configuration depends on the machine; its speed must be plausible. */
static void a_triad_is_tuned_on_this_machine(void **state) {
    (void)state;
    struct places places;
    struct tcplan_error error;
    assert_int_equal(places_load(&places, NULL, &error), TCPLAN_OK);
    const struct triad_choices choices = {.count = 3,
                                          .choice = {{.elements = 128, .threads = 1},
                                                     {.elements = 12800, .threads = 1},
                                                     {.elements = 25600, .threads = 1}}};
    struct tuner tuner = {.triad = &choices, .places = &places};
    const struct autotune_options options = short_search();
    struct autotune_result result;
    assert_int_equal(tuner_search(&result, &tuner, &options, &error), TCPLAN_OK);
    for (int c = 0; c < 3; c++)
        assert_true(result.record[c].applicable &&
                    result.record[c].iterations + result.record[c].disturbed > 0);
    assert_true(result.best < 0 || result.value > 0);
    autotune_free(&result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_in_the_last_cache_double),
        cmocka_unit_test(caches_and_nodes_of_all_sockets_are_used),
        cmocka_unit_test(lengths_in_memory_are_multiples_of_the_last_cache_or_what_may_be_used),
        cmocka_unit_test(at_the_limits_of_memory_nothing_takes_more_than_may_be_used),
        cmocka_unit_test(a_cache_that_holds_no_more_than_those_before_it_has_no_lengths),
        cmocka_unit_test(a_triad_is_tuned_on_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
