/*
 * Tests which candidates the search evaluates and which it prunes, and how it reports both, for
 * each effort and time limit. No time is asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "gen/space/enumerate.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "plan/effort.h"
#include "plan/predictor.h"
#include "support/ranked.h"
#include "support/run_algorithm.h"

/* A time limit that has passed at the first check. */
#define NO_TIME_SECONDS 1e-9
#define LISTED "C_abc=A_ija*B_jbic"
#define LISTED_SIZES "a=b=c=5,i=j=3"
#define UNLISTED "C_abcdef=A_abcijk*B_ijkdef" /* 518400 algorithms */
#define UNLISTED_SIZES "a=b=c=d=e=f=i=j=k=2"

static const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL,
                                             TCPLAN_EFFORT_THOROUGH};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

/* Efforts. */

static void more_effort_evaluates_more(void **state) {
    (void)state;
    for (int e = 1; e < EFFORTS; e++) {
        const struct effort *less = effort_of(efforts[e - 1]), *more = effort_of(efforts[e]);
        assert_true(less->samples <= more->samples &&
                    less->most_evaluations <= more->most_evaluations);
        assert_true(less->worth > more->worth);
        assert_true(less->rounds <= more->rounds && less->rounds > 0);
        assert_true(less->generating.least_seconds > 0 &&
                    less->generating.least_seconds <= more->generating.least_seconds);
        assert_true(less->generating.runs > 0 && less->generating.runs <= more->generating.runs);
    }
}

static void every_effort_ranks_the_same_space(void **state) {
    (void)state;
    for (int cache = TCPLAN_CACHE_WARM; cache <= TCPLAN_CACHE_COLD; cache++) {
        for (int e = 0; e < EFFORTS; e++) {
            struct tcplan_rank_options options = ranked_search_options(efforts[e]);
            struct ranked ranked;
            options.cache = (enum tcplan_cache_state)cache;
            ranked_init(&ranked, "C_xab=2*A_xiai*B_ibx-0.5*C_xab", "a=9,b=7,i=6,x=5", TCPLAN_DOUBLE,
                        &options);
            ranked_check(&ranked);
            assert_true(ranked.ranking->lists_all);
            assert_false(ranked.ranking->out_of_time);
            ranked_free(&ranked);
        }
    }
}

/** 120 loop orders of one structure; no run is so long that it is stopped. */
static void the_effort_bounds_the_evaluations(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++) {
        struct tcplan_rank_options options = ranked_search_options(efforts[e]);
        struct ranked ranked;
        options.cache = TCPLAN_CACHE_COLD;
        ranked_init(&ranked, "C_abcde=A_edcba*B_abcde", "a=b=c=d=e=2", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        const size_t looks = ranked_predicted_count(ranked.ranking);
        const size_t most = efforts[e] == TCPLAN_EFFORT_THOROUGH
                                ? 120
                                : (size_t)effort_of(efforts[e])->most_evaluations;
        assert_in_range(looks, 1, most);
        assert_true(ranked.ranking->open_count + ranked.ranking->pruned_count ==
                    120 - (double)looks);
        ranked_free(&ranked);
    }
}

/** With pruning disabled, every algorithm is predicted, with and without windows. */
static void all_are_predicted_on_request(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++) {
        struct tcplan_rank_options options = ranked_search_options(efforts[e]);
        struct ranked ranked;
        options.predict_all = true;
        ranked_init(&ranked, "C_abcde=A_edcba*B_abcde", "a=b=c=d=e=2", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(ranked_predicted_count(ranked.ranking), 120);
        ranked_free(&ranked);
    }
}

static void a_large_space_is_searched_and_counted(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    ranked_init(&ranked, UNLISTED, UNLISTED_SIZES, TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_false(ranked.ranking->lists_all);
    assert_true(ranked.ranking->algorithm_count == 518400);
    assert_in_range(ranked.ranking->entry_count, 1,
                    effort_of(TCPLAN_EFFORT_QUICK)->most_evaluations);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_OPEN),
                     0); /* only evaluated algorithms have entries */
    ranked_free(&ranked);
}

static void the_winner_of_a_contraction_of_twelve_indices_computes_it(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    ranked_init(&ranked, "C_abcdefgh=A_abcdijkl*B_lkjiefgh", "a=b=c=d=e=f=g=h=2,i=j=k=l=2",
                TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_true(ranked.ranking->algorithm_count > 6e8);
    assert_true(ranked.ranking->entry_count < 2000);
    run_algorithm_computes(&ranked.given, &tcplan_ranking_chosen(ranked.ranking)->algorithm);
    ranked_free(&ranked);
}

static void a_large_space_is_ranked_again(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct tcplan_error error = {0};
    struct ranked ranked;
    options.time_limit_seconds = NO_TIME_SECONDS;
    ranked_init(&ranked, UNLISTED, UNLISTED_SIZES, TCPLAN_DOUBLE, &options);
    assert_int_equal(ranked.ranking->entry_count, 1);
    options.time_limit_seconds = 0;
    for (int again = 0; again < 2; again++) {
        if (tcplan_ranking_predict(ranked.ranking, &options, &error)) fail_msg("%s", error.message);
        ranked_check(&ranked);
        assert_int_not_equal(tcplan_ranking_chosen(ranked.ranking)->basis, TCPLAN_BASIS_ESTIMATE);
        assert_false(ranked.ranking->out_of_time);
    }
    ranked_free(&ranked);
}

static void all_of_a_large_space_is_refused_again_and_the_ranking_stays(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.time_limit_seconds = NO_TIME_SECONDS;
    ranked_init(&ranked, UNLISTED, UNLISTED_SIZES, TCPLAN_DOUBLE, &options);
    for (int predictor = TCPLAN_PREDICT_WINDOW; predictor <= TCPLAN_PREDICT_REPEATED; predictor++) {
        struct tcplan_error error = {0};
        options.predictor = (enum tcplan_predictor)predictor;
        options.predict_all = predictor == TCPLAN_PREDICT_WINDOW;
        assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, &error), TCPLAN_OVERFLOW);
        assert_non_null(strstr(
            error.message, "518400 algorithms are too many to predict all of them (limit: 20000)"));
        ranked_check(&ranked);
    }
    ranked_free(&ranked);
}

/* Time. */

static void without_time_one_algorithm_is_predicted_and_the_rest_left_open(void **state) {
    (void)state;
    static const char *const given[][2] = {
        {LISTED, LISTED_SIZES}, {UNLISTED, UNLISTED_SIZES}, {"C=A_i*B_i", "i=9"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        for (int e = 0; e < EFFORTS; e++) {
            struct tcplan_rank_options options = ranked_search_options(efforts[e]);
            struct ranked ranked;
            options.time_limit_seconds = NO_TIME_SECONDS;
            ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
            ranked_check(&ranked);
            assert_true(ranked.ranking->out_of_time);
            assert_int_equal(ranked_predicted_count(ranked.ranking), 1);
            assert_true(ranked.ranking->open_count == ranked.ranking->algorithm_count - 1);
            ranked_free(&ranked);
        }
    }
}

/** Without time, the answer is a loop order of the kernels with the most work per call. */
static void without_time_the_most_promising_order_of_the_largest_kernel_is_the_answer(
    void **state) {
    (void)state;
    static const char *const given[][2] = {{UNLISTED, UNLISTED_SIZES},
                                           {"C_abcd=A_dcba*B_bdac", "a=20,b=3,c=9,d=40"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.time_limit_seconds = NO_TIME_SECONDS;
        ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
        const struct tcplan_entry *answer = tcplan_ranking_chosen(ranked.ranking);
        size_t count;
        struct tcplan_algorithm *structure =
            enumerator_structures(ranked.given.contraction, &count);
        assert_non_null(structure);
        assert_memory_equal(answer->algorithm.group, structure[count - 1].group,
                            sizeof answer->algorithm.group);
        base_free(structure);
        ranked_free(&ranked);
    }
}

static void every_predictor_keeps_the_time_limit(void **state) {
    (void)state;
    static const enum tcplan_predictor predictors[] = {TCPLAN_PREDICT_WINDOW, TCPLAN_PREDICT_THESIS,
                                                       TCPLAN_PREDICT_REPEATED};
    for (size_t p = 0; p < sizeof predictors / sizeof *predictors; p++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.predictor = predictors[p];
        options.predict_all = true;
        options.time_limit_seconds = NO_TIME_SECONDS;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_true(ranked.ranking->out_of_time);
        assert_int_equal(ranked_predicted_count(ranked.ranking), 1);
        ranked_free(&ranked);
    }
}

static void without_time_an_algorithm_that_applies_is_found(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.time_limit_seconds = NO_TIME_SECONDS;
    ranked_init(&ranked, "C_abc=A_ai*B_icb", "a=2,b=1073741824,c=2,i=2", TCPLAN_FLOAT,
                &options); /* the first gemm in the order of heuristic costs is not applicable */
    ranked_check(&ranked);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_NOT_APPLICABLE), 1);
    assert_int_equal(ranked_predicted_count(ranked.ranking), 1);
    ranked_free(&ranked);
}

static void an_interrupted_search_reports_it(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_THOROUGH);
    struct ranked ranked;
    options.time_limit_seconds = 0.05;
    ranked_init(&ranked, UNLISTED, "a=b=c=d=e=f=i=j=k=8", TCPLAN_DOUBLE,
                &options); /* the limit is short: the comparison alone would take 120 runs of 0.3
                              GFLOP */
    ranked_check(&ranked);
    assert_true(ranked.ranking->out_of_time);
    assert_true(ranked.ranking->open_count > 0);
    ranked_free(&ranked);
}

static void nothing_is_compiled_that_the_time_limit_has_no_room_for(void **state) {
    (void)state;
    const struct tcplan_store code = {.folder = "/proc/no/such/folder"}; /* a store that cannot be
                                                                            written */
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    const int compiled_before = tcplan_code_account().compiled;
    options.code = &code;
    options.space = TCPLAN_SPACE_FULL;
    options.time_limit_seconds = 0.1;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=b=c=i=200", TCPLAN_DOUBLE,
                &options); /* the limit prevents compiling four kernels */
    ranked_check(&ranked);
    const double least_seconds = provider_compile_seconds(TCPLAN_PROVIDER_EMITTED);
    assert_true(tcplan_code_account().compiled == compiled_before ||
                least_seconds < 0.5 * options.time_limit_seconds);
    ranked_free(&ranked);
}

static void the_reason_that_an_algorithm_cannot_run_is_reported(void **state) {
    (void)state;
    const struct compiler fails = {.path = "/bin/false", .name = "cc", .limit_seconds = 20};
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error;
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=b=c=i=6", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE,
                                            "c-dgemm@emitted'1x4", &error),
                     TCPLAN_OK);
    emitted_set_compiler(&fails);
    assert_int_equal(tcplan_rank_one(&ranking, &given.problem, &algorithm, &options, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_non_null(strstr(error.message, "/bin/false failed"));
    emitted_set_compiler(NULL);
    random_contraction_free(&given);
}

/* Additional reports. */

static void disturbances_of_the_search_are_reported(void **state) {
    (void)state;
    for (int cache = TCPLAN_CACHE_WARM; cache <= TCPLAN_CACHE_COLD; cache++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.cache = (enum tcplan_cache_state)cache;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        const struct tcplan_load *load = &ranked.ranking->load;
        assert_true(load->windows >= (int64_t)ranked_predicted_count(ranked.ranking));
        assert_in_range(load->disturbed, 0, load->windows);
        assert_true(load->lost_share >= 0 && load->lost_share < 1);
        const int64_t windows = load->windows;
        options.time_limit_seconds = NO_TIME_SECONDS;
        assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
        assert_in_range(load->windows, 0, windows - 1); /* counts the windows of this search only */
        ranked_free(&ranked);
    }
}

static void the_speed_of_gemm_is_known_measured_or_left_out(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.gemm_gflops = 12.5;
    ranked_init(&ranked, "C=A_i*B_i", "i=9", TCPLAN_FLOAT, &options);
    assert_true(ranked.ranking->gemm_gflops == 12.5);
    ranked_free(&ranked);
    options.gemm_gflops = -1;
    ranked_init(&ranked, "C=A_i*B_i", "i=9", TCPLAN_FLOAT, &options);
    assert_true(ranked.ranking->gemm_gflops == 0);
    options.gemm_gflops = 0;
    assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
    assert_true(isfinite(ranked.ranking->gemm_gflops) && ranked.ranking->gemm_gflops > 0);
    ranked_free(&ranked);
}

/* 38 contracted indices have 2^38 subsets. */
#define MANY_INDICES                                                                               \
    "i0,i1,i2,i3,i4,i5,i6,i7,i8,i9,j0,j1,j2,j3,j4,j5,j6,j7,j8,j9,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,l0,l1,l2,l3,l4,l5,l6,l7"

static void many_contracted_indices_are_planned(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.space = TCPLAN_SPACE_FULL;
    options.time_limit_seconds = 0.02;
    ranked_init(
        &ranked, "C[a,b]=A[a," MANY_INDICES "]*B[" MANY_INDICES ",b]",
        "a=b=i0=i1=j0=j1=2,i2=i3=i4=i5=i6=i7=i8=i9=j2=j3=j4=j5=j6=j7=j8=j9=k0=k1=k2=k3=k4=k5=k6=k7=k8=k9=l0=l1=l2=l3=l4=l5=l6=l7=1",
        TCPLAN_DOUBLE, &options);
    assert_true(ranked.ranking->entry[0].predicted);
    ranked_free(&ranked);
}

/** Choices of estimates and searches for all types, with alpha and beta, conjugates and strides. */
static void products_of_many_small_indices_are_computed(void **state) {
    enum { PRODUCTS = 24 };
    (void)state;
    struct random_contraction_options drawn = random_contraction_defaults();
    drawn.max_rank = 4;
    drawn.max_parts = 4;
    for (uint64_t seed = 1; seed <= PRODUCTS; seed++) {
        struct tcplan_rank_options options =
            ranked_search_options(seed % 4 == 0 ? TCPLAN_EFFORT_QUICK : TCPLAN_EFFORT_ESTIMATE);
        struct random_contraction given;
        struct tcplan_ranking *ranking = NULL;
        struct tcplan_error error = {0};
        options.space = TCPLAN_SPACE_FULL;
        options.time_limit_seconds = 0.05;
        random_contraction_init(&given, seed, &drawn);
        if (tcplan_rank(&ranking, &given.problem, &options, &error) != TCPLAN_OK)
            fail_msg("%s: %s", random_contraction_describe(&given), error.message);
        for (size_t e = 0; e < ranking->entry_count && e < 5; e++) {
            if (ranking->entry[e].predicted)
                run_algorithm_computes(&given, &ranking->entry[e].algorithm);
        }
        tcplan_ranking_free(ranking);
        random_contraction_free(&given);
    }
}

/** Returns whether this many bytes of address space can be reserved: emulators provide less. */
static bool has_addresses(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    munmap(memory, bytes);
    return true;
}

static void calls_that_cannot_be_counted_are_as_many_as_can(void **state) {
    (void)state;
    if (!has_addresses((size_t)50 << 40)) skip();
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.time_limit_seconds = NO_TIME_SECONDS;
    ranked_init(&ranked, "C_abc=A_ai*B_ibc", "a=2097152,b=1,c=2097152,i=2097152", TCPLAN_FLOAT,
                &options);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++)
        assert_true(ranked.ranking->entry[e].calls > 0);
    ranked_free(&ranked);
}

static void invalid_algorithms_are_not_ranked(void **state) {
    (void)state;
    const struct tcplan_algorithm nothing = {0};
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
    struct tcplan_ranking *ranking = NULL;
    struct tcplan_error error = {0};
    struct random_contraction given;
    random_contraction_given(&given, LISTED, LISTED_SIZES, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_rank_one(&ranking, &given.problem, &nothing, &options, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "expected"));
    assert_int_equal(run_algorithm(&given.problem, &nothing, NULL, NULL, NULL, NULL, &error),
                     TCPLAN_INVALID);
    assert_null(ranking);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_effort_evaluates_more),
        cmocka_unit_test(every_effort_ranks_the_same_space),
        cmocka_unit_test(the_effort_bounds_the_evaluations),
        cmocka_unit_test(all_are_predicted_on_request),
        cmocka_unit_test(a_large_space_is_searched_and_counted),
        cmocka_unit_test(the_winner_of_a_contraction_of_twelve_indices_computes_it),
        cmocka_unit_test(a_large_space_is_ranked_again),
        cmocka_unit_test(all_of_a_large_space_is_refused_again_and_the_ranking_stays),
        cmocka_unit_test(without_time_one_algorithm_is_predicted_and_the_rest_left_open),
        cmocka_unit_test(without_time_the_most_promising_order_of_the_largest_kernel_is_the_answer),
        cmocka_unit_test(every_predictor_keeps_the_time_limit),
        cmocka_unit_test(without_time_an_algorithm_that_applies_is_found),
        cmocka_unit_test(an_interrupted_search_reports_it),
        cmocka_unit_test(nothing_is_compiled_that_the_time_limit_has_no_room_for),
        cmocka_unit_test(the_reason_that_an_algorithm_cannot_run_is_reported),
        cmocka_unit_test(disturbances_of_the_search_are_reported),
        cmocka_unit_test(the_speed_of_gemm_is_known_measured_or_left_out),
        cmocka_unit_test(many_contracted_indices_are_planned),
        cmocka_unit_test(products_of_many_small_indices_are_computed),
        cmocka_unit_test(calls_that_cannot_be_counted_are_as_many_as_can),
        cmocka_unit_test(invalid_algorithms_are_not_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
