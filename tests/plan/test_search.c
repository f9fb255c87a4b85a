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

#include "ast/algorithm/provider.h"
#include "base/alloc.h"
#include "cachesim/arrangement/arrangement.h"
#include "gen/space/enumerate.h"
#include "microbench/providers/built_in.h"
#include "microbench/providers/emitted.h"
#include "microbench/providers/providers.h"
#include "microbench/timing/session.h"
#include "plan/candidates.h"
#include "plan/effort.h"
#include "plan/predictor.h"
#include "plan/times/call_model.h"
#include "store/experience.h"
#include "support/ranked.h"
#include "support/run_algorithm.h"

/* A time limit that has passed at the first check. */
#define NO_TIME_SECONDS 1e-9

#define LISTED "C_abc=A_ija*B_jbic"
#define LISTED_SIZES "a=b=c=5,i=j=3"
#define ONE_FAMILY                                                                                 \
    "C_abcd=A_dcba*B_abcd" /* a contraction with one structure, which has 24 loop orders */
#define ONE_FAMILY_SIZES "a=b=c=d=3"
#define UNLISTED "C_abcdef=A_abcijk*B_ijkdef" /* 518400 algorithms */
#define UNLISTED_SIZES "a=b=c=d=e=f=i=j=k=2"

static const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL,
                                             TCPLAN_EFFORT_THOROUGH};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

/** Returns options that give the speed of gemm, so that it is not measured. */
static struct tcplan_rank_options search_options(enum tcplan_effort effort) {
    struct tcplan_rank_options options = ranked_options();
    options.effort = effort;
    options.gemm_gflops = 1.5;
    return options;
}

static size_t predicted_count(const struct tcplan_ranking *ranking) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++) count += ranking->entry[e].predicted;
    return count;
}

static size_t basis_count(const struct tcplan_ranking *ranking, enum tcplan_basis basis) {
    size_t count = 0;
    for (size_t e = 0; e < ranking->entry_count; e++)
        count += ranking->entry[e].predicted && ranking->entry[e].basis == basis;
    return count;
}

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
            struct tcplan_rank_options options = search_options(efforts[e]);
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

static void only_thorough_takes_full_windows(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++) {
        struct tcplan_rank_options options = search_options(efforts[e]);
        struct ranked ranked;
        options.cache =
            TCPLAN_CACHE_COLD; /* with cold caches, candidates are not evaluated by whole runs */
        ranked_init(&ranked, ONE_FAMILY, ONE_FAMILY_SIZES, TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_RUNS), 0);
        const size_t compared = basis_count(ranked.ranking, TCPLAN_BASIS_LONG);
        assert_true(compared >= 1 && ranked.ranking->compared);
        if (efforts[e] != TCPLAN_EFFORT_THOROUGH)
            assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_WINDOWS), 0);
        if (efforts[e] == TCPLAN_EFFORT_THOROUGH)
            assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_PROBE), 0);
        ranked_free(&ranked);
    }
}

/** 120 loop orders of one structure; no run is so long that it is stopped. */
static void the_effort_bounds_the_evaluations(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++) {
        struct tcplan_rank_options options = search_options(efforts[e]);
        struct ranked ranked;
        options.cache = TCPLAN_CACHE_COLD;
        ranked_init(&ranked, "C_abcde=A_edcba*B_abcde", "a=b=c=d=e=2", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        const size_t looks = predicted_count(ranked.ranking);
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
        struct tcplan_rank_options options = search_options(efforts[e]);
        struct ranked ranked;
        options.predict_all = true;
        ranked_init(&ranked, "C_abcde=A_edcba*B_abcde", "a=b=c=d=e=2", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(predicted_count(ranked.ranking), 120);
        ranked_free(&ranked);
    }
}

static void a_large_space_is_searched_and_counted(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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

/** Checks that an algorithm computes the results of naive loops. */
static void assert_computes(const struct random_contraction *given,
                            const struct tcplan_algorithm *algorithm) {
    run_algorithm_checked(&given->problem, algorithm, 1, random_contraction_describe(given));
}

static void the_winner_of_a_contraction_of_twelve_indices_computes_it(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    ranked_init(&ranked, "C_abcdefgh=A_abcdijkl*B_lkjiefgh", "a=b=c=d=e=f=g=h=2,i=j=k=l=2",
                TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_true(ranked.ranking->algorithm_count > 6e8);
    assert_true(ranked.ranking->entry_count < 2000);
    assert_computes(&ranked.given, &tcplan_ranking_chosen(ranked.ranking)->algorithm);
    ranked_free(&ranked);
}

static void a_large_space_is_ranked_again(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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
            struct tcplan_rank_options options = search_options(efforts[e]);
            struct ranked ranked;
            options.time_limit_seconds = NO_TIME_SECONDS;
            ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE, &options);
            ranked_check(&ranked);
            assert_true(ranked.ranking->out_of_time);
            assert_int_equal(predicted_count(ranked.ranking), 1);
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
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
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
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.predictor = predictors[p];
        options.predict_all = true;
        options.time_limit_seconds = NO_TIME_SECONDS;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_true(ranked.ranking->out_of_time);
        assert_int_equal(predicted_count(ranked.ranking), 1);
        ranked_free(&ranked);
    }
}

static void without_time_an_algorithm_that_applies_is_found(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
    struct ranked ranked;
    options.time_limit_seconds = NO_TIME_SECONDS;
    ranked_init(&ranked, "C_abc=A_ai*B_icb", "a=2,b=1073741824,c=2,i=2", TCPLAN_FLOAT,
                &options); /* the first gemm in the order of heuristic costs is not applicable */
    ranked_check(&ranked);
    assert_int_equal(ranked_count(ranked.ranking, TCPLAN_ENTRY_NOT_APPLICABLE), 1);
    assert_int_equal(predicted_count(ranked.ranking), 1);
    ranked_free(&ranked);
}

static void an_interrupted_search_reports_it(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_THOROUGH);
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
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
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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

/* Bases. */

static void short_contractions_are_run(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_RUNS),
                     predicted_count(ranked.ranking));
    ranked_free(&ranked);
}

static void all_of_a_long_contraction_have_full_windows(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    options.predict_all = true;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=700", TCPLAN_DOUBLE,
                &options); /* a run of the product takes at least a millisecond on any core */
    ranked_check(&ranked);
    /* Depending on how long a run takes, the fastest candidates are compared by long windows or by
     * whole runs. */
    const size_t compared = basis_count(ranked.ranking, TCPLAN_BASIS_LONG) +
                            basis_count(ranked.ranking, TCPLAN_BASIS_RUNS);
    assert_true(compared >= 1 && ranked.ranking->compared);
    assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_WINDOWS) + compared, 10);
    ranked_free(&ranked);
}

static void predictions_of_other_methods_say_so(void **state) {
    (void)state;
    static const enum tcplan_predictor predictors[] = {TCPLAN_PREDICT_THESIS,
                                                       TCPLAN_PREDICT_REPEATED};
    for (size_t p = 0; p < sizeof predictors / sizeof *predictors; p++) {
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.predictor = predictors[p];
        ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_OTHER), 10);
        ranked_free(&ranked);
    }
}

static void the_front_has_full_windows_and_no_bound_below(void **state) {
    (void)state;
    enum { FRONT = 5 };
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
    struct tcplan_error error = {0};
    struct ranked ranked;
    options.cache = TCPLAN_CACHE_COLD;
    ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
    if (tcplan_ranking_predict_front(ranked.ranking, FRONT, &options, &error))
        fail_msg("%s", error.message);
    ranked_check(&ranked);
    const struct tcplan_entry *entry = ranked.ranking->entry;
    for (size_t e = 0; e < FRONT; e++)
        assert_true(entry[e].predicted && entry[e].basis != TCPLAN_BASIS_PROBE);
    for (size_t e = FRONT; e < ranked.ranking->entry_count; e++) {
        if (!entry[e].predicted)
            assert_true(entry[e].lower_bound_seconds > entry[FRONT - 1].prediction.seconds);
    }
    ranked_free(&ranked);
}

/** Makes a ranker for a ranking, to call single stages of the search. */
static struct ranker ranker_on(struct ranked *ranked, const struct tcplan_rank_options *options) {
    struct ranker ranker = {.ranking = ranked->ranking,
                            .options = *options,
                            .effort = *effort_of(options->effort),
                            .machine = *options->machine};
    if (ranker.options.threads == 0) ranker.options.threads = 1;
    for (int grade = 0; grade < WINDOW_GRADES; grade++) {
        ranker.settings[grade] =
            window_settings_for(&ranker.machine, options->cache, (enum window_grade)grade);
    }
    return ranker;
}

/** The runs must be long enough for a limit, see cold_limit_ns(). */
static void a_run_that_is_cut_off_prunes_with_the_time_it_took(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=128", TCPLAN_DOUBLE, &options);
    struct ranker ranker = ranker_on(&ranked, &options);
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        const double best_seconds = 1e-9, bound_seconds = 0.5e-9;
        struct tcplan_entry entry = {.algorithm = ranked.ranking->entry[e].algorithm,
                                     .threads = 1,
                                     .status = TCPLAN_ENTRY_OPEN,
                                     .lower_bound_seconds = bound_seconds};
        const struct prediction_task task = {
            .ranker = &ranker, .entry = &entry, .best_seconds = best_seconds, .windows = 1};
        assert_int_equal(predictor_of(TCPLAN_PREDICT_WINDOW)->predict(&task, NULL), TCPLAN_OK);
        ranked_check_entry(&entry);
        assert_int_equal(entry.calls, ranked.ranking->entry[e].calls);
        if (entry.calls == 1) {
            assert_int_equal(entry.basis, TCPLAN_BASIS_RUNS); /* evaluated by a whole run at once */
        } else {
            assert_int_equal(entry.status, TCPLAN_ENTRY_PRUNED);
            assert_true(entry.lower_bound_seconds > best_seconds);
        }
    }
    session_end(&session);
    ranked_free(&ranked);
}

static void without_a_faster_algorithm_a_run_may_use_all_its_time(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
    struct ranker ranker = ranker_on(&ranked, &options);
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        struct tcplan_entry entry = {.algorithm = ranked.ranking->entry[e].algorithm,
                                     .threads = 1,
                                     .lower_bound_seconds = 1e-9};
        assert_int_equal(ranker_predict(&ranker, &entry, 1, NULL), TCPLAN_OK);
        ranked_check_entry(&entry);
        assert_int_equal(entry.status, TCPLAN_ENTRY_PREDICTED);
    }
    session_end(&session);
    ranked_free(&ranked);
}

/** A run of a candidate with a long estimate would be stopped twice, and windows would follow. So
 * the candidate is not run first. */
static void candidates_with_long_estimates_are_not_run_at_first(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
    struct ranker ranker = ranker_on(&ranked, &options);
    struct session session;
    assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
    for (int is_long = 0; is_long < 2; is_long++) {
        struct tcplan_entry entry = {.algorithm = ranked.ranking->entry[0].algorithm,
                                     .threads = 1,
                                     .status = TCPLAN_ENTRY_OPEN,
                                     .lower_bound_seconds = 1e-9,
                                     .estimate_seconds = is_long ? 1 : 1e-3};
        const struct prediction_task task = {.ranker = &ranker,
                                             .entry = &entry,
                                             .best_seconds = INFINITY,
                                             .grade = WINDOW_PROBE,
                                             .windows = 1};
        assert_int_equal(predictor_of(TCPLAN_PREDICT_WINDOW)->predict(&task, NULL), TCPLAN_OK);
        assert_int_equal(entry.basis, is_long ? TCPLAN_BASIS_PROBE : TCPLAN_BASIS_RUNS);
    }
    session_end(&session);
    ranked_free(&ranked);
}

/** A window of a long call times a part of it and errs by a tenth. So candidates of a fifth of a
 * second are compared by whole runs if one of them makes such calls. */
static void long_calls_are_compared_by_whole_runs(void **state) {
    (void)state;
    const struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
    struct ranker ranker = ranker_on(&ranked, &options);
    struct tcplan_entry *entry = &ranked.ranking->entry[0];
    for (size_t e = 0; e < ranked.ranking->entry_count; e++) {
        ranked.ranking->entry[e].prediction.seconds = 0.2;
        ranked.ranking->entry[e].predicted = true;
        ranked.ranking->entry[e].basis = TCPLAN_BASIS_PROBE;
        ranked.ranking->entry[e].calls = 100;
        ranked.ranking->entry[e].is_baseline = false;
    }
    ranked.ranking->problem.flops = 1e10;
    assert_false(ranker_compares_runs(&ranker, entry));
    ranked.ranking->entry[1].calls = 1;
    assert_true(ranker_compares_runs(&ranker, entry));
    ranked.ranking->entry[1].prediction.seconds = 0.4; /* too slow to win */
    assert_false(ranker_compares_runs(&ranker, entry));
    ranked.ranking->entry[1].is_baseline =
        true; /* a baseline is compared, whatever its window shows */
    assert_true(ranker_compares_runs(&ranker, entry));
    entry->prediction.seconds = 10;
    assert_false(ranker_compares_runs(&ranker, entry));
    ranked_free(&ranked);
}

static void a_comparison_without_memory_fails(void **state) {
    (void)state;
    for (int cache = TCPLAN_CACHE_WARM; cache <= TCPLAN_CACHE_COLD; cache++) {
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
        struct ranked ranked;
        options.cache = (enum tcplan_cache_state)cache; /* warm caches: evaluated by whole runs;
                                                           cold caches: by windows */
        ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
        struct ranker ranker = ranker_on(&ranked, &options);
        struct session session;
        assert_int_equal(session_begin(&session, 1, NULL), TCPLAN_OK);
        enum tcplan_status status = TCPLAN_NO_MEMORY;
        long successes = 0;
        for (; status == TCPLAN_NO_MEMORY; successes++) {
            struct tcplan_error error = {0};
            base_alloc_fail_after(successes);
            status = ranker_compare(&ranker, &error);
            base_alloc_fail_after(-1);
            assert_int_equal(error.status, status);
        }
        assert_int_equal(status, TCPLAN_OK);
        assert_true(successes > 2);
        ranker_sort(ranked.ranking);
        ranked_check(&ranked);
        session_end(&session);
        ranked_free(&ranked);
    }
}

/* Additional reports. */

static void disturbances_of_the_search_are_reported(void **state) {
    (void)state;
    for (int cache = TCPLAN_CACHE_WARM; cache <= TCPLAN_CACHE_COLD; cache++) {
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.cache = (enum tcplan_cache_state)cache;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        const struct tcplan_load *load = &ranked.ranking->load;
        assert_true(load->windows >= (int64_t)predicted_count(ranked.ranking));
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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

/* The time limit has passed before the first evaluation. */

static void without_time_the_answer_is_a_labelled_estimate(void **state) {
    (void)state;
    for (int space = TCPLAN_SPACE_BLAS; space <= TCPLAN_SPACE_FULL; space++) {
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.space = (enum tcplan_space)space;
        options.time_limit_seconds = NO_TIME_SECONDS;
        ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
        const struct tcplan_entry *answer = tcplan_ranking_chosen(ranked.ranking);
        assert_true(answer->predicted && answer->basis == TCPLAN_BASIS_ESTIMATE);
        assert_int_equal(answer->prediction.sample_count, 0);
        assert_int_equal(basis_count(ranked.ranking, TCPLAN_BASIS_ESTIMATE),
                         predicted_count(ranked.ranking));
        assert_int_equal(ranked.ranking->load.windows, 0);
        assert_computes(&ranked.given, &answer->algorithm);
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
            struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
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
            assert_true(basis_count(ranking, TCPLAN_BASIS_ESTIMATE) == predicted_count(ranking) &&
                        predicted_count(ranking) > 0);
            for (size_t e = 0; e < ranking->entry_count; e++) {
                assert_true(ranking->entry[e].prediction.sample_count == 0 &&
                            ranking->entry[e].lower_bound_seconds == 0);
                assert_false(ranking->entry[e].compared);
            }
            if (g != 2) assert_computes(&ranked.given, &ranking->entry[0].algorithm);
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
            struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
            struct tcplan_machine machine = *options.machine;
            struct ranked ranked;
            const int compiled = tcplan_code_account().compiled;
            machine.live = live == 1;
            options.machine = &machine;
            options.space = TCPLAN_SPACE_FULL;
            ranked_init(&ranked, given[g][0], given[g][1], TCPLAN_DOUBLE_COMPLEX, &options);
            count += built_in_count(&ranked);
            assert_int_equal(tcplan_code_account().compiled, compiled);
            assert_computes(&ranked.given, &tcplan_ranking_chosen(ranked.ranking)->algorithm);
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
    const struct tcplan_machine *machine = search_options(TCPLAN_EFFORT_ESTIMATE).machine;
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
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
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
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
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
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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

/* 38 contracted indices have 2^38 subsets. */
#define MANY_INDICES                                                                               \
    "i0,i1,i2,i3,i4,i5,i6,i7,i8,i9,j0,j1,j2,j3,j4,j5,j6,j7,j8,j9,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,l0,l1,l2,l3,l4,l5,l6,l7"

static void many_contracted_indices_are_planned(void **state) {
    (void)state;
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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

/** With more effort and very little time, the answer is the estimate's choice, evaluated: so it is
 * no slower. */
static void the_choice_of_an_estimate_is_evaluated(void **state) {
    static const double limits[] = {0, NO_TIME_SECONDS, 0.01};
    static const char *const given[][2] = {
        {"C_abc=A_ai*B_ibc", "a=b=c=12,i=3"},
        {"C_abcdefgh=A_abijcdkl*B_klijefgh", "a=b=c=d=e=f=g=h=i=j=k=l=2"},
        {"C_gcbhefad=A_lbijdcka*B_kjlehfgi", "a=b=c=d=e=f=g=h=i=j=k=l=2"}};
    (void)state;
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_ESTIMATE);
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
            assert_true(entry && entry->predicted);
            ranked_free(&ranked);
        }
        ranked_free(&estimated);
    }
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
            search_options(seed % 4 == 0 ? TCPLAN_EFFORT_QUICK : TCPLAN_EFFORT_ESTIMATE);
        struct random_contraction given;
        struct tcplan_ranking *ranking = NULL;
        struct tcplan_error error = {0};
        options.space = TCPLAN_SPACE_FULL;
        options.time_limit_seconds = 0.05;
        random_contraction_init(&given, seed, &drawn);
        if (tcplan_rank(&ranking, &given.problem, &options, &error) != TCPLAN_OK)
            fail_msg("%s: %s", random_contraction_describe(&given), error.message);
        for (size_t e = 0; e < ranking->entry_count && e < 5; e++) {
            if (ranking->entry[e].predicted) assert_computes(&given, &ranking->entry[e].algorithm);
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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
    struct tcplan_rank_options options = search_options(TCPLAN_EFFORT_QUICK);
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
        cmocka_unit_test(estimates_time_nothing),
        cmocka_unit_test(estimates_choose_kernels_that_need_no_compiler),
        cmocka_unit_test(calls_of_the_library_cost_more_with_scattered_operands),
        cmocka_unit_test(an_estimate_uses_times_that_are_known),
        cmocka_unit_test(estimated_entries_can_be_timed),
        cmocka_unit_test(an_estimate_uses_only_windows),
        cmocka_unit_test(only_thorough_takes_full_windows),
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
        cmocka_unit_test(short_contractions_are_run),
        cmocka_unit_test(all_of_a_long_contraction_have_full_windows),
        cmocka_unit_test(predictions_of_other_methods_say_so),
        cmocka_unit_test(the_front_has_full_windows_and_no_bound_below),
        cmocka_unit_test(a_run_that_is_cut_off_prunes_with_the_time_it_took),
        cmocka_unit_test(without_a_faster_algorithm_a_run_may_use_all_its_time),
        cmocka_unit_test(candidates_with_long_estimates_are_not_run_at_first),
        cmocka_unit_test(long_calls_are_compared_by_whole_runs),
        cmocka_unit_test(a_comparison_without_memory_fails),
        cmocka_unit_test(disturbances_of_the_search_are_reported),
        cmocka_unit_test(the_speed_of_gemm_is_known_measured_or_left_out),
        cmocka_unit_test(without_time_the_answer_is_a_labelled_estimate),
        cmocka_unit_test(kernels_of_every_kind_are_estimated),
        cmocka_unit_test(many_contracted_indices_are_planned),
        cmocka_unit_test(the_choice_of_an_estimate_is_evaluated),
        cmocka_unit_test(products_of_many_small_indices_are_computed),
        cmocka_unit_test(calls_that_cannot_be_counted_are_as_many_as_can),
        cmocka_unit_test(invalid_algorithms_are_not_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
