/*
 * Calls every public function with n successful allocations, n = 0, 1, 2, ..., until it succeeds.
 * Each failure must return a status and no result, and leak nothing (sanitizers detect leaks).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tcplan/unstable.h"
#include "tcplan/xml.h"

/** Arguments for the functions under test. */
struct material {
    struct tcplan_contraction *contraction;
    struct tcplan_problem problem;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest;
    struct tcplan_ranking *ranking;
    struct tcplan_machine machine;
};
static struct material material;

static struct tcplan_rank_options options_for(enum tcplan_predictor predictor) {
    struct tcplan_rank_options options = tcplan_rank_defaults();
    options.machine = &material.machine;
    options.predictor = predictor;
    return options;
}

static int make_material(void **state) {
    static const int64_t extent[TCPLAN_MAX_INDICES] = {3, 4, 2, 5};
    const struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_WINDOW);
    (void)state;
    return tcplan_machine_load(&material.machine,
                               "pack:1 l2:1(size=256kB) l1d:1(size=32kB) core:1 pu:1", NULL) ||
           tcplan_contraction_parse(&material.contraction, "C_xab=2*A_iai*B_ibx-0.5*C_xab",
                                    TCPLAN_COLUMN_MAJOR, NULL) ||
           tcplan_problem_init(&material.problem, material.contraction, extent, TCPLAN_FLOAT,
                               NULL) ||
           tcplan_algorithm_parse(&material.algorithm, material.contraction, TCPLAN_FLOAT,
                                  "x-sgemm", NULL) ||
           tcplan_nest_build(&material.nest, material.contraction, &material.algorithm, NULL) ||
           tcplan_rank_one(&material.ranking, &material.problem, &material.algorithm, &options,
                           NULL);
}

static int free_material(void **state) {
    (void)state;
    tcplan_ranking_free(material.ranking);
    tcplan_nest_free(material.nest);
    tcplan_contraction_free(material.contraction);
    return 0;
}

/** Calls a function once, frees its result, and sets *given to whether it returned one. */
typedef enum tcplan_status call_fn(bool *given, struct tcplan_error *error);

static enum tcplan_status call_contraction_parse(bool *given, struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    enum tcplan_status status = tcplan_contraction_parse(
        &contraction, "C[row,col]=0.5*A[row,k,k]*B[k,col]+(1,2)*C[row,col]", TCPLAN_ROW_MAJOR,
        error);
    *given = contraction != NULL;
    tcplan_contraction_free(contraction);
    return status;
}

/** Converts the result of a function that returns a string, or NULL if memory runs out, to a
 * status. */
static enum tcplan_status string_status(char *text, bool *given, struct tcplan_error *error) {
    *given = text != NULL;
    free(text);
    if (error && !*given) error->status = TCPLAN_NO_MEMORY;
    return *given ? TCPLAN_OK : TCPLAN_NO_MEMORY;
}

static enum tcplan_status call_contraction_text(bool *given, struct tcplan_error *error) {
    return string_status(tcplan_contraction_text(material.contraction), given, error);
}

static enum tcplan_status call_algorithm_name(bool *given, struct tcplan_error *error) {
    return string_status(
        tcplan_algorithm_name(&material.algorithm, material.contraction, TCPLAN_FLOAT), given,
        error);
}

static enum tcplan_status call_nest_text(bool *given, struct tcplan_error *error) {
    return string_status(tcplan_nest_text(material.nest, NULL, TCPLAN_FLOAT), given, error);
}

static enum tcplan_status call_sizes_parse(bool *given, struct tcplan_error *error) {
    struct tcplan_sizes *sizes = NULL;
    enum tcplan_status status =
        tcplan_sizes_parse(&sizes, material.contraction, "a=b=1:9:2,x=3,i=4:5:1", error);
    *given = sizes != NULL;
    tcplan_sizes_free(sizes);
    return status;
}

static enum tcplan_status call_algorithm_parse(bool *given, struct tcplan_error *error) {
    struct tcplan_algorithm algorithm;
    enum tcplan_status status =
        tcplan_algorithm_parse(&algorithm, material.contraction, TCPLAN_FLOAT, "x-sgemm", error);
    *given = status == TCPLAN_OK;
    return status;
}

static enum tcplan_status call_nest_build(bool *given, struct tcplan_error *error) {
    struct tcplan_nest *nest = NULL;
    enum tcplan_status status =
        tcplan_nest_build(&nest, material.contraction, &material.algorithm, error);
    *given = nest != NULL;
    tcplan_nest_free(nest);
    return status;
}

static enum tcplan_status call_program_build(bool *given, struct tcplan_error *error) {
    struct tcplan_program *program = NULL;
    enum tcplan_status status =
        tcplan_program_build(&program, material.nest, &material.problem, error);
    *given = program != NULL;
    tcplan_program_free(program);
    return status;
}

static enum tcplan_status call_emit(bool *given, struct tcplan_error *error) {
    char *text = NULL;
    const struct tcplan_emit_options options = {.with_main = true};
    enum tcplan_status status =
        tcplan_emit_c(&text, material.nest, &material.problem, &options, error);
    *given = text != NULL;
    free(text);
    return status;
}

static enum tcplan_status call_analysis(bool *given, struct tcplan_error *error) {
    struct tcplan_analysis *analysis = NULL;
    const struct tcplan_analysis_options options = tcplan_analysis_defaults(&material.machine);
    enum tcplan_status status =
        tcplan_analysis_build(&analysis, material.nest, &material.problem, &options, error);
    *given = analysis != NULL;
    tcplan_analysis_free(analysis);
    return status;
}

static enum tcplan_status rank_with(enum tcplan_predictor predictor, bool *given,
                                    struct tcplan_error *error) {
    struct tcplan_ranking *ranking = NULL;
    const struct tcplan_rank_options options = options_for(predictor);
    enum tcplan_status status =
        tcplan_rank_one(&ranking, &material.problem, &material.algorithm, &options, error);
    *given = ranking != NULL;
    tcplan_ranking_free(ranking);
    return status;
}

static enum tcplan_status call_rank_one(bool *given, struct tcplan_error *error) {
    return rank_with(TCPLAN_PREDICT_WINDOW, given, error);
}

static enum tcplan_status call_rank_one_repeated(bool *given, struct tcplan_error *error) {
    return rank_with(TCPLAN_PREDICT_REPEATED, given, error);
}

static enum tcplan_status call_rank_one_thesis(bool *given, struct tcplan_error *error) {
    return rank_with(TCPLAN_PREDICT_THESIS, given, error);
}

/** Makes a problem with three algorithms, small enough to let every single allocation of the search
 * fail. */
static enum tcplan_status make_small(struct tcplan_contraction **contraction,
                                     struct tcplan_problem *problem) {
    static const int64_t extent[TCPLAN_MAX_INDICES] = {3, 4};
    base_alloc_fail_after(-1);
    enum tcplan_status status =
        tcplan_contraction_parse(contraction, "C_ab=A_a*B_b", TCPLAN_COLUMN_MAJOR, NULL);
    return status ? status : tcplan_problem_init(problem, *contraction, extent, TCPLAN_FLOAT, NULL);
}

static long successes; /* number of allocations that succeed in the current call */

static enum tcplan_status rank_small(const struct tcplan_rank_options *options, bool *given,
                                     struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_problem problem;
    struct tcplan_ranking *ranking = NULL;
    assert_int_equal(make_small(&contraction, &problem), TCPLAN_OK);
    base_alloc_fail_after(successes);
    enum tcplan_status status = tcplan_rank(&ranking, &problem, options, error);
    *given = ranking != NULL;
    tcplan_ranking_free(ranking);
    tcplan_contraction_free(contraction);
    return status;
}

/** Ranks by whole executions, or by windows, which cold caches require. */
static enum tcplan_status rank_by(enum tcplan_effort effort, enum tcplan_cache_state cache,
                                  bool *given, struct tcplan_error *error) {
    struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_WINDOW);
    options.effort = effort;
    options.cache = cache;
    options.gemm_gflops = -1;
    return rank_small(&options, given, error);
}

static enum tcplan_status call_rank_by_runs(bool *given, struct tcplan_error *error) {
    return rank_by(TCPLAN_EFFORT_NORMAL, TCPLAN_CACHE_WARM, given, error);
}

static enum tcplan_status call_rank_by_probes(bool *given, struct tcplan_error *error) {
    return rank_by(TCPLAN_EFFORT_NORMAL, TCPLAN_CACHE_COLD, given, error);
}

static enum tcplan_status call_rank_thoroughly_by_runs(bool *given, struct tcplan_error *error) {
    return rank_by(TCPLAN_EFFORT_THOROUGH, TCPLAN_CACHE_WARM, given, error);
}

static enum tcplan_status call_rank_thoroughly_by_windows(bool *given, struct tcplan_error *error) {
    return rank_by(TCPLAN_EFFORT_THOROUGH, TCPLAN_CACHE_COLD, given, error);
}

static enum tcplan_status call_explain(bool *given, struct tcplan_error *error) {
    struct tcplan_explanation *explanation = NULL;
    const struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_WINDOW);
    enum tcplan_status status =
        tcplan_explain(&explanation, material.ranking, NULL, &options, error);
    *given = explanation != NULL;
    tcplan_explanation_free(explanation);
    return status;
}

static enum tcplan_status call_measure(bool *given, struct tcplan_error *error) {
    const struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_WINDOW);
    enum tcplan_status status = tcplan_ranking_measure(material.ranking, 0, 1, &options, error);
    *given = status == TCPLAN_OK;
    return status;
}

static enum tcplan_status call_predict_again(bool *given, struct tcplan_error *error) {
    const struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_THESIS);
    enum tcplan_status status = tcplan_ranking_predict(material.ranking, &options, error);
    *given = status == TCPLAN_OK;
    return status;
}

static bool swallow(void *context, const char *text, size_t length) {
    (void)context;
    (void)text;
    (void)length;
    return true;
}

static enum tcplan_status call_xml(bool *given, struct tcplan_error *error) {
    struct tcplan_xml *xml = NULL;
    enum tcplan_status status = tcplan_xml_new(&xml, swallow, NULL, error);
    *given = xml != NULL;
    if (status == TCPLAN_OK) {
        tcplan_xml_nest(xml, material.nest, &material.problem, TCPLAN_FLOAT);
        status = tcplan_xml_finish(xml, error);
        *given = status == TCPLAN_OK;
    }
    return status;
}

/** Repeats a call with more and more successful allocations until it succeeds; returns their
 * number. */
static long call_until_it_succeeds(call_fn *call) {
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    for (successes = 0; status != TCPLAN_OK; successes++) {
        struct tcplan_error error = {0};
        bool given = false;
        base_alloc_fail_after(successes);
        status = call(&given, &error);
        base_alloc_fail_after(-1);
        assert_int_equal(given, status == TCPLAN_OK);
        if (status == TCPLAN_OK) break;
        assert_int_equal(status, TCPLAN_NO_MEMORY);
        assert_int_equal(error.status, TCPLAN_NO_MEMORY);
        assert_true(successes < 5000);
        if (successes > 10 && successes % 16) continue;
        base_alloc_fail_after(successes);
        status = call(&given, NULL); /* again, without an error argument */
        base_alloc_fail_after(-1);
        assert_int_equal(given, status == TCPLAN_OK);
    }
    return successes;
}

static void contractions_and_sizes_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_contraction_parse) > 0);
    assert_true(call_until_it_succeeds(call_contraction_text) > 0);
    assert_true(call_until_it_succeeds(call_sizes_parse) > 0);
}

static void algorithms_and_nests_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_algorithm_name) > 0);
    assert_int_equal(call_until_it_succeeds(call_algorithm_parse),
                     0); /* parsing a valid name allocates nothing */
    assert_true(call_until_it_succeeds(call_nest_build) > 0);
    assert_true(call_until_it_succeeds(call_nest_text) > 0);
    assert_true(call_until_it_succeeds(call_analysis) > 0);
}

static void programs_texts_and_documents_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_program_build) > 0);
    assert_true(call_until_it_succeeds(call_emit) > 0);
    assert_true(call_until_it_succeeds(call_xml) > 0);
}

static void rankings_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_rank_one) > 0);
    assert_true(call_until_it_succeeds(call_rank_one_repeated) > 0);
    assert_true(call_until_it_succeeds(call_rank_one_thesis) > 0);
    assert_true(call_until_it_succeeds(call_explain) > 0);
}

static void searches_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_rank_by_runs) > 0);
    assert_true(call_until_it_succeeds(call_rank_by_probes) > 0);
    assert_true(call_until_it_succeeds(call_rank_thoroughly_by_runs) > 0);
    assert_true(call_until_it_succeeds(call_rank_thoroughly_by_windows) > 0);
}

static void plans_and_measurements_report_out_of_memory(void **state) {
    (void)state;
    assert_true(call_until_it_succeeds(call_measure) > 0);
    assert_true(call_until_it_succeeds(call_predict_again) > 0);
}

static void rankings_stay_usable_after_failures(void **state) {
    (void)state;
    const struct tcplan_rank_options options = options_for(TCPLAN_PREDICT_WINDOW);
    base_alloc_fail_after(3);
    const enum tcplan_status failed = tcplan_ranking_predict(material.ranking, &options, NULL);
    base_alloc_fail_after(-1);
    assert_int_equal(failed, TCPLAN_NO_MEMORY);
    assert_int_equal(tcplan_ranking_predict(material.ranking, &options, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_ranking_measure(material.ranking, 0, 1, &options, NULL), TCPLAN_OK);
    assert_true(material.ranking->entry[0].predicted);
    assert_int_equal(material.ranking->entry[0].status, TCPLAN_ENTRY_MEASURED);
}

static void freeing_null_has_no_effect(void **state) {
    (void)state;
    tcplan_contraction_free(NULL);
    tcplan_sizes_free(NULL);
    tcplan_nest_free(NULL);
    tcplan_program_free(NULL);
    tcplan_analysis_free(NULL);
    tcplan_ranking_free(NULL);
    tcplan_explanation_free(NULL);
    assert_int_equal(tcplan_xml_finish(NULL, NULL), TCPLAN_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contractions_and_sizes_report_out_of_memory),
        cmocka_unit_test(algorithms_and_nests_report_out_of_memory),
        cmocka_unit_test(programs_texts_and_documents_report_out_of_memory),
        cmocka_unit_test(rankings_report_out_of_memory),
        cmocka_unit_test(searches_report_out_of_memory),
        cmocka_unit_test(plans_and_measurements_report_out_of_memory),
        cmocka_unit_test(rankings_stay_usable_after_failures),
        cmocka_unit_test(freeing_null_has_no_effect),
    };
    return cmocka_run_group_tests(tests, make_material, free_material);
}
