/*
 * Tests emitted C with the kernel brgemm, which sums the products of several pairs of matrices: its
 * text (golden texts: tests/golden/emit), and its results compared with naive loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/indexset.h"
#include "base/strbuf.h"
#include "gen/providers/provider.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

static void need_sums(void) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM)) return;
    print_message("libxsmm is not there\n");
    skip();
}

/** Returns the emitted function of an algorithm; NULL if libxsmm lacks its kernel. */
static char *emit(const struct random_contraction *given, const struct tcplan_algorithm *algorithm,
                  const struct tcplan_emit_options *options) {
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error;
    char *text = NULL;
    if (tcplan_nest_build(&nest, given->contraction, algorithm, NULL) != TCPLAN_OK) return NULL;
    const enum tcplan_status status = tcplan_emit_c(&text, nest, &given->problem, options, &error);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE)
        fail_msg("%s: %s", random_contraction_describe(given), error.message);
    tcplan_nest_free(nest);
    return text;
}

/* Random algorithms. */

static const char *const contractions[][2] = {
    {"C_ab=A_aij*B_ijb", "a=9,b=6,i=8,j=5"},
    {"C_abc+=A_jai*B_jbic", "a=9,b=3,c=4,i=5,j=6"},
    {"C_abd=A_aidj*B_bjdi-0.5*C_abd", "a=10,b=5,d=2,i=12,j=3"}};
enum {
    CONTRACTIONS = sizeof contractions / sizeof *contractions,
    ALGORITHMS = 30,
    ATTEMPTS = 6000
};

/** Functions that are compiled together. */
struct batch {
    struct random_contraction given[CONTRACTIONS];
    struct tcplan_algorithm algorithm[CONTRACTIONS][ALGORITHMS];
    int count[CONTRACTIONS];
    int varies; /* number of functions whose last tile sums fewer products */
    int steps;  /* number of functions that sum the products of steps within a tile */
};

/** Appends the function of a random algorithm of contraction c if its kernel sums products. */
static void add_algorithm(struct batch *batch, int c, struct strbuf *all, uint64_t *random) {
    char name[32];
    struct tcplan_algorithm algorithm;
    if (!random_algorithm(&algorithm, batch->given[c].contraction, TCPLAN_PROVIDER_LIBXSMM, random))
        return;
    if (algorithm.kernel != TCPLAN_BRGEMM) return;
    snprintf(name, sizeof name, "f%d_%d", c, batch->count[c]);
    char *text =
        emit(&batch->given[c], &algorithm, &(struct tcplan_emit_options){.function = name});
    if (!text) return;
    assert_non_null(strstr(text, "_reducebatch_strd("));
    batch->varies += strstr(text, "{(unsigned long long)(") != NULL;
    batch->steps += (algorithm.group[TCPLAN_R] &
                     ~indexset_below(batch->given[c].contraction->index_count)) != 0;
    batch->algorithm[c][batch->count[c]++] = algorithm;
    strbuf_add(all, "%s\n", text);
    free(text);
}

static struct emitted *build(struct batch *batch, const char *compiler, enum tcplan_dtype dtype) {
    struct strbuf all = {0};
    uint64_t random = 1;
    for (int c = 0; c < CONTRACTIONS; c++) {
        const enum tcplan_order order = c % 2 ? TCPLAN_ROW_MAJOR : TCPLAN_COLUMN_MAJOR;
        random_contraction_given(&batch->given[c], contractions[c][0], contractions[c][1], order,
                                 dtype);
        for (int a = 0; a < ATTEMPTS && batch->count[c] < ALGORITHMS; a++)
            add_algorithm(batch, c, &all, &random);
    }
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted = emitted_build(compiler, text);
    free(text);
    return emitted;
}

static void compare(const struct batch *batch, const struct emitted *emitted, int c) {
    const struct random_contraction *given = &batch->given[c];
    struct naive_case naive;
    naive_case_init(&naive, &given->problem, 1);
    for (int a = 0; a < batch->count[c]; a++) {
        char name[32];
        snprintf(name, sizeof name, "f%d_%d", c, a);
        naive_case_reset(&naive);
        assert_int_equal(emitted_compute(emitted, name, &naive), 0);
        if (naive_case_error(&naive) <= naive_tolerance(&given->problem)) continue;
        fail_msg("%s --algorithm \"%s\": wrong", random_contraction_describe(given),
                 tcplan_algorithm_name(&batch->algorithm[c][a], given->contraction,
                                       given->problem.dtype));
    }
    naive_case_free(&naive);
}

static void check_batch(const char *compiler, enum tcplan_dtype dtype) {
    struct batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    struct emitted *emitted = build(batch, compiler, dtype);
    for (int c = 0; c < CONTRACTIONS; c++) {
        assert_int_equal(batch->count[c], ALGORITHMS);
        compare(batch, emitted, c);
        random_contraction_free(&batch->given[c]);
    }
    assert_true(batch->varies > 0);
    assert_true(batch->steps > 3);
    emitted_free(emitted);
    free(batch);
}

static void random_algorithms_with_sums_equal_naive_loops(void **state) {
    (void)state;
    need_sums();
    if (emitted_has_compiler("gcc")) check_batch("gcc -Wconversion", TCPLAN_DOUBLE);
    if (emitted_has_compiler("clang")) check_batch("clang -Wconversion", TCPLAN_FLOAT);
}

/* Given algorithms. */

static char *emit_given(const char *contraction, const char *sizes, const char *name,
                        const char *driver) {
    struct random_contraction given;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    random_contraction_given(&given, contraction, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    if (tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    char *text =
        emit(&given, &algorithm,
             &(struct tcplan_emit_options){.function = driver, .with_main = driver != NULL});
    assert_non_null(text);
    random_contraction_free(&given);
    return text;
}

static void check_golden(const char *file, const char *contraction, const char *sizes,
                         const char *name) {
    char *text = emit_given(contraction, sizes, name, NULL);
    golden_check_function(file, text);
    free(text);
}

static void a_sum_is_one_call(void **state) {
    (void)state;
    need_sums();
    check_golden("emit/sum.c", "C_abc=A_aji*B_jbic", "a=64,b=64,c=64,i=8,j=8",
                 "c.i+-dbrgemm@libxsmm");
}

static void sums_over_the_points_of_tiles_have_fewer_products_in_the_last(void **state) {
    (void)state;
    need_sums();
    check_golden("emit/sum_points.c", "C_abc=A_aji*B_jbic", "a=64,b=64,c=64,i=13,j=8",
                 "c.i:4=.i+-dbrgemm@libxsmm");
}

/** As in libxsmm's own gemm: both factors are in packed panels, and one call of the kernel computes
 * each block of the result. */
static void steps_of_packed_factors_are_summed_up(void **state) {
    (void)state;
    need_sums();
    check_golden("emit/sum_steps.c", "C_mn=A_mk*B_kn", "m=100,n=44,k=512",
                 "n:20'Bp.m:48'Ap.n:4.m:16.k:64+-dbrgemm@libxsmm");
}

/** Emits drivers for contractions with sizes and algorithms, and checks that they report success.
 */
static void check_drivers(const char *const cases[][3], int count) {
    static const char *const name[] = {"f0", "f1", "f2", "f3", "f4", "f5", "f6"};
    char *text[sizeof name / sizeof *name];
    for (int c = 0; c < count; c++)
        text[c] = emit_given(cases[c][0], cases[c][1], cases[c][2], name[c]);
    emitted_check_drivers(emitted_run_unoptimized, NULL, text, count, name);
    for (int c = 0; c < count; c++) free(text[c]);
}

/** The driver checks results at small extents, which must be multiples of the steps. */
static void the_driver_reports_success(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"C_abc=A_aji*B_jbic", "a=64,b=64,c=64,i=13,j=8", "c.b:24.i+-dbrgemm@libxsmm"},
        {"C_mn=A_mk*B_kn", "m=100,n=44,k=512", "n:20'Bp.m:48'Ap.n:4.m:16.k:64+-dbrgemm@libxsmm"},
        {"C_mn=A_mk*B_kn", "m=100,n=44,k=45", "k:18='AB.k:3+-dbrgemm@libxsmm"},
        {"C_mn+=A_mk*B_kn", "m=100,n=44,k=2", "k:3+-dbrgemm@libxsmm"}};
    need_sums();
    check_drivers(cases, sizeof cases / sizeof *cases);
}

/** On a processor that libxsmm treats as generic, it generates no code. The driver then checks and
 * times BLAS calls. */
static void without_libxsmm_code_the_blas_makes_the_calls(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"C_ab=A_ak*B_kb", "a=64,b=64,k=37", "b:8.k:8=-dgemm@libxsmm"},
        {"C_abc=A_aji*B_jbic", "a=64,b=64,c=64,i=8,j=8", "c.i+-dbrgemm@libxsmm"},
        {"C_abc+=A_aji*B_jbic", "a=64,b=64,c=64,i=13,j=8", "c.j:3=.i:4=.i+-dbrgemm@libxsmm"},
        {"C_abc=A_aji*B_jbic", "a=64,b=64,c=64,i=13,j=8", "c.i:4=.i+-dbrgemm@libxsmm"},
        {"C_ab+=A_ak*B_kb", "a=64,b=64,k=37", "k:8=.b:24-dgemm@libxsmm"},
        {"C_ab+=A_ak*B_kb", "a=64,b=64,k=36", "k:8=.b:24'Bp.k:4+-dbrgemm@libxsmm"},
        {"C_abc=A_ai*B_ibc", "a=64,b=64,c=8,i=16", "c-dgemm@libxsmm"}};
    need_sums();
    setenv("LIBXSMM_TARGET", "generic", 1);
    check_drivers(cases, sizeof cases / sizeof *cases);
    unsetenv("LIBXSMM_TARGET");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_libxsmm_code_the_blas_makes_the_calls),
        cmocka_unit_test(a_sum_is_one_call),
        cmocka_unit_test(sums_over_the_points_of_tiles_have_fewer_products_in_the_last),
        cmocka_unit_test(steps_of_packed_factors_are_summed_up),
        cmocka_unit_test(random_algorithms_with_sums_equal_naive_loops),
        cmocka_unit_test(the_driver_reports_success)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
