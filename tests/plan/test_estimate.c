/* Tests rankings by estimates, which time nothing. No time is asserted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ast/algorithm/provider.h"
#include "cachesim/arrangement/arrangement.h"
#include "microbench/providers/built_in.h"
#include "microbench/providers/emitted.h"
#include "plan/candidates.h"
#include "plan/predictor.h"
#include "plan/times/call_model.h"
#include "store/experience.h"
#include "support/ranked.h"
#include "support/run_algorithm.h"

/* A time limit that has passed at the first check. */
#define NO_TIME_SECONDS 1e-9
#define LISTED "C_abc=A_ija*B_jbic"
#define LISTED_SIZES "a=b=c=5,i=j=3"
#define UNLISTED "C_abcdef=A_abcijk*B_ijkdef" /* 518400 algorithms */
#define UNLISTED_SIZES "a=b=c=d=e=f=i=j=k=2"

static void without_time_the_answer_is_a_labelled_estimate(void **state) {
    (void)state;
    for (int space = TCPLAN_SPACE_BLAS; space <= TCPLAN_SPACE_FULL; space++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.space = (enum tcplan_space)space;
        options.time_limit_seconds = NO_TIME_SECONDS;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        const struct tcplan_entry *answer = tcplan_ranking_chosen(ranked.ranking);
        assert_true(answer->predicted && answer->basis == TCPLAN_BASIS_ESTIMATE);
        assert_int_equal(answer->prediction.sample_count, 0);
        assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_ESTIMATE),
                         ranked_predicted_count(ranked.ranking));
        assert_int_equal(ranked.ranking->load.windows, 0);
        run_algorithm_computes(&ranked.given, &answer->algorithm);
        ranked_free(&ranked);
    }
}

/** Estimates time nothing: in both spaces, listed and enumerated, for complex numbers, for a single
 * algorithm, and for an empty product. */
static void estimates_time_nothing(void **state) {
    (void)state;
    static const char *const given[][2] = {{LISTED, LISTED_SIZES},
                                           {UNLISTED, UNLISTED_SIZES},
                                           {"C_ab=A_ai*B_ib", "a=2000,b=2000,i=2000"},
                                           {"C_xab=A_xia*B_ibx", "a=9,b=7,i=6,x=5"},
                                           {"C_b=A_cic*B_ib", "b=7,c=2,i=0"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        for (int space = TCPLAN_SPACE_FULL; space <= TCPLAN_SPACE_BLAS; space++) {
            struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
            struct ranked ranked;
            options.space = (enum tcplan_space)space;
            options.kernel_times = tcplan_kernel_times_new();
            ranked_init(&ranked, given[g][0], given[g][1],
                        g == 3 ? TCPLAN_FLOAT_COMPLEX : TCPLAN_DOUBLE, &options);
            const struct tcplan_ranking *ranking = ranked.ranking;
            assert_int_equal(tcplan_kernel_times_count(options.kernel_times), 0);
            assert_true(ranking->is_untimed && !ranking->compared && ranking->load.windows == 0 &&
                        ranking->pruned_count == 0);
            assert_true(tcplan_ranking_chosen(ranking)->picked &&
                        tcplan_ranking_chosen(ranking)->missed);
            assert_true(ranked_basis_count(ranking, TCPLAN_BASIS_ESTIMATE) ==
                            ranked_predicted_count(ranking) &&
                        ranked_predicted_count(ranking) > 0);
            for (size_t e = 0; e < ranking->entry_count; e++) {
                assert_true(ranking->entry[e].prediction.sample_count == 0 &&
                            ranking->entry[e].lower_bound_seconds == 0);
                assert_false(ranking->entry[e].compared);
            }
            if (g != 2) run_algorithm_computes(&ranked.given, &ranking->entry[0].algorithm);
            ranked_free(&ranked);
            tcplan_kernel_times_free(options.kernel_times);
        }
    }
}

/** Returns the number of algorithms with a kernel of the library in an estimated ranking. All of
 * its kernels work without a compiler. */
static int built_in_count(const struct ranked *ranked) {
    const struct tcplan_ranking *ranking = ranked->ranking;
    int count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_algorithm *algorithm = &ranking->entry[e].algorithm;
        struct blas_call call;
        double calls;
        if (!provider_traits_of(algorithm->provider)->is_compiled) continue;
        assert_int_equal(blas_call_of(&call, &calls, &ranking->problem, algorithm, NULL),
                         TCPLAN_OK);
        assert_true(built_in_takes(&call, ranking->problem.dtype));
        count++;
    }
    return count;
}

/** Estimates for this machine, and for one on which tcplan does not run. */
static void estimates_choose_kernels_that_need_no_compiler(void **state) {
    (void)state;
    static const char *const given[][2] = {{"C_aXbYc=A_XYij*B_aibjc", "a=b=c=16,X=Y=i=j=2"},
                                           {"C_ijl=A_ijk*B_ilk", "i=4000,j=k=l=3"},
                                           {"C_abcd=A_abi*B_icd", "a=b=c=d=6,i=5"}};
    for (int live = 0; live < 2; live++) {
        int count = 0;
        for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
            struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
            struct tcplan_machine machine = *options.machine;
            struct ranked ranked;
            const int compiled = tcplan_code_account().compiled;
            machine.live = live == 1;
            options.machine = &machine;
            options.space = TCPLAN_SPACE_FULL;
            ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE_COMPLEX, &options);
            count += built_in_count(&ranked);
            assert_int_equal(tcplan_code_account().compiled, compiled);
            run_algorithm_computes(&ranked.given,
                                   &tcplan_ranking_chosen(ranked.ranking)->algorithm);
            ranked_free(&ranked);
        }
        assert_int_equal(count > 0, live == 1 && built_in_has(built_in_set()));
    }
}

/** A kernel of the library that reads contiguous operands is about as fast as that of a BLAS, and
 * slower if it has to gather and scatter elements. */
static void calls_of_the_library_cost_more_with_scattered_operands(void **state) {
    (void)state;
    enum { N = 200 };
    const struct tcplan_machine *machine = ranked_search_options(TCPLAN_EFFORT_ESTIMATE).machine;
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = TCPLAN_PROVIDER_EMITTED,
                             .first = TCPLAN_A,
                             .second = TCPLAN_B,
                             .m = N,
                             .n = N,
                             .k = N,
                             .strides = {{1, N}, {1, N}, {1, N}},
                             .alpha = {1, 0}};
    for (int t = 0; t < TCPLAN_DTYPES; t++) {
        const enum tcplan_dtype dtype = (enum tcplan_dtype)t;
        const struct call_time usual = call_model_time(&call, dtype, 1, machine);
        const double contiguous = call_model_built_in(&call, dtype, machine).ns;
        struct blas_call scattered = call;
        scattered.strides[0][0] = scattered.strides[2][0] = N;
        scattered.strides[0][1] = 1;
        scattered.strides[2][1] = (int64_t)N * N;
        assert_true(contiguous > usual.low_ns && contiguous < usual.high_ns);
        assert_true(call_model_built_in(&scattered, dtype, machine).ns > contiguous);
    }
}

/** Kernel times from the store of this process, or from data that earlier processes stored. */
static void an_estimate_uses_times_that_are_known(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
        struct ranked by_model, timed, known;
        options.space = TCPLAN_SPACE_BLAS;
        ranked_init(&by_model, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        struct tcplan_kernel_times *times = tcplan_kernel_times_new();
        struct tcplan_experience *experience = tcplan_experience_new();
        if (which == 0) options.kernel_times = times;
        if (which == 1) options.experience = experience;
        options.effort = TCPLAN_EFFORT_QUICK;
        ranked_init(&timed, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        const size_t count = tcplan_kernel_times_count(times) + experience->kernel_count;
        assert_true(count > 0);
        options.effort = TCPLAN_EFFORT_ESTIMATE;
        ranked_init(&known, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        assert_int_equal(tcplan_kernel_times_count(times) + experience->kernel_count, count);
        assert_true(known.ranking->entry[0].prediction.seconds !=
                    by_model.ranking->entry[0].prediction.seconds);
        tcplan_kernel_times_free(times);
        tcplan_experience_free(experience);
        ranked_free(&by_model);
        ranked_free(&timed);
        ranked_free(&known);
    }
}

/** Entries of an estimated ranking can be measured, and ranked again by their evaluations. */
static void estimated_entries_can_be_timed(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
    struct ranked ranked;
    ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
    assert_int_equal(tcplan_ranking_predict_front(ranked.ranking, 1, &options, NULL),
                     TCPLAN_INVALID);
    assert_int_equal(tcplan_ranking_measure(ranked.ranking, 0, 2, &options, NULL), TCPLAN_OK);
    assert_true(ranked.ranking->entry[0].status == TCPLAN_ENTRY_MEASURED &&
                ranked.ranking->entry[0].measured.seconds > 0);
    options.effort = TCPLAN_EFFORT_QUICK;
    assert_int_equal(tcplan_ranking_predict(ranked.ranking, &options, NULL), TCPLAN_OK);
    assert_true(ranked.ranking->compared && !ranked.ranking->is_untimed);
    ranked_free(&ranked);
}

static void an_estimate_uses_only_windows(void **state) {
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
        struct tcplan_ranking *ranking = NULL;
        struct random_contraction given;
        random_contraction_given(&given, LISTED, LISTED_SIZES, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
        if (which == 0) options.predict_all = true;
        if (which == 1) options.predictor = TCPLAN_PREDICT_REPEATED;
        assert_int_equal(tcplan_rank(&ranking, &given.problem, &options, NULL), TCPLAN_INVALID);
        assert_null(ranking);
        random_contraction_free(&given);
    }
}

/** Kernels of all classes: outer products have no gemm, and large strides prevent packing. */
static void kernels_of_every_kind_are_estimated(void **state) {
    (void)state;
    static const char *const given[][2] = {
        {"C_ab=A_a*B_b", "a=3000,b=2000"}, {"C_ab=A_ba*B", "a=3000,b=900"},
        {"C_a=A_ia*B_i", "a=900,i=3000"},  {"C=A_ij*B_ji", "i=3000,j=90"},
        {"C_ba=A_b*B_a", "a=3000,b=2000"}, {"C_a=A_a*B_a", "a=90"}};
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
        struct random_contraction problem;
        struct tcplan_enumerator enumerator;
        struct tcplan_algorithm algorithm;
        struct tcplan_kernel_times *times = tcplan_kernel_times_new();
        random_contraction_given(&problem, given[g][0], given[g][1], TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        struct buffers buffers = {.scratch.limit_bytes = 1 << 30};
        struct tcplan_ranking ranking = {.problem = problem.problem, .buffers = &buffers};
        struct ranker ranker = {.ranking = &ranking,
                                .options = options,
                                .machine = *options.machine,
                                .kernel_times = times};
        ranker.arranger = arranger_new(&ranking.problem, &ranker.machine, 1, ranker.deadline);
        assert_non_null(ranker.arranger);
        tcplan_enumerator_init(&enumerator, problem.contraction);
        while (tcplan_enumerator_next(&enumerator, &algorithm)) {
            struct tcplan_entry entry = candidate_of(&algorithm, 1, 0);
            assert_int_equal(candidate_rate(&ranker, &entry, NULL), TCPLAN_OK);
            assert_true(entry.lower_bound_seconds > 0 &&
                        entry.estimate_seconds >= entry.lower_bound_seconds && entry.calls >= 1);
            const double right_seconds = entry.estimate_seconds;
            entry.lower_bound_seconds += 1e3; /* a wrong lower bound, as after a disturbed timing */
            entry.estimate_seconds += 1e3;
            candidate_doubt(&ranker, &entry,
                            2e3); /* a time above the wrong bound does not reveal it */
            assert_true(entry.estimate_seconds > 1e3);
            candidate_doubt(&ranker, &entry, 2 * right_seconds);
            assert_true(entry.estimate_seconds < 1e3 || entry.kernel_source != TCPLAN_TIME_TIMED);
        }
        arranger_free(ranker.arranger);
        scratch_free(&buffers.scratch);
        tcplan_kernel_times_free(times);
        random_contraction_free(&problem);
    }
}

/** With more effort, the estimate's choice is evaluated, however little time there is: so the
 * answer is no slower. */
static void the_choice_of_an_estimate_is_evaluated(void **state) {
    static const double limits[] = {0, NO_TIME_SECONDS, 0.01};
    static const char *const given[][2] = {
        {"C_abc=A_ai*B_ibc", "a=b=c=12,i=3"},
        {"C_abcdefgh=A_abijcdkl*B_klijefgh", "a=b=c=d=e=f=g=h=i=j=k=l=2"},
        {"C_gcbhefad=A_lbijdcka*B_kjlehfgi", "a=b=c=d=e=f=g=h=i=j=k=l=2"}};
    (void)state;
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_ESTIMATE);
        struct ranked estimated;
        options.space = TCPLAN_SPACE_FULL;
        ranked_init(&estimated, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
        const struct tcplan_entry *answer = tcplan_ranking_chosen(estimated.ranking);
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            struct ranked ranked;
            options.effort = l % 2 == 0 ? TCPLAN_EFFORT_QUICK : TCPLAN_EFFORT_NORMAL;
            options.time_limit_seconds = limits[l];
            ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
            const struct tcplan_entry *entry =
                candidate_find(ranked.ranking, &answer->algorithm, answer->threads);
            if (!(entry && entry->predicted))
                fail_msg("%s, limit %g: %s", given[g][0], limits[l], entry ? "open" : "absent");
            ranked_free(&ranked);
        }
        ranked_free(&estimated);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(estimates_time_nothing),
        cmocka_unit_test(estimates_choose_kernels_that_need_no_compiler),
        cmocka_unit_test(calls_of_the_library_cost_more_with_scattered_operands),
        cmocka_unit_test(an_estimate_uses_times_that_are_known),
        cmocka_unit_test(estimated_entries_can_be_timed),
        cmocka_unit_test(an_estimate_uses_only_windows),
        cmocka_unit_test(without_time_the_answer_is_a_labelled_estimate),
        cmocka_unit_test(kernels_of_every_kind_are_estimated),
        cmocka_unit_test(the_choice_of_an_estimate_is_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
