/*
 * Tests ranking, counting, listing and explaining in the full space. Results of winners are
 * checked; no time is asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/ranked.h"
#include "support/run_algorithm.h"
#include "tcplan/unstable.h"

enum { WORKSPACE_BYTES = 600, FEW_BYTES = 8 };

static struct tcplan_rank_options full_options(void) {
    struct tcplan_rank_options options = ranked_options();
    options.space = TCPLAN_SPACE_FULL;
    options.effort = TCPLAN_EFFORT_QUICK;
    options.gemm_gflops = 1.5;
    return options;
}

/* Contractions with all features: copies, diagonals, batch indices, a scalar, extents of 1, no
 * contracted index, eight indices. */
static const char *const subjects[][2] = {{"C_abc=A_ai*B_ibc", "a=40,b=12,c=9,i=8"},
                                          {"C_xab=2*A_xiai*B_ibx-0.5*C_xab", "a=9,b=7,i=6,x=5"},
                                          {"C=A_ij*B_ji", "i=9,j=7"},
                                          {"C_ab=A_a*B_b", "a=1,b=1"},
                                          {"C_z+=A_z*B_z", "z=33"},
                                          {"C_abcd=A_dcij*B_jabi", "a=b=c=d=5,i=3,j=4"},
                                          {"C_abcdef=A_agbh*B_cdgefh", "a=b=c=d=e=f=2,g=3,h=4"}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static int64_t workspace_of(const struct tcplan_problem *problem,
                            const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    assert_int_equal(tcplan_nest_build(&nest, problem->contraction, algorithm, NULL), TCPLAN_OK);
    const int64_t bytes = tcplan_nest_workspace_bytes(nest, problem, 1);
    tcplan_nest_free(nest);
    return bytes;
}

/* Ranking. */

static void all_that_is_ranked_is_counted_once_and_computes_its_contraction(void **state) {
    (void)state;
    for (int s = 0; s < SUBJECTS; s++) {
        const struct tcplan_rank_options options = full_options();
        struct ranked ranked;
        ranked_init(&ranked, subjects[s][0], subjects[s][1], (enum tcplan_dtype)(s % 4), &options);
        ranked_check(&ranked);
        for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
            assert_int_not_equal(ranked.ranking->entry[e].status, TCPLAN_ENTRY_NOT_APPLICABLE);
            run_algorithm_computes(&ranked.given, &ranked.ranking->entry[e].algorithm);
        }
        ranked_free(&ranked);
    }
}

static void the_default_is_the_full_space(void **state) {
    (void)state;
    struct ranked ranked;
    assert_int_equal(tcplan_rank_defaults().space, TCPLAN_SPACE_FULL);
    ranked_init(&ranked, subjects[0][0], subjects[0][1], TCPLAN_DOUBLE, NULL);
    ranked_check(&ranked);
    assert_true(ranked.ranking->candidate_count > 0);
    ranked_free(&ranked);
}

static void ranking_again_counts_candidates_once(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct ranked ranked;
    ranked_init(&ranked, subjects[0][0], subjects[0][1], TCPLAN_DOUBLE, &options);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
        ranked_check(&ranked);
    }
    options.space = TCPLAN_SPACE_BLAS;
    assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
    ranked_check(&ranked);
    assert_true(ranked.ranking->candidate_count == 0);
    ranked_free(&ranked);
}

static void every_algorithm_may_be_asked_for_in_the_blas_space_only(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct ranked ranked;
    options.predict_all = true;
    ranked_init(&ranked, subjects[0][0], subjects[0][1], TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_true(ranked.ranking->lists_all && ranked.ranking->candidate_count == 0);
    ranked_free(&ranked);
}

static void a_name_finds_the_ranked_algorithm(void **state) {
    (void)state;
    const struct tcplan_rank_options options = full_options();
    struct ranked ranked;
    ranked_init(&ranked, subjects[5][0], subjects[5][1], TCPLAN_FLOAT, &options);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const struct tcplan_contraction *contraction = ranked.given.contraction;
        struct tcplan_algorithm algorithm;
        char *name =
            tcplan_algorithm_name(&ranked.ranking->entry[e].algorithm, contraction, TCPLAN_FLOAT);
        assert_int_equal(tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_FLOAT, name, NULL),
                         TCPLAN_OK);
        char *again = tcplan_algorithm_name(&algorithm, contraction, TCPLAN_FLOAT);
        assert_string_equal(again, name);
        free(again);
        free(name);
    }
    ranked_free(&ranked);
}

/* The baseline. */

/** Products whose baselines take less than a millisecond. */
static void a_short_baseline_is_compared_with_the_choice(void **state) {
    (void)state;
    for (int s = 0; s < SUBJECTS; s++) {
        const struct tcplan_rank_options options = full_options();
        struct ranked ranked;
        ranked_init(&ranked, subjects[s][0], subjects[s][1], (enum tcplan_dtype)(s % 4), &options);
        const struct tcplan_entry *baseline = tcplan_ranking_baseline(ranked.ranking);
        assert_non_null(baseline);
        assert_true(ranked.ranking->compared && baseline->compared);
        ranked_free(&ranked);
    }
}

/** Without time, the answer has the lowest estimate, if it is clearly below that of the baseline;
 * otherwise it is the baseline. */
static void without_time_an_estimate_is_the_answer(void **state) {
    (void)state;
    for (int s = 0; s < SUBJECTS; s++) {
        struct tcplan_rank_options options = full_options();
        struct ranked ranked;
        options.time_limit_seconds = 1e-9;
        options.gemm_gflops = 1;
        ranked_init(&ranked, subjects[s][0], subjects[s][1], TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        const struct tcplan_entry *answer = tcplan_ranking_chosen(ranked.ranking);
        const struct tcplan_entry *baseline = tcplan_ranking_baseline(ranked.ranking);
        assert_true(answer->picked && answer->missed && !ranked.ranking->compared);
        assert_int_equal(answer->basis, TCPLAN_BASIS_ESTIMATE);
        assert_int_equal(baseline->basis, TCPLAN_BASIS_ESTIMATE);
        size_t told = 0;
        for (size_t e = 0; e < ranked.ranking->entry_count; e++)
            told += ranked.ranking->entry[e].predicted;
        assert_in_range(told, 1,
                        2); /* reported: the answer, and the baseline if it is another one */
        ranked_free(&ranked);
    }
}

/* Workspace. */

static void a_bound_on_workspace_holds_for_all_that_is_ranked(void **state) {
    (void)state;
    for (int space = TCPLAN_SPACE_FULL; space <= TCPLAN_SPACE_BLAS; space++) {
        struct tcplan_rank_options options = full_options();
        struct ranked ranked;
        options.space = (enum tcplan_space)space;
        options.effort = TCPLAN_EFFORT_THOROUGH; /* this effort evaluates algorithms with
                                                    temporaries, except on slow machines */
        options.max_workspace_bytes = WORKSPACE_BYTES;
        ranked_init(&ranked, subjects[5][0], subjects[5][1], TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        for (size_t e = 0; e < ranked.ranking->entry_count; e++)
            assert_true(workspace_of(&ranked.given.problem, &ranked.ranking->entry[e].algorithm) <=
                        WORKSPACE_BYTES);
        ranked_free(&ranked);
        options.effort = TCPLAN_EFFORT_QUICK;
        options.max_workspace_bytes = FEW_BYTES;
        ranked_init(&ranked, subjects[5][0], subjects[5][1], TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_true(ranked.ranking->oversized_count > 0);
        ranked_free(&ranked);
    }
}

static void a_single_algorithm_beyond_the_bound_is_refused(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct ranked ranked = {0};
    random_contraction_given(&ranked.given, subjects[0][0], subjects[0][1], TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, ranked.given.contraction, TCPLAN_DOUBLE,
                                            "a:8'C.a-dgemm", &error),
                     TCPLAN_OK);
    options.max_workspace_bytes = 6911;
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_INVALID);
    assert_string_equal(
        error.message,
        "the algorithm's temporaries take 6912 bytes, more than the 6911 allowed"); /* 8 x 12 x 9
                                                                                       doubles */
    options.max_workspace_bytes++;
    assert_int_equal(
        tcplan_rank_one(&ranked.ranking, &ranked.given.problem, &algorithm, &options, &error),
        TCPLAN_OK);
    ranked_free(&ranked);
}

/* Listing. */

static void check_list(const struct tcplan_candidate_list *list,
                       const struct random_contraction *given) {
    char **name = calloc(list->count + 1, sizeof *name);
    assert_non_null(name);
    assert_true(list->generated == (double)list->count + list->removed + list->oversized);
    for (size_t c = 0; c < list->count; c++) {
        const struct tcplan_candidate *candidate = &list->candidate[c];
        name[c] =
            tcplan_algorithm_name(&candidate->algorithm, given->contraction, given->problem.dtype);
        assert_true(isfinite(candidate->seconds) && candidate->calls >= 1);
        if (c > 0) assert_true(candidate[-1].seconds <= candidate->seconds);
        for (size_t other = 0; other < c; other++) assert_string_not_equal(name[other], name[c]);
    }
    for (size_t c = 0; c < list->count; c++) free(name[c]);
    free(name);
}

static void candidates_are_listed_once_in_order_and_counted(void **state) {
    (void)state;
    for (int s = 0; s < 2 * SUBJECTS; s++) {
        struct tcplan_rank_options options = full_options();
        options.threads = s < SUBJECTS ? 1 : 2;
        struct tcplan_candidate_list *list = NULL;
        struct random_contraction given;
        random_contraction_given(&given, subjects[s % SUBJECTS][0], subjects[s % SUBJECTS][1],
                                 TCPLAN_ROW_MAJOR, (enum tcplan_dtype)(s % 4));
        assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
        check_list(list, &given);
        tcplan_candidate_list_free(list);
        random_contraction_free(&given);
    }
}

static void a_bound_on_workspace_leaves_smaller_ones_in_the_list(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    int64_t largest = 0;
    options.max_workspace_bytes = WORKSPACE_BYTES;
    random_contraction_given(&given, subjects[5][0], subjects[5][1], TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    for (size_t c = 0; c < list->count; c++) {
        const int64_t bytes = workspace_of(&given.problem, &list->candidate[c].algorithm);
        largest = bytes > largest ? bytes : largest;
    }
    assert_true(largest > 0 && largest <= WORKSPACE_BYTES && list->oversized > 0);
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
}

static void listed_candidates_compute_their_contraction(void **state) {
    (void)state;
    const struct tcplan_rank_options options = full_options();
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    random_contraction_given(&given, subjects[5][0], subjects[5][1], TCPLAN_ROW_MAJOR,
                             TCPLAN_DOUBLE_COMPLEX);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    assert_true(list->count > 1);
    for (size_t c = 0; c < list->count; c++)
        run_algorithm_computes(&given, &list->candidate[c].algorithm);
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
}

/** Returns whether the candidates include a kernel of this class with this many indices. */
static bool lists(const char *contraction, const char *sizes, enum tcplan_kernel kernel,
                  int indices) {
    const struct tcplan_rank_options options = full_options();
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    bool found = false;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    for (size_t c = 0; c < list->count; c++) {
        const struct tcplan_algorithm *algorithm = &list->candidate[c].algorithm;
        found = found || (algorithm->kernel == kernel &&
                          __builtin_popcountll(algorithm->group[TCPLAN_H]) == indices);
    }
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
    return found;
}

static void element_wise_products_are_candidates_wherever_there_are_batch_indices(void **state) {
    (void)state;
    assert_true(lists("C_ab=A_ab*B_ab", "a=b=40", TCPLAN_MUL, 2));
    assert_true(lists("C_abc=A_abc*B_abc", "a=b=c=12", TCPLAN_MUL, 3));
    assert_true(lists("C_ab=A_ab*B_ba", "a=b=40", TCPLAN_MUL, 2));
    assert_true(lists("C_ab=A_ab*B_ba", "a=b=100", TCPLAN_MUL, 1));
    assert_true(lists("C_iab=A_ia*B_ib", "a=b=12,i=40", TCPLAN_MUL, 1));
    assert_true(lists("C_ib=A_ijb*B_ijb", "b=12,i=40,j=3", TCPLAN_MUL, 2));
    assert_false(lists("C_ab=A_ai*B_ib", "a=b=12,i=40", TCPLAN_MUL, 0));
}

static void listing_respects_the_workspace(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    options.max_workspace_bytes = WORKSPACE_BYTES;
    random_contraction_given(&given, subjects[5][0], subjects[5][1], TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    check_list(list, &given);
    assert_true(list->oversized > 0);
    for (size_t c = 0; c < list->count; c++)
        assert_true(workspace_of(&given.problem, &list->candidate[c].algorithm) <= WORKSPACE_BYTES);
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
}

/* Explaining. */

static void a_loser_that_was_not_evaluated_is_explained(void **state) {
    (void)state;
    const struct tcplan_rank_options options = full_options();
    struct tcplan_explanation *explanation = NULL;
    struct tcplan_error error = {0};
    struct tcplan_algorithm algorithm;
    struct ranked ranked;
    ranked_init(&ranked, subjects[0][0], subjects[0][1], TCPLAN_DOUBLE, &options);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, ranked.given.contraction, TCPLAN_DOUBLE,
                                            "c'Bt.a-dgemm", &error),
                     TCPLAN_OK);
    if (tcplan_explain(&explanation, ranked.ranking, &algorithm, &options, &error))
        fail_msg("%s", error.message);
    const struct tcplan_explained *loser = &explanation->side[TCPLAN_LOSER];
    assert_int_equal(explanation->side_count, 2);
    assert_int_equal(loser->place, ranked.ranking->entry_count);
    assert_true(loser->pruned && !loser->tied && loser->prediction.seconds > 0);
    assert_int_equal(loser->copy_count, 1);
    double sum = 0;
    for (int part = 0; part < TCPLAN_PARTS; part++) sum += loser->part_seconds[part];
    assert_true(fabs(sum - loser->prediction.seconds) <= 1e-9 * loser->prediction.seconds);
    tcplan_explanation_free(explanation);
    ranked_free(&ranked);
}

/** A has 12 GB, and one call may access 3 GB of it: more than libxsmm's code can address, and more
 * than fits in memory. */
static void tensors_of_many_gigabytes_are_ranked(void **state) {
    (void)state;
    const struct tcplan_rank_options options = full_options();
    struct ranked ranked;
    ranked_init(&ranked, "C_abc=A_aic*B_ib", "a=6000000,i=64,b=32,c=4", TCPLAN_DOUBLE, &options);
    assert_true(ranked.ranking->entry[0].predicted);
    ranked_free(&ranked);
}

static void lines_shorter_than_an_element_do_no_harm(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct tcplan_machine machine = *options.machine;
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    machine.line_bytes = 8;
    options.machine = &machine;
    random_contraction_given(&given, subjects[0][0], subjects[0][1], TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE_COMPLEX);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    assert_true(list->count > 0);
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
}

static void a_listing_at_its_time_limit_reports_it(void **state) {
    (void)state;
    struct tcplan_rank_options options = full_options();
    struct tcplan_candidate_list *list = NULL;
    struct random_contraction given;
    options.time_limit_seconds = 1e-9;
    random_contraction_given(&given, subjects[0][0], subjects[0][1], TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_candidates_list(&list, &given.problem, &options, NULL), TCPLAN_OK);
    assert_true(list->out_of_time && list->generated > 0);
    tcplan_candidate_list_free(list);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_is_ranked_is_counted_once_and_computes_its_contraction),
        cmocka_unit_test(the_default_is_the_full_space),
        cmocka_unit_test(ranking_again_counts_candidates_once),
        cmocka_unit_test(every_algorithm_may_be_asked_for_in_the_blas_space_only),
        cmocka_unit_test(a_name_finds_the_ranked_algorithm),
        cmocka_unit_test(a_short_baseline_is_compared_with_the_choice),
        cmocka_unit_test(without_time_an_estimate_is_the_answer),
        cmocka_unit_test(a_bound_on_workspace_holds_for_all_that_is_ranked),
        cmocka_unit_test(a_single_algorithm_beyond_the_bound_is_refused),
        cmocka_unit_test(candidates_are_listed_once_in_order_and_counted),
        cmocka_unit_test(a_bound_on_workspace_leaves_smaller_ones_in_the_list),
        cmocka_unit_test(listed_candidates_compute_their_contraction),
        cmocka_unit_test(element_wise_products_are_candidates_wherever_there_are_batch_indices),
        cmocka_unit_test(listing_respects_the_workspace),
        cmocka_unit_test(a_loser_that_was_not_evaluated_is_explained),
        cmocka_unit_test(tensors_of_many_gigabytes_are_ranked),
        cmocka_unit_test(lines_shorter_than_an_element_do_no_harm),
        cmocka_unit_test(a_listing_at_its_time_limit_reports_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
