/*
 * Tests rankings with stored plans: which plans are stored, which are found again, and how a search
 * starts from them. No time is asserted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/ranked.h"
#include "support/root_folder.h"
#include "support/run_algorithm.h"
#include "tcplan/recall.h"

static int clear_root(void **state) {
    (void)state;
    run("rm -rf %s/*");
    return 0;
}

static struct tcplan_stored_plans *open_plans(void) {
    struct tcplan_store store = {.folder = root};
    struct tcplan_stored_plans *plans = NULL;
    for (int p = 0; p < TCPLAN_FINGERPRINT_PARTS; p++)
        snprintf(store.fingerprint.part[p], TCPLAN_MACHINE_TEXT, "part %d", p);
    assert_int_equal(tcplan_stored_plans_open(&plans, &store, NULL, NULL), TCPLAN_OK);
    return plans;
}

static struct tcplan_rank_options quick_options(void) {
    struct tcplan_rank_options options = ranked_options();
    options.space = TCPLAN_SPACE_FULL;
    options.effort = TCPLAN_EFFORT_QUICK;
    options.gemm_gflops = 1.5;
    return options;
}

static size_t count_of(struct tcplan_stored_plans *plans) {
    struct tcplan_plan_list list;
    assert_int_equal(tcplan_stored_plans_list(&list, plans, NULL), TCPLAN_OK);
    const size_t count = list.count;
    tcplan_plan_list_free(&list);
    return count;
}

static void the_pick_of_a_comparison_is_found_by_the_same_product(void **state) {
    const struct tcplan_rank_options options = quick_options();
    struct ranked ranked;
    struct random_contraction renamed;
    struct tcplan_found_plan found;
    bool is_stored = false;
    (void)state;
    struct tcplan_stored_plans *plans = open_plans();
    ranked_init(&ranked, "C_xab=2*A_xiai*B_ibx-0.5*C_xab", "a=9,b=7,i=6,x=5", TCPLAN_DOUBLE,
                &options);
    assert_int_equal(tcplan_recall(&found, plans, &ranked.given.problem, &options, NULL),
                     TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, ranked.ranking, &options, NULL),
                     TCPLAN_OK);
    assert_int_equal(is_stored, ranked.ranking->compared);
    assert_true(is_stored);
    random_contraction_given(&renamed, "R[u,v,w]=3*L[u,k,v,k]*M[k,w,u]+4*R[u,v,w]",
                             "u=5,v=9,w=7,k=6", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_recall(&found, plans, &renamed.problem, &options, NULL), TCPLAN_OK);
    assert_true(tcplan_algorithm_equal(&found.algorithm,
                                       &tcplan_ranking_chosen(ranked.ranking)->algorithm));
    assert_int_equal(found.effort, TCPLAN_EFFORT_QUICK);
    run_algorithm_computes(&renamed, &found.algorithm);
    random_contraction_free(&renamed);
    ranked_free(&ranked);
    tcplan_stored_plans_close(plans);
}

static void uncompared_algorithms_are_not_stored(void **state) {
    struct tcplan_rank_options options = quick_options();
    struct ranked ranked;
    struct tcplan_ranking *single = NULL;
    bool is_stored = true;
    (void)state;
    struct tcplan_stored_plans *plans = open_plans();
    options.effort = TCPLAN_EFFORT_ESTIMATE;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_DOUBLE, &options);
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, ranked.ranking, &options, NULL),
                     TCPLAN_OK);
    assert_false(is_stored);
    options.effort = TCPLAN_EFFORT_QUICK;
    assert_int_equal(tcplan_rank_one(&single, &ranked.given.problem,
                                     &ranked.ranking->entry[0].algorithm, &options, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, single, &options, NULL), TCPLAN_OK);
    assert_false(is_stored);
    tcplan_ranking_free(single);
    ranked_free(&ranked);
    ranked_init(&ranked, "C_ab=0*A_ai*B_ib", "a=9,b=7,i=6", TCPLAN_DOUBLE,
                &options); /* nothing to multiply */
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, ranked.ranking, &options, NULL),
                     TCPLAN_OK);
    assert_false(is_stored);
    ranked_free(&ranked);
    assert_int_equal(count_of(plans), 0);
    tcplan_stored_plans_close(plans);
}

/** The first ranking stores its choice. The second one starts from it and compares it; if it had
 * not been sampled often enough, nothing would be stored. */
static void a_stored_winner_is_replaced_only_after_a_comparison_with_it(void **state) {
    struct tcplan_rank_options options = quick_options();
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct ranked ranked;
    size_t stored = 0;
    bool is_stored = false;
    (void)state;
    struct tcplan_stored_plans *plans = open_plans();
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_DOUBLE, &options);
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, ranked.ranking, &options, NULL),
                     TCPLAN_OK);
    assert_true(is_stored);
    tcplan_recall_starts(&options, start, plans, &ranked.given.problem);
    ranked_free(&ranked);
    assert_int_equal(options.stored_threads, 1);
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_DOUBLE, &options);
    struct tcplan_entry *entry = ranked.ranking->entry;
    while (stored < ranked.ranking->entry_count && !entry[stored].is_stored) stored++;
    assert_in_range(stored, 0, ranked.ranking->entry_count - 1);
    assert_true(tcplan_algorithm_equal(&entry[stored].algorithm, start));
    assert_true(entry[stored].compared);
    entry[stored].compared = false;
    assert_int_equal(tcplan_recall_keep(&is_stored, plans, ranked.ranking, &options, NULL),
                     TCPLAN_OK);
    assert_false(is_stored);
    ranked_free(&ranked);
    tcplan_stored_plans_close(plans);
}

static void a_plan_applies_only_to_its_own_setup(void **state) {
    const struct tcplan_rank_options options = quick_options();
    struct tcplan_rank_options asked;
    struct random_contraction given;
    struct tcplan_found_plan found = {
        .effort = TCPLAN_EFFORT_QUICK, .seconds = 1, .low = 1, .high = 1};
    (void)state;
    struct tcplan_stored_plans *plans = open_plans();
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&found.algorithm, given.contraction, TCPLAN_DOUBLE,
                                            "'B.c-dgemm", NULL),
                     TCPLAN_OK);
    const struct tcplan_plan_setup setup = tcplan_recall_setup(&options);
    assert_int_equal(tcplan_stored_plans_keep(plans, &given.problem, &setup, &found, NULL),
                     TCPLAN_OK);
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &options, NULL), TCPLAN_OK);
    asked = options;
    asked.effort = TCPLAN_EFFORT_ESTIMATE;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL), TCPLAN_OK);
    asked = options;
    asked.effort = TCPLAN_EFFORT_NORMAL;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL),
                     TCPLAN_NOT_APPLICABLE);
    asked = options;
    asked.max_workspace_bytes = 8;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL),
                     TCPLAN_NOT_APPLICABLE);
    asked.max_workspace_bytes = 1 << 20;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL), TCPLAN_OK);
    asked = options;
    asked.predict_all = true;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL),
                     TCPLAN_NOT_APPLICABLE);
    asked = options;
    asked.predictor = TCPLAN_PREDICT_REPEATED;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL),
                     TCPLAN_NOT_APPLICABLE);
    asked = options;
    asked.threads = 2;
    assert_int_equal(tcplan_recall(&found, plans, &given.problem, &asked, NULL),
                     TCPLAN_NOT_APPLICABLE);
    random_contraction_free(&given);
    tcplan_stored_plans_close(plans);
}

static const struct tcplan_entry *entry_of(const struct tcplan_ranking *ranking,
                                           const struct tcplan_algorithm *algorithm) {
    for (size_t e = 0; e < ranking->entry_count; e++) {
        if (tcplan_algorithm_equal(&ranking->entry[e].algorithm, algorithm))
            return &ranking->entry[e];
    }
    return NULL;
}

/** A stored algorithm for similar extents, with tiles that no search would choose. */
static const char unlikely[] = "a:3.c.a-dgemv";

static void a_search_evaluates_where_it_starts(void **state) {
    struct tcplan_rank_options options = quick_options();
    struct random_contraction given, near;
    struct tcplan_found_plan plan = {
        .effort = TCPLAN_EFFORT_QUICK, .seconds = 1, .low = 1, .high = 1};
    struct tcplan_algorithm start[TCPLAN_RECALL_STARTS];
    struct tcplan_ranking *ranking = NULL;
    (void)state;
    struct tcplan_stored_plans *plans = open_plans();
    random_contraction_given(&near, "C_abc=A_ai*B_ibc", "a=12,b=7,c=5,i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=15,b=8,c=5,i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(
        tcplan_algorithm_parse(&plan.algorithm, near.contraction, TCPLAN_DOUBLE, unlikely, NULL),
        TCPLAN_OK);
    const struct tcplan_plan_setup setup = tcplan_recall_setup(&options);
    tcplan_recall_starts(&options, start, plans, &given.problem);
    assert_int_equal(options.start_count, 0);
    assert_int_equal(tcplan_stored_plans_keep(plans, &near.problem, &setup, &plan, NULL),
                     TCPLAN_OK);
    tcplan_recall_starts(&options, start, plans, &given.problem);
    assert_int_equal(options.start_count, 1);
    assert_int_equal(options.stored_threads, 0);
    assert_int_equal(tcplan_rank(&ranking, &given.problem, &options, NULL), TCPLAN_OK);
    const struct tcplan_entry *entry = entry_of(ranking, &plan.algorithm);
    assert_non_null(entry);
    assert_int_not_equal(entry->status, TCPLAN_ENTRY_OPEN);
    run_algorithm_computes(&given, &ranking->entry[0].algorithm);
    tcplan_ranking_free(ranking);
    random_contraction_free(&given);
    random_contraction_free(&near);
    tcplan_stored_plans_close(plans);
}

static void invalid_starts_are_left_out(void **state) {
    struct tcplan_rank_options options = quick_options();
    struct random_contraction given;
    struct ranked ranked;
    struct tcplan_algorithm start[2] = {tcplan_algorithm_empty(), tcplan_algorithm_empty()};
    (void)state;
    random_contraction_given(&given, "C_abcd=A_dcij*B_jabi", "a=b=c=d=5,i=3,j=4",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&start[0], given.contraction, TCPLAN_DOUBLE,
                                            "abd-dgemv", NULL) == TCPLAN_OK,
                     false);
    start[1].group[TCPLAN_M] = 1; /* makes the second start invalid */
    options.start = start;
    options.start_count = 2;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    ranked_free(&ranked);
    options.space = TCPLAN_SPACE_BLAS;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    ranked_free(&ranked);
    random_contraction_free(&given);
}

static void a_ranking_that_starts_somewhere_lists_everything_once(void **state) {
    struct tcplan_rank_options options = quick_options();
    struct ranked first, again;
    (void)state;
    for (int space = TCPLAN_SPACE_FULL; space <= TCPLAN_SPACE_BLAS; space++) {
        options.space = (enum tcplan_space)space;
        options.start_count = 0;
        ranked_init(&first, "C_abc=A_ai*B_ibc", "a=40,b=12,c=9,i=8", TCPLAN_DOUBLE, &options);
        const struct tcplan_algorithm start = first.ranking->entry[0].algorithm;
        options.start = &start;
        options.start_count = 1;
        ranked_init(&again, "C_abc=A_ai*B_ibc", "a=40,b=12,c=9,i=8", TCPLAN_DOUBLE, &options);
        ranked_check(&again);
        assert_non_null(entry_of(again.ranking, &start));
        ranked_free(&first);
        ranked_free(&again);
    }
}

/** Makes an entry of an algorithm that takes so many seconds, within a quarter. */
static struct tcplan_entry timed(const struct random_contraction *given, const char *name,
                                 double seconds, bool picked) {
    struct tcplan_entry entry = {.threads = 1, .predicted = true, .picked = picked};
    entry.prediction =
        (struct tcplan_estimate){.seconds = seconds, .low = 0.75 * seconds, .high = 1.25 * seconds};
    assert_int_equal(
        tcplan_algorithm_parse(&entry.algorithm, given->contraction, TCPLAN_DOUBLE, name, NULL),
        TCPLAN_OK);
    return entry;
}

static void a_stored_plan_becomes_the_choice_with_its_stored_time(void **state) {
    struct random_contraction given;
    (void)state;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=9,b=7,c=5,i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    struct tcplan_entry entry[] = {
        timed(&given, "c-dgemm", 4, true), timed(&given, "dgemm", 6, false), {.threads = 1}};
    struct tcplan_ranking ranking = {.entry = entry, .entry_count = 3};
    struct tcplan_found_plan plan = {
        .algorithm = entry[0].algorithm, .threads = 1, .seconds = 2, .low = 1.9, .high = 2.2};
    assert_true(tcplan_recall_restore(&ranking, &plan) == 4);
    assert_true(entry[0].prediction.seconds == 2 && entry[0].prediction.low == 1.9 &&
                entry[0].prediction.high == 2.2);
    assert_true(entry[1].prediction.seconds == 3 && entry[1].prediction.low == 2.25);
    plan.threads = 2; /* another plan */
    assert_true(tcplan_recall_restore(&ranking, &plan) == 0);
    plan.threads = 1;
    entry[0].picked = false; /* another algorithm was faster */
    entry[1].picked = true;
    assert_true(tcplan_recall_restore(&ranking, &plan) == 2);
    assert_true(entry[0].picked && !entry[1].picked);
    assert_true(entry[0].prediction.seconds == 2 && entry[1].prediction.seconds == 3);
    entry[0].predicted = false;
    assert_true(tcplan_recall_restore(&ranking, &plan) == 0);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_pick_of_a_comparison_is_found_by_the_same_product, clear_root),
        cmocka_unit_test_setup(uncompared_algorithms_are_not_stored, clear_root),
        cmocka_unit_test_setup(a_stored_winner_is_replaced_only_after_a_comparison_with_it,
                               clear_root),
        cmocka_unit_test_setup(a_plan_applies_only_to_its_own_setup, clear_root),
        cmocka_unit_test_setup(a_search_evaluates_where_it_starts, clear_root),
        cmocka_unit_test(a_stored_plan_becomes_the_choice_with_its_stored_time),
        cmocka_unit_test_setup(invalid_starts_are_left_out, clear_root),
        cmocka_unit_test_setup(a_ranking_that_starts_somewhere_lists_everything_once, clear_root),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
