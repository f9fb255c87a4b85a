#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cachesim/places.h"

static struct places load(const char *synthetic) {
    struct places places;
    struct tcplan_error error;
    if (places_load(&places, synthetic, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    return places;
}

static void check_choice(const struct places *places, enum place_affinity affinity, int threads,
                         const int *expected) {
    int processor[PLACES_MAX];
    places_choose(processor, places, affinity, threads);
    assert_memory_equal(processor, expected, (size_t)threads * sizeof *processor);
}

static void every_core_is_a_place_with_its_node_and_socket(void **state) {
    (void)state;
    const struct places places = load("pack:2 numa:2 core:3 pu:2");
    assert_int_equal(places.count, 12);
    assert_int_equal(places_nodes(&places), 4);
    assert_int_equal(places_sockets(&places), 2);
    for (int p = 0; p < places.count; p++) {
        assert_int_equal(places.place[p].processor,
                         2 * p); /* the first of the two hardware threads of each core */
        assert_int_equal(places.place[p].node, p / 3);
        assert_int_equal(places.place[p].socket, p / 6);
    }
}

static void close_is_one_next_to_the_other_and_spread_begins_equal_parts(void **state) {
    (void)state;
    const struct places places = load("pack:2 core:4 pu:1");
    check_choice(&places, PLACE_CLOSE, 3, (int[]){0, 1, 2});
    check_choice(&places, PLACE_SPREAD, 1, (int[]){0});
    check_choice(&places, PLACE_SPREAD, 2, (int[]){0, 4}); /* on both sockets */
    check_choice(&places, PLACE_SPREAD, 4, (int[]){0, 2, 4, 6});
    check_choice(&places, PLACE_SPREAD, 3, (int[]){0, 2, 5});
    for (int affinity = PLACE_CLOSE; affinity <= PLACE_SPREAD; affinity++) {
        check_choice(&places, (enum place_affinity)affinity, 8, (int[]){0, 1, 2, 3, 4, 5, 6, 7});
    }
    const struct places socket = places_first(&places, 4);
    check_choice(&socket, PLACE_SPREAD, 2, (int[]){0, 2}); /* within one socket */
    assert_int_equal(places_sockets(&socket), 1);
}

static void check_parts(const char *synthetic, int count, const struct place_part *expected) {
    const struct places places = load(synthetic);
    struct place_part part[PLACE_SCOPES];
    assert_int_equal(places_parts(part, &places), count);
    for (int p = 0; p < count; p++) {
        assert_int_equal(part[p].threads, expected[p].threads);
        assert_string_equal(place_scope_name(part[p].scope), place_scope_name(expected[p].scope));
    }
}

static void parts_that_coincide_are_there_once(void **state) {
    (void)state;
    check_parts("pack:2 numa:2 core:3 pu:1", 4,
                (struct place_part[]){
                    {PLACE_CORE, 1}, {PLACE_NODE, 3}, {PLACE_SOCKET, 6}, {PLACE_MACHINE, 12}});
    check_parts("pack:2 numa:1 core:4 pu:1", 3,
                (struct place_part[]){{PLACE_CORE, 1}, {PLACE_SOCKET, 4}, {PLACE_MACHINE, 8}});
    check_parts("numa:1 pack:2 core:4 pu:1", 3,
                (struct place_part[]){{PLACE_CORE, 1}, {PLACE_SOCKET, 4}, {PLACE_MACHINE, 8}});
    check_parts("numa:2 core:2 pu:1", 3,
                (struct place_part[]){{PLACE_CORE, 1}, {PLACE_NODE, 2}, {PLACE_MACHINE, 4}});
    check_parts("pack:1 core:2 pu:2", 2,
                (struct place_part[]){{PLACE_CORE, 1}, {PLACE_MACHINE, 2}});
    check_parts("pack:1 core:1 pu:2", 1, (struct place_part[]){{PLACE_CORE, 1}});
}

static void check_counts(const char *synthetic, int most, int count, const int *expected) {
    const struct places places = load(synthetic);
    int counts[PLACE_SCOPES];
    assert_int_equal(places_counts(counts, &places, most), count);
    assert_memory_equal(counts, expected, (size_t)count * sizeof *counts);
}

static void thread_counts_are_those_of_parts_up_to_the_limit(void **state) {
    (void)state;
    check_counts("pack:2 numa:2 core:3 pu:1", 0, 4, (int[]){1, 3, 6, 12});
    check_counts("pack:2 numa:2 core:3 pu:1", 8, 4, (int[]){1, 3, 6, 8});
    check_counts("pack:2 numa:2 core:3 pu:1", 6, 3, (int[]){1, 3, 6});
    check_counts("pack:2 numa:2 core:3 pu:1", 24, 4,
                 (int[]){1, 3, 6, 24}); /* limit above the number of cores: all counts are listed */
    check_counts("pack:1 core:2 pu:2", 0, 2, (int[]){1, 2});
    check_counts("pack:1 core:2 pu:2", 1, 1, (int[]){1});
    check_counts("pack:1 core:1 pu:2", 0, 1, (int[]){1});
}

static void this_machine_has_places(void **state) {
    (void)state;
    cpu_set_t allowed;
    const struct places places = load(NULL);
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    assert_true(places.count >= 1 && places.count <= CPU_COUNT(&allowed));
    for (int p = 0; p < places.count; p++)
        assert_true(CPU_ISSET((size_t)places.place[p].processor, &allowed));
}

static void other_descriptions_are_refused(void **state) {
    (void)state;
    struct places places;
    struct tcplan_error error;
    assert_int_equal(places_load(&places, "pack:two", &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "pack:two"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_core_is_a_place_with_its_node_and_socket),
        cmocka_unit_test(close_is_one_next_to_the_other_and_spread_begins_equal_parts),
        cmocka_unit_test(parts_that_coincide_are_there_once),
        cmocka_unit_test(thread_counts_are_those_of_parts_up_to_the_limit),
        cmocka_unit_test(this_machine_has_places),
        cmocka_unit_test(other_descriptions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
