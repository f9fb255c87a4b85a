#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cachesim/binding.h"

#define TWO_SOCKETS "pack:2 numa:1 core:8 pu:2"

static struct tcplan_binding make(const char *cores, const char *memory) {
    struct tcplan_binding binding;
    struct tcplan_error error;
    if (tcplan_binding_make(&binding, cores, memory, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return binding;
}

static void check(const char *cores, const char *memory, int threads, const char *machine,
                  const char *expected) {
    char found[TCPLAN_BINDING_LINE];
    struct tcplan_error error;
    const struct tcplan_binding binding = make(cores, memory);
    if (tcplan_binding_describe(found, &binding, threads, machine, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    assert_string_equal(found, expected);
}

static void cores_and_nodes_are_those_of_the_topology(void **state) {
    (void)state;
    check("close", "0", 8, TWO_SOCKETS, "cores 0-7, memory of node 0");
    check("close", "0-1", 16, TWO_SOCKETS, "cores 0-15, memory of nodes 0-1");
    check("spread", "interleave", 2, TWO_SOCKETS, "cores 0,8, memory of nodes 0-1");
    check("8-11,3", NULL, 2, TWO_SOCKETS, "cores 8-11,3");
    check("5,5", NULL, 1, TWO_SOCKETS, "core 5");
    check("unbound", "local", 4, TWO_SOCKETS, "unbound, local memory");
    check(NULL, "1", 4, TWO_SOCKETS, "memory of node 1");
    check(NULL, NULL, 4, TWO_SOCKETS, "");
    check("spread", "interleave", 4, "pack:4 numa:2 core:2 pu:1",
          "cores 0,4,8,12, memory of nodes 0-7");
}

static void check_lacking(const char *cores, const char *memory, int threads,
                          const char *expected) {
    char found[TCPLAN_BINDING_LINE];
    struct tcplan_error error;
    const struct tcplan_binding binding = make(cores, memory);
    assert_int_equal(
        tcplan_binding_describe(found, &binding, threads, "pack:1 numa:1 core:4 pu:2", &error),
        TCPLAN_INVALID);
    if (!strstr(error.message, expected)) fail_msg("%s", error.message);
}

static void a_machine_without_the_cores_or_nodes_is_refused(void **state) {
    (void)state;
    check_lacking("4", NULL, 1, "no core 4");
    check_lacking(NULL, "0-1", 1, "no NUMA node 1");
    check_lacking("close", NULL, 5, "5 threads need 5 cores");
    check_lacking("0,2", NULL, 3, "3 threads need 3 cores, but '0,2' names 2");
}

static void malformed_texts_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"near", "3-1", "1,", "-1", "1-", "1;2", "999999", " 1"};
    struct tcplan_binding binding;
    struct tcplan_error error;
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        assert_int_equal(tcplan_binding_make(&binding, texts[t], NULL, &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "cores: expected close, spread, unbound or"));
        assert_int_equal(tcplan_binding_make(&binding, NULL, texts[t], &error), TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "memory: expected local, interleave or"));
    }
    char longest[TCPLAN_BINDING_TEXT + 1];
    memset(longest, '1', sizeof longest);
    for (size_t i = 1; i < sizeof longest; i += 2) longest[i] = ',';
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(tcplan_binding_make(&binding, longest, NULL, &error), TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "63 characters"));
}

static void a_binding_prints_its_parts(void **state) {
    (void)state;
    char line[TCPLAN_BINDING_LINE];
    struct tcplan_binding binding = make("0-3", "interleave");
    tcplan_binding_print(line, &binding);
    assert_string_equal(line, "cores=0-3 memory=interleave");
    binding = make(NULL, "0");
    tcplan_binding_print(line, &binding);
    assert_string_equal(line, "memory=0");
}

/* A thread that reports its processors when asked. */

struct watcher {
    pthread_barrier_t ask, answer;
    cpu_set_t allowed;
};

static void *watch(void *argument) {
    struct watcher *watcher = argument;
    for (int i = 0; i < 2; i++) {
        pthread_barrier_wait(&watcher->ask);
        sched_getaffinity(0, sizeof watcher->allowed, &watcher->allowed);
        pthread_barrier_wait(&watcher->answer);
    }
    return NULL;
}

static cpu_set_t ask(struct watcher *watcher) {
    pthread_barrier_wait(&watcher->ask);
    pthread_barrier_wait(&watcher->answer);
    return watcher->allowed;
}

static void threads_that_exist_already_are_bound_and_restored(void **state) {
    (void)state;
    struct watcher watcher;
    struct bound *bound = NULL;
    struct places places;
    struct tcplan_error error;
    cpu_set_t before, own, other;
    pthread_t thread;
    const struct tcplan_binding binding = make("0", "0");
    assert_int_equal(places_load(&places, NULL, &error), TCPLAN_OK);
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    pthread_barrier_init(&watcher.ask, NULL, 2);
    pthread_barrier_init(&watcher.answer, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
    if (binding_apply(&bound, &binding, 1, &error) != TCPLAN_OK) fail_msg("%s", error.message);
    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    other = ask(&watcher);
    assert_int_equal(CPU_COUNT(&own), 1);
    assert_true(CPU_ISSET((size_t)places.place[0].processor, &own));
    assert_true(CPU_EQUAL(&own, &other));
    void *memory = calloc(1 << 14, 1);
    assert_int_equal(binding_move(bound, memory, 1 << 14, &error), TCPLAN_OK);
    free(memory);
    binding_release(bound);
    assert_int_equal(sched_getaffinity(0, sizeof own, &own), 0);
    other = ask(&watcher);
    assert_true(CPU_EQUAL(&own, &before) && CPU_EQUAL(&other, &before));
    pthread_join(thread, NULL);
}

static void an_empty_binding_changes_nothing(void **state) {
    (void)state;
    struct bound *bound = NULL;
    const struct tcplan_binding binding = make(NULL, NULL);
    assert_int_equal(binding_apply(&bound, &binding, 1000, NULL), TCPLAN_OK);
    assert_null(bound);
    assert_false(binding_is_unbound(&binding));
    const struct tcplan_binding unbound = make("unbound", NULL);
    assert_true(binding_is_unbound(&unbound));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_and_nodes_are_those_of_the_topology),
        cmocka_unit_test(a_machine_without_the_cores_or_nodes_is_refused),
        cmocka_unit_test(malformed_texts_are_refused),
        cmocka_unit_test(a_binding_prints_its_parts),
        cmocka_unit_test(threads_that_exist_already_are_bound_and_restored),
        cmocka_unit_test(an_empty_binding_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
