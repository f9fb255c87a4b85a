/*
 * Tests which steps of an expression are timed. The steps' times are given, so the test does not
 * depend on the machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "network/search/dominant.h"

enum { MOST_STEPS = 40 };

/** A network, and its tree for evaluation from left to right. */
struct subject {
    struct tcplan_network *network;
    int64_t extent[256];
    struct tcplan_tree *tree;
    bool chosen[MOST_STEPS];
};

static struct subject subject_of(const char *text, const char *sizes) {
    struct subject subject = {.network = NULL};
    struct tcplan_error error = {0};
    if (tcplan_network_parse(&subject.network, text, TCPLAN_COLUMN_MAJOR, &error) != TCPLAN_OK ||
        tcplan_network_sizes(subject.extent, subject.network, sizes, &error) != TCPLAN_OK ||
        tcplan_tree_make(&subject.tree, subject.network, subject.extent, TCPLAN_DOUBLE, NULL, 0,
                         &error) != TCPLAN_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(subject.tree->step_count <= MOST_STEPS);
    return subject;
}

static void subject_free(struct subject *subject) {
    tcplan_tree_free(subject->tree);
    tcplan_network_free(subject->network);
}

/** Returns how many steps are chosen for timing if the steps take these times. */
static int choose(struct subject *subject, const double seconds[], enum tcplan_effort effort) {
    int count = 0;
    for (int s = 0; s < subject->tree->step_count; s++) subject->tree->step[s].seconds = seconds[s];
    dominant_steps(subject->chosen, subject->tree, effort);
    for (int s = 0; s < subject->tree->step_count; s++) count += subject->chosen[s];
    return count;
}

/** The ladder term of coupled cluster, with singles: its last step takes most of the time. */
static void the_longest_steps_are_chosen_until_the_rest_is_a_tenth(void **state) {
    (void)state;
    struct subject ladder =
        subject_of("R_abij=T_ei*T_fj*V_abef*S_bc*S_ad", "a=b=c=d=e=f=40,i=j=10");
    assert_int_equal(ladder.tree->step_count, 4);
    assert_int_equal(choose(&ladder, (double[]){1, 91, 6, 2}, TCPLAN_EFFORT_NORMAL), 1);
    assert_true(ladder.chosen[1]);
    assert_int_equal(choose(&ladder, (double[]){1, 89, 6, 4}, TCPLAN_EFFORT_NORMAL), 2);
    assert_true(ladder.chosen[1] && ladder.chosen[2]);
    assert_int_equal(choose(&ladder, (double[]){25, 25, 25, 25}, TCPLAN_EFFORT_QUICK), 4);
    subject_free(&ladder);
}

static void efforts_say_whether_all_or_no_steps_are_timed(void **state) {
    (void)state;
    struct subject chain =
        subject_of("E_ad=A_ab*B_bc*C_cd+D_ax*F_xy*G_yd", "a=30,b=29,c=28,d=27,x=26,y=25");
    const double seconds[] = {1000, 1, 1, 1};
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_ESTIMATE), 0);
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_QUICK), 1);
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_NORMAL), 1);
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_THOROUGH), 4);
    chain.tree->step[2].idle = true;
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_THOROUGH), 3);
    assert_false(chain.chosen[2]);
    chain.tree->step[0].idle = true;
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_NORMAL), 2);
    assert_false(chain.chosen[0]);
    subject_free(&chain);
}

/** A chain of `matrices` matrices; with `equal`, all have the same extents. */
static struct subject chain_of(int matrices, bool equal) {
    char text[1024], sizes[512] = "";
    size_t length = (size_t)snprintf(text, sizeof text, "R[i0,i%d]=", matrices), used = 0;
    for (int m = 0; m < matrices; m++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%sA%d[i%d,i%d]",
                                   m > 0 ? "*" : "", m, m, m + 1);
    for (int i = 0; i <= matrices; i++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%si%d=%d", i > 0 ? "," : "", i,
                                 equal ? 24 : 10 + i);
    return subject_of(text, sizes);
}

static void no_more_than_eight_products_are_chosen_and_equal_ones_count_once(void **state) {
    (void)state;
    double seconds[MOST_STEPS];
    for (int equal = 0; equal < 2; equal++) {
        struct subject chain = chain_of(MOST_STEPS - 2, equal == 1);
        for (int s = 0; s < MOST_STEPS; s++) seconds[s] = 1;
        assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_NORMAL),
                         equal ? chain.tree->step_count : DOMINANT_MOST);
        assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_THOROUGH), chain.tree->step_count);
        subject_free(&chain);
    }
}

static void steps_in_loops_over_slices_count_as_often_as_they_run(void **state) {
    (void)state;
    struct subject chain = subject_of("E_ad=A_ab*B_bc*C_cd", "a=30,b=3,c=20,d=5");
    const double seconds[] = {1, 1};
    int d = 0;
    while (strcmp(chain.network->index[d], "d") != 0) d++;
    assert_int_equal(tcplan_tree_slice(chain.tree, d, NULL), TCPLAN_OK);
    assert_true(tcplan_tree_step_times(chain.tree, 0) == 1);
    assert_true(tcplan_tree_step_times(chain.tree, 1) == 5);
    assert_int_equal(choose(&chain, seconds, TCPLAN_EFFORT_NORMAL), 2);
    assert_int_equal(choose(&chain, (double[]){0.5, 1}, TCPLAN_EFFORT_NORMAL), 1);
    assert_true(chain.chosen[1]);
    subject_free(&chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_steps_are_chosen_until_the_rest_is_a_tenth),
        cmocka_unit_test(efforts_say_whether_all_or_no_steps_are_timed),
        cmocka_unit_test(no_more_than_eight_products_are_chosen_and_equal_ones_count_once),
        cmocka_unit_test(steps_in_loops_over_slices_count_as_often_as_they_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
