#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "support/named_nest.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/analysis.h"

enum { A = TCPLAN_A, B = TCPLAN_B, C = TCPLAN_C };

static struct tcplan_analysis_options options_of(enum tcplan_stage stage) {
    return (struct tcplan_analysis_options){
        .stage = stage, .line_bytes = 64, .limit_bytes = 1 << 20, .first_share = 0.01};
}

static struct tcplan_analysis *analyse(const struct named_nest *named,
                                       struct tcplan_analysis_options options) {
    struct tcplan_analysis *analysis = NULL;
    assert_int_equal(tcplan_analysis_build(&analysis, named->nest, &named->problem, &options, NULL),
                     TCPLAN_OK);
    return analysis;
}

/** Analyses an algorithm for `C_abc+=A_ai*B_ibc`. */
static struct tcplan_analysis *analyse_example(const char *sizes, enum tcplan_dtype dtype,
                                               const char *algorithm,
                                               struct tcplan_analysis_options options) {
    struct named_nest named;
    named_nest_init(&named, "C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, sizes, dtype, algorithm);
    struct tcplan_analysis *analysis = analyse(&named, options);
    named_nest_free(&named);
    return analysis;
}

static void assert_class(const struct tcplan_analysis *analysis, int number,
                         enum tcplan_class_kind kind, int loop, int64_t calls) {
    assert_true(number < analysis->class_count);
    assert_int_equal(analysis->call_class[number].kind, kind);
    assert_int_equal(analysis->call_class[number].loop, loop);
    assert_true(analysis->call_class[number].calls == calls);
}

/* Numbers of calls. */

static void one_call_on_the_elements_of_a_line_fails(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse_example(
        "a=400,b=400,c=30,i=8", TCPLAN_DOUBLE, "ca-dgemv", options_of(TCPLAN_STAGE_FAILURE));
    assert_class(analysis, 0, TCPLAN_CLASS_STEADY, -1, 350 * 30);
    assert_class(analysis, 1, TCPLAN_CLASS_PREFETCH_FAILURE, -1, 50 * 30);
    tcplan_analysis_free(analysis);

    analysis = analyse_example("a=400,b=400,c=30,i=8", TCPLAN_DOUBLE_COMPLEX, "ca-zgemv",
                               options_of(TCPLAN_STAGE_FAILURE));
    assert_class(analysis, 1, TCPLAN_CLASS_PREFETCH_FAILURE, -1, 100 * 30);
    tcplan_analysis_free(analysis);
}

static void a_first_iteration_is_not_also_a_failed_prefetch(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse_example("a=17,b=400,c=30,i=8", TCPLAN_DOUBLE,
                                                       "ca-dgemv", options_of(TCPLAN_STAGE_FIRST));
    assert_class(analysis, 0, TCPLAN_CLASS_STEADY, -1, 14 * 30);
    assert_class(analysis, 1, TCPLAN_CLASS_PREFETCH_FAILURE, -1, 2 * 30); /* iterations 8 and 16 */
    assert_class(analysis, 2, TCPLAN_CLASS_FIRST, 1, 30);
    assert_int_equal(analysis->class_count, 3);
    tcplan_analysis_free(analysis);
}

static void outer_loops_get_a_class_above_their_share(void **state) {
    (void)state;
    struct tcplan_analysis_options options = options_of(TCPLAN_STAGE_FIRST);
    struct tcplan_analysis *analysis =
        analyse_example("a=9,b=9,c=9,i=2", TCPLAN_DOUBLE, "bca-ddot", options);
    assert_class(analysis, 2, TCPLAN_CLASS_FIRST, 2, 81 - 9);
    assert_class(analysis, 3, TCPLAN_CLASS_FIRST, 1, 9); /* 9 of 729 calls: above 1 % */
    assert_int_equal(analysis->class_count, 4);          /* 1 of 729: below 1 % */
    tcplan_analysis_free(analysis);

    options.first_share = 0;
    analysis = analyse_example("a=9,b=9,c=9,i=2", TCPLAN_DOUBLE, "bca-ddot", options);
    assert_class(analysis, 3, TCPLAN_CLASS_FIRST, 1, 8);
    assert_class(analysis, 4, TCPLAN_CLASS_FIRST, 0, 1);
    tcplan_analysis_free(analysis);
}

static void an_innermost_loop_of_one_iteration_has_first_ones_only(void **state) {
    (void)state;
    struct tcplan_analysis *analysis = analyse_example("a=1,b=40,c=30,i=8", TCPLAN_DOUBLE,
                                                       "ca-dgemv", options_of(TCPLAN_STAGE_FIRST));
    assert_class(analysis, 0, TCPLAN_CLASS_FIRST, 1, 30 - 1);
    assert_class(analysis, 1, TCPLAN_CLASS_FIRST, 0, 1);
    tcplan_analysis_free(analysis);
}

static void a_nest_without_loops_has_one_steady_call(void **state) {
    (void)state;
    struct named_nest named;
    named_nest_init(&named, "C_ab+=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, "a=5,b=6,i=7", TCPLAN_DOUBLE,
                    "dgemm");
    struct tcplan_analysis *analysis = analyse(&named, options_of(TCPLAN_STAGE_FIRST));
    assert_int_equal(analysis->class_count, 1);
    assert_class(analysis, 0, TCPLAN_CLASS_STEADY, -1, 1);
    assert_int_equal(analysis->call_class[0].setup_count, 0);
    tcplan_analysis_free(analysis);
    named_nest_free(&named);
}

/** Counts the calls of a class by visiting all calls of the loop nest; `at` has the current
 * iteration of each loop. */
static int64_t count_calls(const struct tcplan_analysis *analysis, const struct named_nest *named,
                           int number, struct tcplan_analysis_options options, bool sharing) {
    const struct tcplan_algorithm *algorithm = &named->nest->algorithm;
    const int loops = algorithm->loop_count;
    const int64_t line = options.line_bytes / (int64_t)named->problem.element_bytes;
    int outermost_class = loops;
    for (int n = 0; n < analysis->class_count; n++) {
        if (analysis->call_class[n].kind == TCPLAN_CLASS_FIRST &&
            analysis->call_class[n].loop < outermost_class)
            outermost_class = analysis->call_class[n].loop;
    }
    const struct tcplan_call_class *wanted = &analysis->call_class[number];
    int64_t counted = 0;
    for (int64_t call = 0; call < analysis->calls; call++) {
        int first = loops;
        int64_t rest = call, inner = 0;
        for (int l = loops - 1; l >= 0; l--) {
            const int64_t at = rest % named->problem.extent[algorithm->loop[l]];
            rest /= named->problem.extent[algorithm->loop[l]];
            if (l == loops - 1) inner = at;
            if (at == 0 && first == l + 1) first = l;
        }
        if (first < outermost_class) first = outermost_class;
        const bool is_first = options.stage == TCPLAN_STAGE_FIRST && first < loops;
        const bool fails = !is_first && options.stage >= TCPLAN_STAGE_FAILURE && sharing &&
                           loops > 0 && inner % line == 0;
        const enum tcplan_class_kind kind = is_first ? TCPLAN_CLASS_FIRST
                                            : fails  ? TCPLAN_CLASS_PREFETCH_FAILURE
                                                     : TCPLAN_CLASS_STEADY;
        counted += kind == wanted->kind && (kind != TCPLAN_CLASS_FIRST || first == wanted->loop);
    }
    return counted;
}

static bool shares_lines(const struct named_nest *named, struct tcplan_analysis_options options) {
    options.stage = TCPLAN_STAGE_PREFETCH;
    struct tcplan_analysis *analysis = analyse(named, options);
    const struct tcplan_access *access = analysis->call_class[0].access;
    const bool shares = access[A].shares_lines || access[B].shares_lines || access[C].shares_lines;
    tcplan_analysis_free(analysis);
    return shares;
}

/** Checks that each operand's distance is the sum of the sizes that follow it in the setup, and
 * that no distance exceeds the limit. Longer distances of operands in the setup are allowed. */
static void check_setup(const struct tcplan_call_class *call_class,
                        const struct tcplan_problem *problem, double limit_bytes) {
    int64_t behind = 0;
    bool touched[TCPLAN_OPERANDS] = {false};
    for (int s = call_class->listed_count - 1; s >= 0; s--) {
        const struct tcplan_setup_step *step = &call_class->setup[s];
        const struct tcplan_access *access = &call_class->access[step->operand];
        const bool after_remote =
            s + 1 < call_class->listed_count && call_class->setup[s + 1].remote;
        if (!step->remote) {
            const int64_t distance =
                step->prefetch ? access->prefetch_distance_elems : access->distance_elems;
            assert_true(after_remote ? behind == distance : behind >= distance);
            assert_true((double)distance * (double)problem->element_bytes <= limit_bytes);
            assert_true(step->prefetch ? step->elems <= access->elems
                                       : step->elems == access->elems);
            touched[step->operand] = touched[step->operand] || step->elems == access->elems;
        }
        behind += step->elems;
    }
    for (int t = 0; t < TCPLAN_OPERANDS; t++)
        assert_true(touched[t] || call_class->truncated || call_class->listed_count == 0);
    if (call_class->truncated && limit_bytes < INFINITY)
        assert_true(behind >= (int64_t)limit_bytes / (int64_t)problem->element_bytes);
}

static void check_weights(const struct named_nest *named, struct tcplan_analysis_options options) {
    struct tcplan_analysis *analysis = analyse(named, options);
    const bool sharing = shares_lines(named, options);
    int64_t sum = 0;
    for (int n = 0; n < analysis->class_count; n++) {
        const struct tcplan_call_class *call_class = &analysis->call_class[n];
        assert_true(call_class->calls > 0);
        sum += call_class->calls;
        assert_true(call_class->calls == count_calls(analysis, named, n, options, sharing));
        assert_true(call_class->setup_count == 0 ||
                    call_class->setup_count == call_class->listed_count);
        assert_true(call_class->listed_count <= TCPLAN_MAX_SETUP);
        check_setup(call_class, &named->problem, options.limit_bytes);
    }
    assert_true(sum == analysis->calls);
    assert_true(options.stage >= TCPLAN_STAGE_FAILURE || analysis->class_count == 1);
    tcplan_analysis_free(analysis);
}

/** Checks the algorithms of a random contraction: all, or a few if there are many. Returns their
 * number. */
static int check_random(uint64_t seed) {
    static const double shares[] = {0, 0.01, 0.1, 1};
    struct random_contraction_options wanted = random_contraction_defaults();
    wanted.zeros = false;
    wanted.overlaps = false;
    struct random_contraction random;
    struct tcplan_enumerator enumerator;
    struct tcplan_algorithm algorithm;
    uint64_t rng = seed;
    int checked = 0;
    random_contraction_init(&random, seed, &wanted);
    tcplan_enumerator_init(&enumerator, random.contraction);
    while (tcplan_enumerator_next(&enumerator, &algorithm)) {
        if (!rng_once_in(&rng, 8) || tcplan_problem_only_scales(&random.problem)) continue;
        struct named_nest named = {.contraction = random.contraction, .problem = random.problem};
        assert_int_equal(tcplan_nest_build(&named.nest, random.contraction, &algorithm, NULL),
                         TCPLAN_OK);
        struct tcplan_analysis_options options =
            options_of((enum tcplan_stage)rng_below(&rng, TCPLAN_STAGE_FIRST + 1));
        options.first_share = shares[rng_below(&rng, 4)];
        options.line_bytes = 16 << rng_below(&rng, 3);
        options.limit_bytes = rng_once_in(&rng, 3) ? INFINITY : (double)rng_below(&rng, 20000);
        options.cache = rng_once_in(&rng, 2) ? TCPLAN_CACHE_COLD : TCPLAN_CACHE_WARM;
        check_weights(&named, options);
        tcplan_nest_free(named.nest);
        checked++;
    }
    random_contraction_free(&random);
    return checked;
}

static void weights_sum_to_the_calls_and_equal_a_count(void **state) {
    (void)state;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) checked += check_random(seed);
    assert_true(checked > 3000);
}

/* Prefetching. */

static void assert_prefetched(const char *text, enum tcplan_order order, const char *sizes,
                              const char *algorithm, const char *expected) {
    struct named_nest named;
    char found[TCPLAN_OPERANDS + 1] = "---";
    named_nest_init(&named, text, order, sizes, TCPLAN_DOUBLE, algorithm);
    struct tcplan_analysis *analysis = analyse(&named, options_of(TCPLAN_STAGE_PREFETCH));
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        const struct tcplan_access *access = &analysis->call_class[0].access[t];
        if (access->prefetched) found[t] = access->shares_lines ? 's' : 'n';
    }
    assert_string_equal(found, expected);
    tcplan_analysis_free(analysis);
    named_nest_free(&named);
}

/* Example 6.8 of Peise (2017). Letters after A, B and C: `s` shares cache lines with the previous
 * call, `n` is next to its data in memory. */
static void columns_are_prefetched_and_rows_share_lines(void **state) {
    (void)state;
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=400,i=8", "bi-dger", "ns-");
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=400,i=8", "ca-dgemv", "s-s");
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=400,i=8", "b-dgemm", "-nn");
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=b=c=400,i=8", "c-dgemm", "---");
}

static void in_row_major_order_the_last_dimension_is_the_first(void **state) {
    (void)state;
    assert_prefetched("C_cba+=A_ia*B_cbi", TCPLAN_ROW_MAJOR, "a=b=c=400,i=8", "bi-dger", "ns-");
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_ROW_MAJOR, "a=b=c=400,i=8", "ba-dgemv", "n--");
}

static void a_first_dimension_within_a_line_need_not_be_whole(void **state) {
    (void)state;
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=400,b=40,c=40,i=8", "aib-daxpy",
                      "-n-");
    assert_prefetched("C_abc+=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, "a=400,b=40,c=40,i=9", "aib-daxpy",
                      "---");
}

static void diagonals_are_not_prefetched(void **state) {
    (void)state;
    assert_prefetched("C_ab+=A_iai*B_ib", TCPLAN_COLUMN_MAJOR, "a=40,b=40,i=40", "bi-daxpy", "-s-");
}

static void a_result_scaled_just_before_needs_no_prefetch(void **state) {
    (void)state;
    assert_prefetched("C_xab+=A_xa*B_xb", TCPLAN_COLUMN_MAJOR, "x=40,a=40,b=40", "ax-daxpy", "sss");
    assert_prefetched("C_xab=A_xa*B_xb", TCPLAN_COLUMN_MAJOR, "x=40,a=40,b=40", "ax-daxpy", "ss-");
}

static void a_machine_without_caches_has_no_limit(void **state) {
    (void)state;
    struct tcplan_machine machine = {.line_bytes = 32, .page_bytes = 4096};
    struct tcplan_analysis_options options = tcplan_analysis_defaults(&machine);
    assert_true(isinf(options.limit_bytes) && options.line_bytes == 32 &&
                options.stage == TCPLAN_STAGE_FIRST);
    assert_int_equal(options.cache, TCPLAN_CACHE_WARM);
    machine.cache_count = 2;
    machine.cache[1].size_bytes = 6 << 20;
    options = tcplan_analysis_defaults(&machine);
    assert_true(options.limit_bytes == 983040.0 * 8);
}

static void more_calls_than_an_int64_counts_are_not_applicable(void **state) {
    (void)state;
    struct named_nest named;
    struct tcplan_analysis *analysis = NULL;
    const struct tcplan_analysis_options options = options_of(TCPLAN_STAGE_FIRST);
    named_nest_init(&named, "C_abcd+=A_abij*B_ijcd", TCPLAN_COLUMN_MAJOR, "a=b=c=d=30000,i=j=20000",
                    TCPLAN_FLOAT, "abcdj-sdot");
    assert_int_equal(tcplan_analysis_build(&analysis, named.nest, &named.problem, &options, NULL),
                     TCPLAN_NOT_APPLICABLE);
    assert_null(analysis);
    named_nest_free(&named);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct named_nest named;
    struct tcplan_analysis *analysis = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_analysis_options options = options_of(TCPLAN_STAGE_FIRST);
    named_nest_init(&named, "C_ab+=A_ai*B_ib", TCPLAN_COLUMN_MAJOR, "a=5,b=6,i=7", TCPLAN_DOUBLE,
                    "a-dgemv");
    base_alloc_fail_after(0);
    const enum tcplan_status status =
        tcplan_analysis_build(&analysis, named.nest, &named.problem, &options, &error);
    base_alloc_fail_after(-1);
    assert_int_equal(status, TCPLAN_NO_MEMORY);
    assert_int_equal(error.status, TCPLAN_NO_MEMORY);
    tcplan_analysis_free(NULL);
    named_nest_free(&named);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_call_on_the_elements_of_a_line_fails),
        cmocka_unit_test(a_first_iteration_is_not_also_a_failed_prefetch),
        cmocka_unit_test(outer_loops_get_a_class_above_their_share),
        cmocka_unit_test(an_innermost_loop_of_one_iteration_has_first_ones_only),
        cmocka_unit_test(a_nest_without_loops_has_one_steady_call),
        cmocka_unit_test(weights_sum_to_the_calls_and_equal_a_count),
        cmocka_unit_test(columns_are_prefetched_and_rows_share_lines),
        cmocka_unit_test(in_row_major_order_the_last_dimension_is_the_first),
        cmocka_unit_test(a_first_dimension_within_a_line_need_not_be_whole),
        cmocka_unit_test(diagonals_are_not_prefetched),
        cmocka_unit_test(a_result_scaled_just_before_needs_no_prefetch),
        cmocka_unit_test(a_machine_without_caches_has_no_limit),
        cmocka_unit_test(more_calls_than_an_int64_counts_are_not_applicable),
        cmocka_unit_test(out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
