/*
 * The team of threads that emitted functions bring along: every part of every section is done once, and what a section wrote is there in the next one, whoever
 * did which part. Under -fsanitize=thread (preset tsan) this is where races of the team would show.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gen/runtime/team.h"

enum { PARTS_MAX = 11, SECTIONS = 3, RUNS = 400, CALLERS = 4 };

/** Numbers that each section makes of all those of the section before; nothing in them is atomic. */
struct relay {
    int parts[SECTIONS]; /* of each section */
    int64_t number[SECTIONS][PARTS_MAX];
    int done[SECTIONS][PARTS_MAX];
};

static int64_t sum_before(const struct relay *relay, int section) {
    int64_t sum = 1;
    for (int p = 0; section > 0 && p < relay->parts[section - 1]; p++) sum += relay->number[section - 1][p];
    return sum;
}

/** A team_function. */
static void run_relay(struct team_member *member, void *context) {
    struct relay *relay = context;
    for (int s = 0; s < SECTIONS; s++) {
        for (ptrdiff_t p = -1; (p = team_next(member, relay->parts[s], p)) >= 0;) {
            relay->number[s][p] = sum_before(relay, s) + p;
            relay->done[s][p]++;
        }
    }
}

/** How many numbers are not what one thread would have made, parts not done or done twice included. */
static int count_wrong(const struct relay *relay) {
    int wrong = 0;
    for (int s = 0; s < SECTIONS; s++) {
        const int64_t sum = sum_before(relay, s);
        for (int p = 0; p < PARTS_MAX; p++) {
            const bool is_there = p < relay->parts[s];
            wrong += relay->done[s][p] != (is_there ? 1 : 0) || (is_there && relay->number[s][p] != sum + p);
        }
    }
    return wrong;
}

/** Runs of changing threads and parts; how many numbers were wrong. */
static int run_relays(int runs) {
    int wrong = 0;
    for (int run = 0; run < runs; run++) {
        struct relay relay = {.parts = {1 + run % PARTS_MAX, 1 + run / 3 % PARTS_MAX, 1 + run / 7 % 3}};
        team_run(1 + run % 6, run_relay, &relay);
        wrong += count_wrong(&relay);
    }
    return wrong;
}

static void a_section_finds_what_the_one_before_wrote(void **state) {
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
    for (int c = 0; c < CALLERS; c++) assert_int_equal(pthread_create(&caller[c], NULL, call_team, &wrong[c]), 0);
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
        assert_int_equal(tcplan_team_1.count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_section_finds_what_the_one_before_wrote),
        cmocka_unit_test(callers_at_once_each_have_their_parts_done),
        cmocka_unit_test(a_team_that_was_ended_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
