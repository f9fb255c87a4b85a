/*
 * Tests the thread team of emitted functions: every part of every section runs once, each section
 * sees all writes of the previous one, and each thread has its own processors. With
 * -fsanitize=thread (preset tsan), the sanitizer reports races.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/runtime/places.h"
#include "gen/runtime/team.h"

enum { PARTS_MAX = 11, SECTIONS = 3, RUNS = 400, CALLERS = 4 };

/** Numbers that threads compute in sections, each from all numbers of the previous section. Nothing
 * is atomic: the team must synchronise. */
struct relay {
    int parts[SECTIONS]; /* number of parts of each section */
    int64_t number[SECTIONS][PARTS_MAX];
    int done[SECTIONS][PARTS_MAX];
};

static int64_t sum_before(const struct relay *relay, int section) {
    int64_t sum = 1;
    for (int p = 0; section > 0 && p < relay->parts[section - 1]; p++)
        sum += relay->number[section - 1][p];
    return sum;
}

/** Computes all sections; a team_function. */
static void run_relay(struct team_member *member, void *context) {
    struct relay *relay = context;
    for (int s = 0; s < SECTIONS; s++) {
        for (ptrdiff_t p = -1; (p = team_next(member, relay->parts[s], p)) >= 0;) {
            relay->number[s][p] = sum_before(relay, s) + p;
            relay->done[s][p]++;
        }
    }
}

/** Returns how many numbers differ from those that one thread computes; missing and repeated parts
 * also cause differences. */
static int count_wrong(const struct relay *relay) {
    int wrong = 0;
    for (int s = 0; s < SECTIONS; s++) {
        const int64_t sum = sum_before(relay, s);
        for (int p = 0; p < PARTS_MAX; p++) {
            const bool is_there = p < relay->parts[s];
            wrong += relay->done[s][p] != (is_there ? 1 : 0) ||
                     (is_there && relay->number[s][p] != sum + p);
        }
    }
    return wrong;
}

/** Computes the sections with varying numbers of threads and parts; returns how many numbers were
 * wrong. */
static int run_relays(int runs) {
    int wrong = 0;
    for (int run = 0; run < runs; run++) {
        struct relay relay = {
            .parts = {1 + run % PARTS_MAX, 1 + run / 3 % PARTS_MAX, 1 + run / 7 % 3}};
        team_run(1 + run % 6, run_relay, &relay);
        wrong += count_wrong(&relay);
    }
    return wrong;
}

static void a_section_sees_the_writes_of_the_one_before(void **state) {
    (void)state;
    assert_int_equal(run_relays(RUNS), 0);
}

static void *call_team(void *wrong) {
    *(int *)wrong = run_relays(RUNS);
    return NULL;
}

static void callers_at_once_each_have_their_parts_done(void **state) {
    (void)state;
    pthread_t caller[CALLERS];
    int wrong[CALLERS];
    for (int c = 0; c < CALLERS; c++)
        assert_int_equal(pthread_create(&caller[c], NULL, call_team, &wrong[c]), 0);
    for (int c = 0; c < CALLERS; c++) {
        assert_int_equal(pthread_join(caller[c], NULL), 0);
        assert_int_equal(wrong[c], 0);
    }
}

static void a_team_that_was_ended_begins_anew(void **state) {
    (void)state;
    for (int end = 0; end < 20; end++) {
        assert_int_equal(run_relays(10), 0);
        tcplan_end_team();
        assert_int_equal(tcplan_team_2.count, 0);
    }
}

static void nothing_is_left_of_threads_that_end_before_they_begin(void **state) {
    (void)state;
    for (int end = 0; end < 1000; end++) {
        team_grow(&tcplan_team_2, 2);
        tcplan_end_team();
        assert_int_equal(atomic_load(&tcplan_team_2.begun[1]),
                         0); /* the number may belong to a new thread by now */
    }
}

#if defined(__linux__)
static cpu_set_t processors_of(pthread_t thread) {
    cpu_set_t set;
    assert_int_equal(pthread_getaffinity_np(thread, sizeof set, &set), 0);
    return set;
}

static void skip_below(int processors) {
    const cpu_set_t allowed = processors_of(pthread_self());
    if (CPU_COUNT(&allowed) < processors) skip();
}

/** Repeats a section until all threads are pinned: a new thread may be pinned only in a later
 * section. */
static void run_until_placed(int threads) {
    for (int run = 0; run < 10000; run++) {
        struct relay relay = {.parts = {threads, threads, threads}};
        team_run(threads, run_relay, &relay);
        assert_int_equal(count_wrong(&relay), 0);
        if (tcplan_team_2.places.threads == threads) return;
        usleep(1000);
    }
    fail_msg("no places for %d threads", threads);
}

static void check_dealt(int threads) {
    static struct places places;
    const cpu_set_t allowed = processors_of(pthread_self());
    int last = 0, processors[64] = {0};
    places_deal(&places, threads);
    for (int p = 0; p < CPU_SETSIZE; p++) {
        assert_int_equal(places.share[p] >= 0, CPU_ISSET(p, &allowed));
        if (places.share[p] < 0) continue;
        assert_in_range(places.share[p] - last, 0, 1);
        last = places.share[p];
        processors[last]++;
    }
    assert_int_equal(last, threads - 1);
    for (int t = 1; t < threads; t++) assert_in_range(processors[t] - processors[0] + 1, 0, 2);
}

static void processors_are_dealt_evenly(void **state) {
    (void)state;
    const cpu_set_t allowed = processors_of(pthread_self());
    for (int threads = 1; threads <= CPU_COUNT(&allowed) && threads <= 64; threads++)
        check_dealt(threads);
}

static void too_few_processors_are_not_distributed(void **state) {
    (void)state;
    static struct places places;
    const cpu_set_t allowed = processors_of(pthread_self());
    places_deal(&places, CPU_COUNT(&allowed) + 1);
    for (int p = 0; p < PLACES_PROCESSORS; p++) assert_int_equal(places.share[p], -1);
}

static void each_thread_has_processors_of_its_own_and_the_caller_all(void **state) {
    (void)state;
    skip_below(2);
    const cpu_set_t before = processors_of(pthread_self());
    for (int threads = 2; threads <= CPU_COUNT(&before) && threads <= 4; threads++) {
        run_until_placed(threads);
        cpu_set_t taken, shared;
        CPU_ZERO(&taken);
        for (int t = 0; t + 1 < threads; t++) {
            const cpu_set_t own = processors_of(tcplan_team_2.thread[t]);
            CPU_AND(&shared, &own, &taken);
            assert_int_equal(CPU_COUNT(&shared), 0);
            CPU_OR(&taken, &taken, &own);
        }
        CPU_XOR(&shared, &taken, &before);
        assert_true(CPU_COUNT(&shared) > 0); /* the calling thread has at least one processor */
        const cpu_set_t after = processors_of(pthread_self());
        assert_true(CPU_EQUAL(&before, &after));
    }
    tcplan_end_team();
}

static void a_thread_moves_away_from_the_caller(void **state) {
    (void)state;
    skip_below(2);
    const cpu_set_t before = processors_of(pthread_self());
    run_until_placed(2);
    for (int p = 0; p < CPU_SETSIZE; p++) {
        if (!CPU_ISSET(p, &before)) continue;
        cpu_set_t one, shared;
        CPU_ZERO(&one);
        CPU_SET(p, &one);
        assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof one, &one), 0);
        run_until_placed(2);
        const cpu_set_t own = processors_of(tcplan_team_2.thread[0]);
        CPU_AND(&shared, &own, &one);
        assert_int_equal(CPU_COUNT(&shared), 0);
        assert_true(CPU_COUNT(&own) > 0);
    }
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof before, &before), 0);
    tcplan_end_team();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_sees_the_writes_of_the_one_before),
        cmocka_unit_test(callers_at_once_each_have_their_parts_done),
        cmocka_unit_test(a_team_that_was_ended_begins_anew),
        cmocka_unit_test(nothing_is_left_of_threads_that_end_before_they_begin),
#if defined(__linux__)
        cmocka_unit_test(processors_are_dealt_evenly),
        cmocka_unit_test(too_few_processors_are_not_distributed),
        cmocka_unit_test(each_thread_has_processors_of_its_own_and_the_caller_all),
        cmocka_unit_test(a_thread_moves_away_from_the_caller),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
