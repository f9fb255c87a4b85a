/* Tests contraction orders found from texts, with the machine and store of a planner. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tcplan/network_order.h"
#include "tcplan/network_plan.h"
#include "tcplan/network_tree.h"

static const char chain[] = "R[a,d]=A[a,b]*B[b,c]*C[c,d]";
static const char sizes[] = "a=30,b=3,c=25,d=2";

static struct tcplan_planner *planner_with(enum tcplan_effort effort) {
    struct tcplan_planner *planner = NULL;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, effort, NULL), TCPLAN_OK);
    return planner;
}

static struct tcplan_network_order *order_of(struct tcplan_planner *planner, const char *path) {
    struct tcplan_network_order *order = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_network_texts texts = {
        .notation = chain, .sizes = sizes, .path = path, .order = TCPLAN_ROW_MAJOR};
    if (tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return order;
}

static void check_path(const struct tcplan_network_order *order, const char *expected) {
    char *path = tcplan_tree_path(tcplan_network_order_tree(order));
    assert_string_equal(path, expected);
    free(path);
}

static void an_order_is_searched_or_read(void **state) {
    (void)state;
    struct tcplan_planner *planner = planner_with(TCPLAN_EFFORT_ESTIMATE);
    struct tcplan_network_order *order = order_of(planner, NULL),
                                *given = order_of(planner, "[(0, 1), (0, 1)]");
    check_path(order, "[(1, 2), (0, 1)]");
    check_path(given, "[(0, 1), (0, 1)]");
    assert_true(tcplan_network_order_seconds(order) > 0 && tcplan_network_order_seconds(given) > 0);
    assert_true(tcplan_network_order_flops(order) == 2 * (3 * 25 * 2 + 30 * 3 * 2));
    for (int s = 0; s < 2; s++)
        assert_non_null(tcplan_network_order_tree(order)->step[s].algorithm);
    tcplan_network_order_free(given);
    tcplan_network_order_free(order);
    tcplan_planner_free(planner);
}

static void steps_that_are_to_be_timed_have_no_algorithm(void **state) {
    (void)state;
    struct tcplan_planner *timing = planner_with(TCPLAN_EFFORT_QUICK),
                          *improving = planner_with(TCPLAN_EFFORT_ESTIMATE);
    assert_int_equal(tcplan_planner_set_improving(improving, 3, NULL), TCPLAN_OK);
    struct tcplan_planner *const both[] = {timing, improving};
    for (int p = 0; p < 2; p++) {
        struct tcplan_network_order *order = order_of(both[p], NULL);
        assert_null(tcplan_network_order_tree(order)->step[0].algorithm);
        assert_true(tcplan_network_order_seconds(order) > 0);
        tcplan_network_order_free(order);
        tcplan_planner_free(both[p]);
    }
}

/** A chain of matrices times a vector: one product takes nearly all of the time. */
static void steps_that_do_not_dominate_keep_their_algorithm(void **state) {
    (void)state;
    struct tcplan_planner *timing = planner_with(TCPLAN_EFFORT_QUICK);
    struct tcplan_network_order *order = NULL;
    struct tcplan_network_plan *plan = NULL;
    const struct tcplan_network_texts texts = {.notation = "R[a]=A[a,b]*B[b,c]*C[c]",
                                               .sizes = "a=900,b=90,c=2",
                                               .order = TCPLAN_ROW_MAJOR};
    assert_int_equal(tcplan_network_order_new(&order, timing, &texts, TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    const struct tcplan_tree *tree = tcplan_network_order_tree(order);
    assert_int_equal(tree->step_count, 2);
    assert_true(tree->step[0].algorithm && !tree->step[1].algorithm);
    assert_int_equal(tcplan_network_plan_new(&plan, tree, timing, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_origin(tcplan_network_plan_step(plan, 0)), TCPLAN_PLAN_NAMED);
    assert_in_range(tcplan_plan_origin(tcplan_network_plan_step(plan, 1)), TCPLAN_PLAN_TIMED,
                    TCPLAN_PLAN_COMPARED);
    tcplan_network_plan_free(plan);
    tcplan_network_order_free(order);
    tcplan_planner_free(timing);
}

/** Both steps have exactly the same time, so only one was timed. */
static void equal_steps_are_timed_once(void **state) {
    (void)state;
    struct tcplan_planner *timing = planner_with(TCPLAN_EFFORT_QUICK);
    struct tcplan_network_order *order = NULL;
    struct tcplan_network_plan *plan = NULL;
    const struct tcplan_network_texts texts = {.notation = "ab,bc,cd,de->ae",
                                               .sizes = "a=b=c=d=e=24",
                                               .path = "[(0, 1), (0, 2), (0, 1)]",
                                               .order = TCPLAN_ROW_MAJOR};
    double low, high;
    assert_int_equal(tcplan_network_order_new(&order, timing, &texts, TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_network_plan_new(&plan, tcplan_network_order_tree(order), timing, NULL),
                     TCPLAN_OK);
    const struct tcplan_plan *second = tcplan_network_plan_step(plan, 1),
                             *third = tcplan_network_plan_step(plan, 2);
    assert_in_range(tcplan_plan_origin(third), TCPLAN_PLAN_TIMED, TCPLAN_PLAN_COMPARED);
    assert_string_equal(tcplan_plan_algorithm(second), tcplan_plan_algorithm(third));
    assert_true(tcplan_plan_seconds(second, &low, &high) ==
                tcplan_plan_seconds(third, &low, &high));
    tcplan_network_plan_free(plan);
    tcplan_network_order_free(order);
    tcplan_planner_free(timing);
}

static void a_plan_outlives_its_order_and_gives_its_steps(void **state) {
    (void)state;
    struct tcplan_planner *planner = planner_with(TCPLAN_EFFORT_ESTIMATE);
    struct tcplan_network_order *order = order_of(planner, NULL);
    struct tcplan_network_plan *plan = NULL;
    struct tcplan_error error = {0};
    if (tcplan_network_plan_new(&plan, tcplan_network_order_tree(order), planner, &error) !=
        TCPLAN_OK)
        fail_msg("%s", error.message);
    tcplan_network_order_free(order);
    tcplan_planner_free(planner);
    double A[30 * 3], B[3 * 25], C[25 * 2], R[30 * 2];
    for (int i = 0; i < 90; i++) A[i] = i % 7 - 3;
    for (int i = 0; i < 75; i++) B[i] = i % 5 - 2;
    for (int i = 0; i < 50; i++) C[i] = i % 3;
    const void *const tensor[] = {A, B, C};
    assert_int_equal(tcplan_network_execute(plan, tensor, R, NULL, 0, &error), TCPLAN_OK);
    for (int a = 0; a < 30; a++) {
        for (int d = 0; d < 2; d++) {
            double sum = 0;
            for (int b = 0; b < 3; b++) {
                for (int c = 0; c < 25; c++) sum += A[3 * a + b] * B[25 * b + c] * C[2 * c + d];
            }
            assert_true(R[2 * a + d] == sum);
        }
    }
    assert_int_equal(tcplan_network_plan_step_count(plan), 2);
    for (int s = 0; s < 2; s++)
        assert_non_null(tcplan_plan_algorithm(tcplan_network_plan_step(plan, s)));
    assert_null(tcplan_network_plan_step(plan, 2));
    assert_null(tcplan_network_plan_step(plan, -1));
    tcplan_network_plan_free(plan);
}

static void results_with_free_layouts_use_the_fastest(void **state) {
    (void)state;
    struct tcplan_planner *planner = planner_with(TCPLAN_EFFORT_ESTIMATE);
    for (int storage = 0; storage < 2; storage++) {
        for (int frees = 0; frees < 2; frees++) {
            struct tcplan_network_order *order = NULL;
            struct tcplan_error error = {0};
            const struct tcplan_network_texts texts = {
                .notation = "R[b,a,c,e,d]=A[a,x,e]*B[x,i]*C[i,b,c,d]",
                .sizes = "a=9,b=7,c=7,d=7,e=9,x=60,i=60",
                .order = (enum tcplan_order)storage,
                .frees_result = frees == 1};
            if (tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, &error) !=
                TCPLAN_OK)
                fail_msg("%s", error.message);
            const struct tcplan_tree *tree = tcplan_network_order_tree(order);
            const uint16_t *dims = tree->step[tree->step_count - 1].dims;
            bool is_there[5] = {false};
            bool same = true;
            static const char asked[] = "baced";
            for (int d = 0; d < 5; d++) {
                const int letter = tree->network->index[dims[d]][0] - 'a';
                assert_in_range(letter, 0, 4);
                is_there[letter] = true;
                same = same && letter == asked[d] - 'a';
            }
            assert_true(is_there[0] && is_there[1] && is_there[2] && is_there[3] && is_there[4]);
            assert_int_equal(same, frees == 0);
            struct tcplan_tree *again =
                NULL; /* parses the text again, which includes the layout of intermediates */
            char *text = tcplan_tree_text(tree);
            assert_int_equal(
                tcplan_tree_parse(&again, tree->network, tree->extent, TCPLAN_DOUBLE, text, &error),
                TCPLAN_OK);
            assert_memory_equal(again->step[1].dims, dims, 5 * sizeof *dims);
            assert_int_equal(again->frees_result, frees == 1);
            tcplan_tree_free(again);
            free(text);
            tcplan_network_order_free(order);
        }
    }
    tcplan_planner_free(planner);
}

static void bad_texts_are_reported(void **state) {
    (void)state;
    static const struct {
        const char *notation, *sizes, *path, *message;
    } bad[] = {
        {"R_ad=A_ab*B_bc*", "a=2", NULL, ""},
        {chain, "a=2,b=3,c=4", NULL, "sizes: "},
        {chain, NULL, NULL, "sizes: "},
        {chain, sizes, "[(0, 5), (0, 1)]", "path: "},
        {NULL, sizes, NULL, ""},
    };
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        struct tcplan_network_order *order = NULL;
        struct tcplan_error error = {0};
        const struct tcplan_network_texts texts = {bad[n].notation,  bad[n].sizes, bad[n].path,
                                                   TCPLAN_ROW_MAJOR, true,         false};
        assert_int_equal(tcplan_network_order_new(&order, NULL, &texts, TCPLAN_DOUBLE, &error),
                         TCPLAN_INVALID);
        assert_null(order);
        assert_int_equal(strncmp(error.message, bad[n].message, strlen(bad[n].message)), 0);
        assert_true(strlen(error.message) > strlen(bad[n].message));
    }
    tcplan_network_order_free(NULL);
}

static double seconds_of(double batch, double left, double right, double contracted) {
    const struct tcplan_step_extents extents = {batch, left, right, contracted};
    struct tcplan_error error = {0};
    double seconds = -1;
    if (tcplan_step_seconds(&seconds, NULL, &extents, TCPLAN_DOUBLE, &error) != TCPLAN_OK)
        fail_msg("%s", error.message);
    return seconds;
}

static void steps_are_rated_by_their_extents(void **state) {
    (void)state;
    const double seconds = seconds_of(2, 30, 40, 50);
    assert_true(seconds > 0 && isfinite(seconds));
    assert_true(seconds_of(200, 30, 40, 50) > seconds && seconds_of(2, 3000, 40, 50) > seconds &&
                seconds_of(2, 30, 4000, 50) > seconds && seconds_of(2, 30, 40, 5000) > seconds);
    assert_true(seconds_of(2, 40, 30, 50) == seconds); /* the order of the factors does not matter
                                                        */
    assert_true(seconds_of(1e300, 1e300, 1, 1) == INFINITY);
    assert_true(seconds_of(0, 30, 40, 50) < seconds);
}

/** An order that was searched with a coarse cost has no times and no algorithms, but can be
 * planned. */
static void coarse_orders_have_no_algorithms(void **state) {
    (void)state;
    struct tcplan_planner *planner = planner_with(TCPLAN_EFFORT_ESTIMATE);
    const struct tcplan_network_texts texts = {.notation = "ab,bc,cd->ad",
                                               .sizes = "a=300,b=40,c=250,d=2",
                                               .order = TCPLAN_ROW_MAJOR,
                                               .coarse = true};
    struct tcplan_network_order *order = NULL;
    struct tcplan_network_plan *plan = NULL;
    assert_int_equal(tcplan_network_order_new(&order, planner, &texts, TCPLAN_DOUBLE, NULL),
                     TCPLAN_OK);
    const struct tcplan_tree *tree = tcplan_network_order_tree(order);
    char *path = tcplan_tree_path(tree);
    assert_string_equal(path, "[(1, 2), (0, 1)]");
    free(path);
    for (int s = 0; s < tree->step_count; s++) assert_null(tree->step[s].algorithm);
    assert_true(tcplan_network_order_seconds(order) == 0);
    assert_int_equal(tcplan_network_plan_new(&plan, tree, planner, NULL), TCPLAN_OK);
    assert_non_null(tcplan_plan_algorithm(tcplan_network_plan_step(plan, 0)));
    tcplan_network_plan_free(plan);
    tcplan_network_order_free(order);
    tcplan_planner_free(planner);
}

static void extents_that_are_no_sizes_are_refused(void **state) {
    (void)state;
    static const struct tcplan_step_extents wrong[] = {
        {-1, 1, 1, 1}, {1, NAN, 1, 1}, {1, 1, -0.5, 1}, {1, 1, 1, -INFINITY}};
    struct tcplan_error error = {0};
    double seconds = 7;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        assert_int_equal(tcplan_step_seconds(&seconds, NULL, &wrong[w], TCPLAN_DOUBLE, &error),
                         TCPLAN_INVALID);
        assert_non_null(strstr(error.message, "at least 0"));
    }
    assert_int_equal(tcplan_step_seconds(NULL, NULL, wrong, TCPLAN_DOUBLE, &error), TCPLAN_INVALID);
    assert_true(seconds == 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_is_searched_or_read),
        cmocka_unit_test(steps_are_rated_by_their_extents),
        cmocka_unit_test(coarse_orders_have_no_algorithms),
        cmocka_unit_test(extents_that_are_no_sizes_are_refused),
        cmocka_unit_test(steps_that_are_to_be_timed_have_no_algorithm),
        cmocka_unit_test(steps_that_do_not_dominate_keep_their_algorithm),
        cmocka_unit_test(equal_steps_are_timed_once),
        cmocka_unit_test(a_plan_outlives_its_order_and_gives_its_steps),
        cmocka_unit_test(results_with_free_layouts_use_the_fastest),
        cmocka_unit_test(bad_texts_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
