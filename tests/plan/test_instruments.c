/*
 * Tests by which instruments candidates are evaluated and compared: whole runs, or windows of
 * their calls. No time is asserted.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/timing/session.h"
#include "plan/candidates.h"
#include "plan/effort.h"
#include "plan/predictor.h"
#include "support/ranked.h"

#define LISTED "C_abc=A_ija*B_jbic"
#define LISTED_SIZES "a=b=c=5,i=j=3"
#define ONE_FAMILY                                                                                 \
    "C_abcd=A_dcba*B_abcd" /* a contraction with one structure, which has 24 loop orders */
#define ONE_FAMILY_SIZES "a=b=c=d=3"

static const enum tcplan_effort efforts[] = {TCPLAN_EFFORT_QUICK, TCPLAN_EFFORT_NORMAL,
                                             TCPLAN_EFFORT_THOROUGH};
enum { EFFORTS = sizeof efforts / sizeof *efforts };

static void only_thorough_takes_full_windows(void **state) {
    (void)state;
    for (int e = 0; e < EFFORTS; e++) {
        struct tcplan_rank_options options = ranked_search_options(efforts[e]);
        struct ranked ranked;
        options.cache =
            TCPLAN_CACHE_COLD; /* with cold caches, candidates are not evaluated by whole runs */
        ranked_init(&ranked, ONE_FAMILY, ONE_FAMILY_SIZES, TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_RUNS), 0);
        const size_t compared = ranked_basis_count(ranked.ranking, TCPLAN_BASIS_LONG);
        assert_true(compared >= 1 && ranked.ranking->compared);
        if (efforts[e] != TCPLAN_EFFORT_THOROUGH)
            assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_WINDOWS), 0);
        if (efforts[e] == TCPLAN_EFFORT_THOROUGH)
            assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_PROBE), 0);
        ranked_free(&ranked);
    }
}

static void short_contractions_are_run(void **state) {
    (void)state;
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    ranked_init(&ranked, LISTED, LISTED_SIZES, TCPLAN_DOUBLE, &options);
    ranked_check(&ranked);
    assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_RUNS),
                     ranked_predicted_count(ranked.ranking));
    ranked_free(&ranked);
}

static void all_of_a_long_contraction_have_full_windows(void **state) {
    (void)state;
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
    struct ranked ranked;
    options.predict_all = true;
    ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=700", TCPLAN_DOUBLE,
                &options); /* a run of the product takes at least a millisecond on any core */
    ranked_check(&ranked);
    /* Depending on how long a run takes, the fastest candidates are compared by long windows or by
     * whole runs. */
    const size_t compared = ranked_basis_count(ranked.ranking, TCPLAN_BASIS_LONG) +
                            ranked_basis_count(ranked.ranking, TCPLAN_BASIS_RUNS);
    assert_true(compared >= 1 && ranked.ranking->compared);
    assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_WINDOWS) + compared, 10);
    ranked_free(&ranked);
}

static void predictions_of_other_methods_say_so(void **state) {
    (void)state;
    static const enum tcplan_predictor predictors[] = {TCPLAN_PREDICT_THESIS,
                                                       TCPLAN_PREDICT_REPEATED};
    for (size_t p = 0; p < sizeof predictors / sizeof *predictors; p++) {
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
        struct ranked ranked;
        options.predictor = predictors[p];
        ranked_init(&ranked, "C_ab=A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE, &options);
        ranked_check(&ranked);
        assert_int_equal(ranked_basis_count(ranked.ranking, TCPLAN_BASIS_OTHER), 10);
        ranked_free(&ranked);
    }
}

static void the_front_has_full_windows_and_no_bound_below(void **state) {
    (void)state;
    enum { FRONT = 5 };
    struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
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
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
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
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
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
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
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
    const struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_NORMAL);
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
        struct tcplan_rank_options options = ranked_search_options(TCPLAN_EFFORT_QUICK);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_thorough_takes_full_windows),
        cmocka_unit_test(short_contractions_are_run),
        cmocka_unit_test(all_of_a_long_contraction_have_full_windows),
        cmocka_unit_test(predictions_of_other_methods_say_so),
        cmocka_unit_test(the_front_has_full_windows_and_no_bound_below),
        cmocka_unit_test(a_run_that_is_cut_off_prunes_with_the_time_it_took),
        cmocka_unit_test(without_a_faster_algorithm_a_run_may_use_all_its_time),
        cmocka_unit_test(candidates_with_long_estimates_are_not_run_at_first),
        cmocka_unit_test(long_calls_are_compared_by_whole_runs),
        cmocka_unit_test(a_comparison_without_memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
