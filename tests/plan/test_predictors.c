/* Tests which predictions the rankings by each predictor contain. No time is asserted. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/ceiling.h"
#include "support/random_contraction.h"
#include "tcplan/unstable.h"

static struct tcplan_ranking *rank(struct random_contraction *given,
                                   const struct tcplan_rank_options *options) {
    struct tcplan_error error = {0};
    struct tcplan_ranking *ranking = NULL;
    random_contraction_given(given, "C_abc+=A_ai*B_ibc", "a=b=c=10,i=4", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    if (tcplan_rank(&ranking, &given->problem, options, &error)) fail_msg("%s", error.message);
    return ranking;
}

static void assert_all_predicted(const struct tcplan_ranking *ranking) {
    assert_int_equal(ranking->entry_count, 36);
    for (size_t e = 0; e < ranking->entry_count; e++) {
        assert_true(ranking->entry[e].predicted);
        assert_true(e == 0 || ranking->entry[e - 1].prediction.seconds <=
                                  ranking->entry[e].prediction.seconds);
    }
}

static void predictors_without_windows_predict_everything(void **state) {
    (void)state;
    static const enum tcplan_predictor predictors[] = {TCPLAN_PREDICT_THESIS,
                                                       TCPLAN_PREDICT_REPEATED};
    for (size_t p = 0; p < sizeof predictors / sizeof *predictors; p++) {
        struct random_contraction given;
        struct tcplan_rank_options options = tcplan_rank_defaults();
        options.predictor = predictors[p];
        struct tcplan_ranking *ranking = rank(&given, &options);
        assert_all_predicted(ranking);
        tcplan_ranking_free(ranking);
        random_contraction_free(&given);
    }
}

/* Ceilings. */

/** A machine with a single relevant ceiling, the peak of double-precision instructions on one
 * thread. */
struct ceiling_machine {
    struct tcplan_machine machine;
    struct tcplan_roofline roofline;
    struct tcplan_ceiling compute[2];
};

static void ceiling_machine_init(struct ceiling_machine *out, double gflops) {
    struct tcplan_error error = {0};
    *out = (struct ceiling_machine){.compute = {{.name = "dgemm",
                                                 .precision = TCPLAN_DOUBLE,
                                                 .threads = 1,
                                                 .rate = 0.5 * gflops,
                                                 .m = 100,
                                                 .n = 100,
                                                 .k = 100},
                                                {.name = "fma",
                                                 .precision = TCPLAN_DOUBLE,
                                                 .threads = 1,
                                                 .rate = 0.9 * gflops,
                                                 .q3 = gflops}}};
    out->roofline.compute_count = 2;
    out->roofline.compute = out->compute;
    if (tcplan_machine_load(&out->machine, "l2:1(size=1MB) l1d:1(size=32kB) core:1 pu:1", &error))
        fail_msg("%s", error.message);
    out->machine.ceilings = &out->roofline;
}

static void ceilings_bound_the_time_of_every_algorithm(void **state) {
    (void)state;
    struct ceiling_machine given;
    struct random_contraction contraction;
    ceiling_machine_init(&given, 10);
    struct tcplan_roofline *roofline = &given.roofline;
    random_contraction_given(&contraction, "C_abc=A_ai*B_ibc", "a=b=c=10,i=4", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    struct tcplan_problem *problem = &contraction.problem;
    assert_true(problem->product_flops == 8000);
    assert_true(fabs(ceiling_bound_seconds(roofline, problem, 1) * 11e9 / 8000 - 1) < 1e-9);
    assert_true(ceiling_bound_seconds(roofline, problem, 2) == 0);
    assert_true(ceiling_bound_seconds(NULL, problem, 1) == 0);
    roofline->compute_count =
        1; /* the only ceiling is a gemm, and another library's may be faster */
    assert_true(ceiling_bound_seconds(roofline, problem, 1) == 0);
    random_contraction_free(&contraction);
}

/** A window's time below the limit of the ceilings is replaced by the limit, in evaluations and
 * comparisons. Times of whole runs are not. */
static void windows_above_the_ceilings_are_not_believed(void **state) {
    (void)state;
    for (int cache = TCPLAN_CACHE_WARM; cache <= TCPLAN_CACHE_COLD; cache++) {
        struct ceiling_machine given;
        struct random_contraction contraction;
        struct tcplan_rank_options options = tcplan_rank_defaults();
        ceiling_machine_init(&given, 1e-6);
        options.machine = &given.machine;
        options.cache = (enum tcplan_cache_state)cache;
        struct tcplan_ranking *ranking = rank(&contraction, &options);
        const double least_seconds =
            ceiling_bound_seconds(&given.roofline, &contraction.problem, 1);
        int believed = 0, at_ceiling = 0;
        for (size_t e = 0; e < ranking->entry_count; e++) {
            const struct tcplan_entry *entry = &ranking->entry[e];
            if (!entry->predicted) continue;
            assert_true(entry->at_ceiling == (entry->basis != TCPLAN_BASIS_RUNS));
            assert_true(!entry->at_ceiling || entry->prediction.high >= least_seconds);
            believed += !entry->at_ceiling;
            at_ceiling += entry->at_ceiling;
        }
        assert_true(cache == TCPLAN_CACHE_WARM ? believed > 0 : at_ceiling > 0);
        tcplan_ranking_free(ranking);
        random_contraction_free(&contraction);
    }
}

static void only_the_thesis_predictor_lists_benchmarks(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.predictor = TCPLAN_PREDICT_THESIS;
    options.stage = TCPLAN_STAGE_ACCESS;
    options.setup_limit_bytes = 1 << 20;
    struct tcplan_ranking *ranking = rank(&given, &options);
    bool any_shared = false;
    for (size_t e = 0; e < ranking->entry_count; e++) {
        const struct tcplan_entry *entry = &ranking->entry[e];
        assert_int_equal(entry->benchmark_count, 1);
        assert_true(entry->benchmark[0].calls == (double)entry->calls &&
                    entry->benchmark[0].batch >= 1);
        any_shared = any_shared || entry->benchmark[0].shared;
    }
    assert_true(any_shared); /* cab-ddot and bac-ddot, for example, have the same calls at the same
                                distances */
    options.predictor = TCPLAN_PREDICT_WINDOW;
    options.predict_all = true;
    assert_int_equal(tcplan_ranking_predict(ranking, &options, NULL), TCPLAN_OK);
    assert_all_predicted(ranking);
    for (size_t e = 0; e < ranking->entry_count; e++)
        assert_int_equal(ranking->entry[e].benchmark_count, 0);
    tcplan_ranking_free(ranking);
    random_contraction_free(&given);
}

static void predicting_again_keeps_the_memory(void **state) {
    (void)state;
    struct random_contraction given;
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.predictor = TCPLAN_PREDICT_REPEATED;
    struct tcplan_ranking *ranking = rank(&given, &options);
    const struct buffers *buffers = ranking->buffers;
    options.predictor = TCPLAN_PREDICT_THESIS;
    assert_int_equal(tcplan_ranking_predict(ranking, &options, NULL), TCPLAN_OK);
    assert_ptr_equal(ranking->buffers, buffers);
    assert_all_predicted(ranking);
    tcplan_ranking_free(ranking);
    random_contraction_free(&given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predictors_without_windows_predict_everything),
        cmocka_unit_test(ceilings_bound_the_time_of_every_algorithm),
        cmocka_unit_test(windows_above_the_ceilings_are_not_believed),
        cmocka_unit_test(only_the_thesis_predictor_lists_benchmarks),
        cmocka_unit_test(predicting_again_keeps_the_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
