/*
 * Emitted functions that take extents: compiled once, called at several extents - those planned for, others, 1, 0, no multiples of tiles -, and
 * compared with naive loops.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

enum { CONTRACTIONS = 10, ALGORITHMS = 6, SIZES = 6 };

/** Functions that are compiled together, and how many of each contraction. */
struct batch {
    struct random_contraction contraction[CONTRACTIONS];
    struct tcplan_algorithm algorithm[CONTRACTIONS][ALGORITHMS];
    int count[CONTRACTIONS];
};

/** NAME_at(extents, A, B, addend, C) calls NAME. */
static void add_entry(struct strbuf *out, const struct random_contraction *random, const char *name) {
    static const char *const type[TCPLAN_DTYPES] = {"float", "double", "float _Complex", "double _Complex"};
    const char *t = type[random->problem.dtype];
    for (int part = 0; part < 2; part++) {
        strbuf_add(out, "int %s_at(const int64_t *extent, const %s *A, const %s *B, const %s *addend, %s *C)%s\n", name, t, t, t, t,
                   part == 0 ? ";" : " {");
    }
    strbuf_add(out, "    (void)extent;\n    (void)addend;\n    return %s(", name);
    for (int i = 0; i < random->contraction->index_count; i++) strbuf_add(out, "extent[%d], ", i);
    strbuf_add(out, tcplan_contraction_has_addend(random->contraction) ? "A, B, addend, C);\n}\n\n" : "A, B, C);\n}\n\n");
}

typedef int function_at(const int64_t *extent, const void *A, const void *B, const void *addend, void *C);

static function_at *find(const struct emitted *emitted, const char *name) {
    char entry[64];
    snprintf(entry, sizeof entry, "%s_at", name);
    return (function_at *)(void (*)(void))emitted_find(emitted, entry);
}

/** Adds the function to a text, and its entry; false where the provider has no such kernel. */
static bool add_function(struct strbuf *out, const struct random_contraction *random, const struct tcplan_algorithm *algorithm,
                         const char *name, int threads) {
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    struct tcplan_error error = {0};
    const struct tcplan_emit_options options = {.function = name, .threads = threads, .takes_extents = true};
    enum tcplan_status status = tcplan_nest_build(&nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK) status = tcplan_emit_c(&text, nest, &random->problem, &options, &error);
    tcplan_nest_free(nest);
    if (status == TCPLAN_NOT_APPLICABLE) return false;
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
    strbuf_add(out, "%s\n", text);
    add_entry(out, random, name);
    free(text);
    return true;
}

static void fail_naming(const struct random_contraction *random, const struct tcplan_algorithm *algorithm, const int64_t extent[],
                        const char *what) {
    char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    struct strbuf at = {0};
    for (int i = 0; i < random->contraction->index_count; i++)
        strbuf_add(&at, " %s=%d", random->contraction->index[i].name, (int)extent[i]);
    fail_msg("%s --algorithm \"%s\" at%s: %s", random_contraction_describe(random), name, at.text ? at.text : "", what);
}

/** Calls the function at other extents than those it was planned for. */
static void check_at(function_at *function, const struct random_contraction *random, const struct tcplan_algorithm *algorithm,
                     const int64_t extent[]) {
    struct tcplan_problem problem;
    struct naive_case naive;
    assert_int_equal(tcplan_problem_init(&problem, random->contraction, extent, random->problem.dtype, NULL), TCPLAN_OK);
    naive_case_init(&naive, &problem, random->seed);
    naive_case_reset(&naive);
    const int status = function(extent, naive.A, naive.B, naive.addend, naive.C);
    if (status != 0) fail_naming(random, algorithm, extent, strerror(status));
    if (!(naive_case_error(&naive) <= naive_tolerance(&problem))) fail_naming(random, algorithm, extent, "it differs");
    naive_case_free(&naive);
}

/** Size set 0: as planned; 1: all 1; the others: 0 to `largest`, the 0 rare. */
static void choose_extents(int64_t extent[], const struct random_contraction *random, int set, int64_t largest, uint64_t *state) {
    for (int i = 0; i < random->contraction->index_count; i++) {
        *state = *state * 6364136223846793005U + 1442695040888963407U;
        const int64_t number = (int64_t)(*state >> 33);
        extent[i] = set == 0 ? random->problem.extent[i] : set == 1 ? 1 : number % 37 == 0 ? 0 : 1 + number % largest;
    }
}

/** Returns how many functions were compared. */
static int compare(const struct batch *batch, const struct emitted *emitted, int64_t largest) {
    int compared = 0;
    uint64_t state = 7;
    for (int c = 0; c < CONTRACTIONS; c++) {
        for (int a = 0; a < batch->count[c]; a++, compared++) {
            char name[40];
            int64_t extent[TCPLAN_MAX_INDICES];
            snprintf(name, sizeof name, "f%d_%d", c, a);
            for (int set = 0; set < SIZES; set++) {
                choose_extents(extent, &batch->contraction[c], set, largest, &state);
                check_at(find(emitted, name), &batch->contraction[c], &batch->algorithm[c][a], extent);
            }
        }
    }
    return compared;
}

static void run_batch(uint64_t first_seed, const struct random_contraction_options *options, enum tcplan_provider provider, int64_t largest,
                      int threads, int least) {
    struct batch *batch = calloc(1, sizeof *batch);
    struct strbuf all = {0};
    assert_non_null(batch);
    for (int c = 0; c < CONTRACTIONS; c++) {
        uint64_t state = first_seed + (uint64_t)c;
        random_contraction_init(&batch->contraction[c], state, options);
        for (int attempt = 0; attempt < 3 * ALGORITHMS && batch->count[c] < ALGORITHMS; attempt++) {
            struct tcplan_algorithm *algorithm = &batch->algorithm[c][batch->count[c]];
            char name[40];
            snprintf(name, sizeof name, "f%d_%d", c, batch->count[c]);
            if (!random_algorithm(algorithm, batch->contraction[c].contraction, provider, &state)) continue;
            if (threads > 1) random_parallel_loop(algorithm, batch->contraction[c].contraction, &state);
            batch->count[c] += add_function(&all, &batch->contraction[c], algorithm, name, threads);
        }
    }
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted = emitted_build(NULL, text);
    const int compared = compare(batch, emitted, largest);
    if (compared < least) fail_msg("%d functions compared, %d wanted", compared, least);
    emitted_free(emitted);
    free(text);
    for (int c = 0; c < CONTRACTIONS; c++) random_contraction_free(&batch->contraction[c]);
    free(batch);
}

static struct random_contraction_options dense(void) {
    struct random_contraction_options options = random_contraction_defaults();
    options.strides = false;
    options.overlaps = false;
    return options;
}

static void random_algorithms_equal_naive_loops_at_any_extents(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    run_batch(90001, &options, TCPLAN_PROVIDER_BLAS, 9, 1, 40);
    run_batch(91001, &options, TCPLAN_PROVIDER_BLAS, 15, 1, 40);
}

static void random_algorithms_with_parallel_loops_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    if (!emitted_has_openmp(NULL)) skip();
    run_batch(95001, &options, TCPLAN_PROVIDER_BLAS, 9, 3, 40);
}

static void need(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

static void random_algorithms_with_kernels_of_blis_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = dense();
    need(TCPLAN_PROVIDER_BLIS);
    run_batch(96001, &options, TCPLAN_PROVIDER_BLIS, 9, 1, 20);
}

static void random_algorithms_with_kernels_of_libxsmm_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = dense();
    options.scalars = false;
    need(TCPLAN_PROVIDER_LIBXSMM);
    run_batch(97001, &options, TCPLAN_PROVIDER_LIBXSMM, 9, 1, 10);
}

/* Given algorithms. */

/** A contraction at the sizes that it is planned for, and the name of an algorithm. */
struct given {
    const char *text;
    const char *sizes;
    enum tcplan_dtype dtype;
    const char *algorithm;
};

static const struct given tiled = {"C_abc=A_bda*B_dc", "a=20,b=16,c=17,d=24", TCPLAN_DOUBLE, "a:8'Cs.a-dgemm"};
static const struct given panels = {"C_mn+=A_mk*B_kn", "m=100,n=1030,k=300", TCPLAN_DOUBLE, "n:512.k:256'Btp+4.m:96'Ap.n:8.m:16-dgemm"};
static const struct given batched = {"C_abc=2*A_ai*B_ibc-0.5*C_abc", "a=12,b=13,c=14,i=8", TCPLAN_FLOAT_COMPLEX, "c-cgemm"};
static const struct given shared = {"C_abc=A_bda*B_dc", "a=37,b=16,c=17,d=24", TCPLAN_DOUBLE, "'B.a:8|'ACs-dgemm"};

static void given_init(struct random_contraction *random, struct tcplan_algorithm *algorithm, const struct given *given) {
    struct tcplan_error error = {0};
    random_contraction_given(random, given->text, given->sizes, TCPLAN_COLUMN_MAJOR, given->dtype);
    if (tcplan_algorithm_parse(algorithm, random->contraction, given->dtype, given->algorithm, &error)) fail_msg("%s", error.message);
}

static char *emit_given(const struct given *given, const struct tcplan_emit_options *options) {
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    given_init(&random, &algorithm, given);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_emit_c(&text, nest, &random.problem, options, NULL), TCPLAN_OK);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
    return text;
}

/** The text without the kernels of copies. */
static void expressions_stand_where_there_were_numbers(void **state) {
    (void)state;
    char *text = emit_given(&tiled, &(struct tcplan_emit_options){.takes_extents = true});
    char *kernels = strstr(text, "#ifndef COPY_");
    const char *function = strstr(text, "int contract(");
    assert_true(kernels && function);
    memmove(kernels, function, strlen(function) + 1);
    golden_check("emit/extents.c", text);
    free(text);
}

static void the_drivers_report_success(void **state) {
    (void)state;
    static const struct given *const all[4] = {&tiled, &panels, &batched, &shared};
    for (int g = 0; g < 4; g++) {
        char output[1000];
        const struct tcplan_emit_options options = {
            .takes_extents = true, .with_main = true, .threads = all[g] == &shared && emitted_has_openmp(NULL) ? 2 : 1};
        char *text = emit_given(all[g], &options);
        const int status = emitted_run(NULL, text, output, sizeof output);
        if (status != 0 || !strstr(output, "check passed (max error ")) fail_msg("%s: exit status %d\n%s", all[g]->text, status, output);
        free(text);
    }
}

/** Several tiles, whole and partial ones, and more of them than there were at the planned sizes. */
static void large_extents_have_many_tiles(void **state) {
    (void)state;
    static const struct given *const all[2] = {&tiled, &panels};
    static const int64_t extents[2][4] = {{64, 3, 9, 41}, {300, 520, 700, 0}};
    for (int g = 0; g < 2; g++) {
        struct random_contraction random;
        struct tcplan_algorithm algorithm;
        struct strbuf all_text = {0};
        given_init(&random, &algorithm, all[g]);
        assert_true(add_function(&all_text, &random, &algorithm, "f", 1));
        struct emitted *emitted = emitted_build(NULL, all_text.text);
        check_at(find(emitted, "f"), &random, &algorithm, extents[g]);
        emitted_free(emitted);
        strbuf_free(&all_text);
        random_contraction_free(&random);
    }
}

static void extents_that_cannot_be_are_refused(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct strbuf text = {0};
    given_init(&random, &algorithm, &batched);
    assert_true(add_function(&text, &random, &algorithm, "f", 1));
    struct emitted *emitted = emitted_build(NULL, text.text);
    function_at *function = find(emitted, "f");
    assert_int_equal(function((const int64_t[]){1, -1, 1, 1}, NULL, NULL, NULL, NULL), EINVAL);
    assert_int_equal(function((const int64_t[]){-1, 0, 1, 1}, NULL, NULL, NULL, NULL), EINVAL);
    assert_int_equal(function((const int64_t[]){1, 0, 1, 1}, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(function((const int64_t[]){(int64_t)1 << 31, 1, 1, 1}, NULL, NULL, NULL, NULL), EINVAL);
    assert_int_equal(function((const int64_t[]){1, 1, (int64_t)1 << 62, 4}, NULL, NULL, NULL, NULL), EINVAL);
    assert_int_equal(function((const int64_t[]){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, NULL, NULL, NULL, NULL), EINVAL);
    emitted_free(emitted);
    strbuf_free(&text);
    random_contraction_free(&random);
}

static void tensors_with_strides_are_refused(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    random_contraction_strided(&random, "C_ab=A_ai*B_ib", "a=2,b=3,i=4", "A=1,5", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, random.contraction, TCPLAN_DOUBLE, "b-dgemv", &error), TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, &error), TCPLAN_OK);
    const struct tcplan_emit_options options = {.takes_extents = true};
    assert_int_equal(tcplan_emit_c(&text, nest, &random.problem, &options, &error), TCPLAN_NOT_APPLICABLE);
    assert_string_equal(error.message, "extents cannot be arguments: tensors with strides have fixed extents");
    assert_null(text);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
}

static void no_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    given_init(&random, &algorithm, &tiled);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    const struct tcplan_emit_options options = {.takes_extents = true, .with_main = true};
    for (long successes = 0; status == TCPLAN_NO_MEMORY && successes < 10000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_emit_c(&text, nest, &random.problem, &options, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_NO_MEMORY ? !text : text != NULL);
    }
    assert_int_equal(status, TCPLAN_OK);
    free(text);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_algorithms_equal_naive_loops_at_any_extents),
                                       cmocka_unit_test(random_algorithms_with_parallel_loops_equal_naive_loops),
                                       cmocka_unit_test(random_algorithms_with_kernels_of_blis_equal_naive_loops),
                                       cmocka_unit_test(random_algorithms_with_kernels_of_libxsmm_equal_naive_loops),
                                       cmocka_unit_test(expressions_stand_where_there_were_numbers),
                                       cmocka_unit_test(the_drivers_report_success),
                                       cmocka_unit_test(large_extents_have_many_tiles),
                                       cmocka_unit_test(extents_that_cannot_be_are_refused),
                                       cmocka_unit_test(tensors_with_strides_are_refused),
                                       cmocka_unit_test(no_memory_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
