/*
 * Tests emitted C of algorithms of the full space, with fused indices, tiles, and copies in any
 * layout at any depth: its text (golden texts: tests/golden/emit), and its results compared with
 * naive loops. A failure names the seed of the contraction.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/expand.h"
#include "ast/nest/refine.h"
#include "base/alloc.h"
#include "base/strbuf.h"
#include "gen/providers/provider.h"
#include "support/emitted.h"
#include "support/golden.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "tcplan/blas.h"
#include "tcplan/emit.h"

/* Random algorithms. */

enum { CONTRACTIONS = 10, ALGORITHMS = 10, LEAST = CONTRACTIONS * ALGORITHMS / 2 };

/** Algorithms whose emitted functions are compiled together. */
struct batch {
    struct random_contraction contraction[CONTRACTIONS];
    struct tcplan_algorithm algorithm[CONTRACTIONS][ALGORITHMS];
    int count[CONTRACTIONS];
    int threads; /* threads of the parallel loop, in algorithms that can have one; 1: none */
};

static void name_function(char name[40], int c, int a) {
    snprintf(name, 40, "f%d_%d", c, a);
}

static char *emit_algorithm(const struct random_contraction *random,
                            const struct tcplan_algorithm *algorithm,
                            const struct tcplan_emit_options *options) {
    struct tcplan_error error = {0};
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    enum tcplan_status status = tcplan_nest_build(&nest, random->contraction, algorithm, &error);
    if (status == TCPLAN_OK) status = tcplan_emit_c(&text, nest, &random->problem, options, &error);
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(random), error.message);
    tcplan_nest_free(nest);
    return text;
}

static const struct tcplan_kernel_call *find_kernel(const struct tcplan_node *node) {
    while (node->kind != TCPLAN_NODE_KERNEL)
        node = node->kind == TCPLAN_NODE_LOOP ? node->loop.body : node->next;
    return &node->kernel;
}

/** Returns whether the provider of an algorithm has its kernel. */
static bool is_provided(const struct random_contraction *random,
                        const struct tcplan_algorithm *algorithm) {
    struct tcplan_nest *nest = NULL;
    struct blas_call call;
    if (tcplan_nest_build(&nest, random->contraction, algorithm, NULL) != TCPLAN_OK)
        return false; /* only gemm kernels */
    const struct refined_problem refined = problem_refine(&random->problem, nest->refinement);
    const struct blas_call_place place = {0};
    const enum tcplan_status status =
        blas_call_lower(&call, nest, find_kernel(nest->body), &refined, place, NULL);
    tcplan_nest_free(nest);
    if (tcplan_problem_only_scales(&random->problem))
        return algorithm->provider == TCPLAN_PROVIDER_BLAS; /* makes no call */
    const bool divides =
        random_algorithm_divides(algorithm, random->contraction, random->problem.extent);
    assert_true(status == TCPLAN_OK ||
                (status == TCPLAN_NOT_APPLICABLE && (*random->strides || !divides)));
    return status == TCPLAN_OK &&
           blas_call_provider_has(&call, random->problem.dtype, algorithm->provider);
}

/** Draws a random algorithm of a random product. If indices of the product can be fused, the
 * algorithm is drawn for the canonical product and converted. */
static bool draw(struct tcplan_algorithm *out, const struct random_contraction *random,
                 const struct random_contraction_options *options, enum tcplan_provider provider,
                 uint64_t *state) {
    struct canonical_product product;
    struct tcplan_algorithm fused;
    if (options->max_parts == 0) return random_algorithm(out, random->contraction, provider, state);
    canonical_product_make(&product, &random->problem);
    if (!random_algorithm(&fused, &product.contraction, provider, state) ||
        !algorithm_expand(out, &product, &fused))
        return false;
    algorithm_canonical(out, random->contraction);
    return true;
}

static void deal(struct batch *batch, uint64_t first_seed,
                 const struct random_contraction_options *options, enum tcplan_provider provider) {
    const int wanted = batch->threads > 1 ? ALGORITHMS / 2 : ALGORITHMS;
    const int attempts = provider == TCPLAN_PROVIDER_BLAS ? wanted : 3 * wanted;
    for (int c = 0; c < CONTRACTIONS; c++) {
        uint64_t state = first_seed + (uint64_t)c;
        random_contraction_init(&batch->contraction[c], state, options);
        for (int a = 0; a < attempts && batch->count[c] < wanted; a++) {
            struct tcplan_algorithm *algorithm = &batch->algorithm[c][batch->count[c]];
            if (!draw(algorithm, &batch->contraction[c], options, provider, &state)) continue;
            if (batch->threads > 1)
                random_parallel_loop(algorithm, batch->contraction[c].contraction, &state);
            batch->count[c] += is_provided(&batch->contraction[c], algorithm);
        }
    }
}

typedef struct emitted *build_function(const char *compiler, const char *text);

static struct emitted *build(const struct batch *batch, build_function *compile,
                             const char *compiler) {
    struct strbuf all = {0};
    for (int c = 0; c < CONTRACTIONS; c++) {
        for (int a = 0; a < batch->count[c]; a++) {
            char name[40];
            name_function(name, c, a);
            const struct tcplan_emit_options options = {.function = name,
                                                        .threads = batch->threads};
            char *text = emit_algorithm(&batch->contraction[c], &batch->algorithm[c][a], &options);
            strbuf_add(&all, "%s\n", text);
            free(text);
        }
    }
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted = compile(compiler, text);
    free(text);
    return emitted;
}

static void fail_naming(const struct random_contraction *random,
                        const struct tcplan_algorithm *algorithm, double error, double allowed) {
    char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    fail_msg("%s --algorithm \"%s\": error %g, allowed %g", random_contraction_describe(random),
             name, error, allowed);
}

/** Compares the results of a batch with naive loops; returns the number of algorithms compared. */
static int compare(const struct batch *batch, const struct emitted *emitted) {
    int compared = 0;
    for (int c = 0; c < CONTRACTIONS; c++) {
        const struct random_contraction *random = &batch->contraction[c];
        struct naive_case naive;
        naive_case_init(&naive, &random->problem, random->seed);
        for (int a = 0; a < batch->count[c]; a++, compared++) {
            char name[40];
            name_function(name, c, a);
            naive_case_reset(&naive);
            assert_int_equal(emitted_compute(emitted, name, &naive), 0);
            const double error = naive_case_error(&naive),
                         allowed = naive_tolerance(&random->problem);
            if (!(error <= allowed)) fail_naming(random, &batch->algorithm[c][a], error, allowed);
        }
        naive_case_free(&naive);
    }
    return compared;
}

/** Draws algorithms from `first_seed` on, compiles them together, and asserts that at least `least`
 * were compared. */
static void run_shared_batch(uint64_t first_seed, const struct random_contraction_options *options,
                             build_function *compile, const char *compiler,
                             enum tcplan_provider provider, int least, int threads) {
    struct batch *batch = calloc(1, sizeof *batch);
    assert_non_null(batch);
    batch->threads = threads;
    deal(batch, first_seed, options, provider);
    struct emitted *emitted = build(batch, compile, compiler);
    assert_true(compare(batch, emitted) >= least);
    emitted_free(emitted);
    for (int c = 0; c < CONTRACTIONS; c++) random_contraction_free(&batch->contraction[c]);
    free(batch);
}

static void run_batch(uint64_t first_seed, const struct random_contraction_options *options,
                      build_function *compile, const char *compiler, enum tcplan_provider provider,
                      int least) {
    run_shared_batch(first_seed, options, compile, compiler, provider, least, 1);
}

/** Compiles with every available compiler, with more warnings than the documentation promises to
 * avoid. `cc` compiles without optimization. */
static void random_algorithms_equal_naive_loops(void **state) {
    (void)state;
    static const char *const compilers[] = {"cc -Wconversion", "gcc -Wconversion",
                                            "clang -Wconversion"};
    const struct random_contraction_options options = random_contraction_defaults();
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (emitted_has_compiler(compilers[c]))
            run_batch(40001 + 1000 * c, &options,
                      c == 0 ? emitted_build_unoptimized : emitted_build, compilers[c],
                      TCPLAN_PROVIDER_BLAS, LEAST);
    }
}

static void random_algorithms_of_many_indices_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_indices = 8;
    options.min_rank = 4;
    options.max_rank = 6;
    options.max_extent = 4;
    run_batch(50001, &options, emitted_build_unoptimized, NULL, TCPLAN_PROVIDER_BLAS, LEAST);
}

static void expanded_algorithms_of_canonical_products_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.max_rank = 4;
    options.max_parts = 3;
    run_shared_batch(80001, &options, emitted_build_unoptimized, NULL, TCPLAN_PROVIDER_BLAS,
                     LEAST / 4, 2);
}

static void random_algorithms_with_parallel_loops_equal_naive_loops(void **state) {
    (void)state;
    static const char *const compilers[] = {"gcc -Wconversion", "clang -Wconversion"};
    const struct random_contraction_options options = random_contraction_defaults();
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!emitted_has_compiler(c == 0 ? "gcc" : "clang")) continue;
        run_shared_batch(70001 + 1000 * c, &options,
                         c == 0 ? emitted_build : emitted_build_unoptimized, compilers[c],
                         TCPLAN_PROVIDER_BLAS, LEAST / 2, 2 + (int)c);
    }
}

static void need(enum tcplan_provider provider) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, provider)) return;
    print_message("%s is not there\n", tcplan_provider_name(provider));
    skip();
}

static void random_algorithms_with_kernels_of_blis_equal_naive_loops(void **state) {
    (void)state;
    const struct random_contraction_options options = random_contraction_defaults();
    need(TCPLAN_PROVIDER_BLIS);
    run_batch(60001, &options, emitted_build_unoptimized, NULL, TCPLAN_PROVIDER_BLIS, LEAST / 2);
}

static void random_algorithms_with_kernels_of_libxsmm_equal_naive_loops(void **state) {
    (void)state;
    struct random_contraction_options options = random_contraction_defaults();
    options.scalars = false;
    need(TCPLAN_PROVIDER_LIBXSMM);
    run_batch(70001, &options, emitted_build_unoptimized, NULL, TCPLAN_PROVIDER_LIBXSMM, LEAST / 4);
}

/* Given algorithms. */

/** A contraction with sizes, and the name of an algorithm. */
struct given {
    const char *text;
    const char *sizes;
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    const char *algorithm;
};

static const struct given fused = {"C_abc=A_ai*B_ibc", "a=12,b=13,c=14,i=8", TCPLAN_DOUBLE,
                                   TCPLAN_COLUMN_MAJOR, "dgemm"};
static const struct given tiled = {"C_abc=A_bda*B_dc", "a=20,b=16,c=17,d=24", TCPLAN_DOUBLE,
                                   TCPLAN_COLUMN_MAJOR, "a:8'Cs.a-dgemm"};
static const struct given packed = {"C_abc=A_ija*B_jbic", "a=12,b=13,c=14,i=8,j=9", TCPLAN_DOUBLE,
                                    TCPLAN_COLUMN_MAJOR, "c'B-dgemm"};
static const struct given accumulated = {"C_ab=A_ak*B_kb-0.5*C_ab", "a=30,b=40,k=50",
                                         TCPLAN_DOUBLE_COMPLEX, TCPLAN_ROW_MAJOR,
                                         "a:8.k:16='A-zgemm"};

static const struct given elementwise = {"C_abx=2*A_abix*B_abi-3*C_abx", "a=30,b=40,i=5,x=6",
                                         TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "x.i=.b:16-dmul"};

static const struct given shared = {"C_abc=A_bda*B_dc", "a=37,b=16,c=17,d=24", TCPLAN_DOUBLE,
                                    TCPLAN_COLUMN_MAJOR, "'B.a:8|'ACs-dgemm"};

static void given_init(struct random_contraction *random, struct tcplan_algorithm *algorithm,
                       const struct given *given) {
    struct tcplan_error error = {0};
    random_contraction_given(random, given->text, given->sizes, given->order, given->dtype);
    if (tcplan_algorithm_parse(algorithm, random->contraction, given->dtype, given->algorithm,
                               &error))
        fail_msg("%s", error.message);
}

static char *emit_given_as(const struct given *given, const struct tcplan_emit_options *options) {
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    given_init(&random, &algorithm, given);
    char *text = emit_algorithm(&random, &algorithm, options);
    random_contraction_free(&random);
    return text;
}

static char *emit_given(const struct given *given, int threads, bool with_main) {
    return emit_given_as(given,
                         &(struct tcplan_emit_options){.with_main = with_main, .threads = threads});
}

static void check_golden(const char *name, const struct given *given, int threads) {
    char *text = emit_given(given, threads, false);
    golden_check_function(name, text);
    free(text);
}

static void fused_indices_are_one_gemm(void **state) {
    (void)state;
    check_golden("emit/fused.c", &fused, 2);
}

static void a_tile_is_computed_point_by_point_and_written_out(void **state) {
    (void)state;
    check_golden("emit/tiled.c", &tiled, 1);
}

static void an_operand_is_packed_for_fused_indices(void **state) {
    (void)state;
    check_golden("emit/packed.c", &packed, 1);
}

static void operands_are_packed_in_panels(void **state) {
    (void)state;
    static const struct given panels = {"C_mn+=A_mk*B_kn", "m=100,n=1030,k=300", TCPLAN_DOUBLE,
                                        TCPLAN_COLUMN_MAJOR,
                                        "n:512.k:256'Btp+4.m:96'Ap.n:8.m:16-dgemm"};
    check_golden("emit/panels.c", &panels, 1);
}

static void beta_applies_to_the_first_of_contracted_steps(void **state) {
    (void)state;
    check_golden("emit/accumulated.c", &accumulated, 1);
}

static void batch_indices_are_one_product_of_vectors_without_a_blas(void **state) {
    (void)state;
    check_golden("emit/elementwise.c", &elementwise, 1);
}

static void threads_share_a_loop_and_have_temporaries_of_their_own(void **state) {
    (void)state;
    check_golden("emit/shared.c", &shared, 2);
}

static void a_shared_loop_compiles(void **state) {
    (void)state;
    static const char *const compilers[] = {"gcc", "clang"};
    char *text = emit_given(&shared, 3, true);
    assert_non_null(strstr(text, "team_run"));
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (emitted_has_compiler(compilers[c])) emitted_check(compilers[c], text);
    }
    free(text);
}

static const struct given collapsed = {"C_abc=A_ai*B_ibc", "a=50,b=9,c=13,i=120", TCPLAN_DOUBLE,
                                       TCPLAN_COLUMN_MAJOR, "'B.c|'A.b|-dgemv"};

static void threads_share_two_loops_and_divide_the_copies_before(void **state) {
    (void)state;
    char *text = emit_given(&collapsed, 2, false);
    golden_check("emit/collapsed.c", text);
    free(text);
}

/** Copies and scalings outside the parallel loop are large enough to be divided among threads. */
static const struct given divided[] = {
    {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "'AB.c|-dgemm"},
    {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "'Bt.c|.b|-dgemv"},
    {"C_abc=A_ai*B_ibc+2*C_abc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "'Cr.c|-dgemm"},
    {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "'Cs.c|-dgemm"},
    {"C_abc=A_ija*B_jbic", "a=40,b=30,c=14,i=6,j=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "i'A.c|-dgemm"},
    {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE_COMPLEX, TCPLAN_COLUMN_MAJOR,
     "b:32'B.c|-zgemm"},
    {"C_abc=A_ai*B_ibc", "a=50,b=90,c=13,i=20", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR,
     "'Bp.c|.b:8-dgemm"},
    {"C_abc=A_ai*B_ibc", "a=50,b=3,c=2,i=4000", TCPLAN_DOUBLE, TCPLAN_COLUMN_MAJOR, "'B.b|-dgemm"}};

enum { DIVIDED = sizeof divided / sizeof *divided };

/** Compiles all `divided` algorithms in one file, each with its number of threads. */
static struct emitted *build_divided(void) {
    struct strbuf all = {0};
    for (int g = 0; g < DIVIDED; g++) {
        char name[40];
        name_function(name, g, 0);
        char *text = emit_given_as(
            &divided[g], &(struct tcplan_emit_options){.function = name, .threads = 2 + g % 3});
        assert_non_null(strstr(text, "* thread"));
        strbuf_add(&all, "%s\n", text);
        free(text);
    }
    char *text = strbuf_finish(&all);
    assert_non_null(text);
    struct emitted *emitted = emitted_build_unoptimized(NULL, text);
    free(text);
    return emitted;
}

static void copies_that_threads_divide_equal_naive_loops(void **state) {
    (void)state;
    struct emitted *emitted = build_divided();
    for (int g = 0; g < DIVIDED; g++) {
        struct random_contraction random;
        struct tcplan_algorithm algorithm;
        struct naive_case naive;
        char name[40];
        name_function(name, g, 0);
        given_init(&random, &algorithm, &divided[g]);
        naive_case_init(&naive, &random.problem, 1);
        naive_case_reset(&naive);
        assert_int_equal(emitted_compute(emitted, name, &naive), 0);
        if (naive_case_error(&naive) > naive_tolerance(&random.problem))
            fail_msg("%s is wrong with %d threads", divided[g].algorithm, 2 + g % 3);
        naive_case_free(&naive);
        random_contraction_free(&random);
    }
    emitted_free(emitted);
}

static void one_thread_runs_a_parallel_loop_as_any_other(void **state) {
    (void)state;
    char *text = emit_given(&shared, 1, false);
    assert_null(strstr(text, "team_run"));
    assert_null(strstr(text, "-pthread"));
    free(text);
}

static void the_drivers_report_success(void **state) {
    (void)state;
    static const struct given *const all[] = {&fused, &tiled, &packed, &accumulated, &shared};
    static const char *const name[] = {"f0", "f1", "f2", "f3", "f4"};
    enum { DRIVERS = sizeof all / sizeof *all };
    char *text[DRIVERS];
    for (int g = 0; g < DRIVERS; g++) {
        const struct tcplan_emit_options options = {
            .function = name[g], .with_main = true, .threads = 2};
        text[g] = emit_given_as(all[g], &options);
    }
    emitted_check_drivers(emitted_run_unoptimized, NULL, text, DRIVERS, name);
    for (int g = 0; g < DRIVERS; g++) free(text[g]);
}

static void the_check_of_a_driver_has_a_smaller_last_tile(void **state) {
    (void)state;
    char *text = emit_given(&tiled, 1, true);
    assert_non_null(strstr(text, "checks the algorithm at a=10,"));
    free(text);
}

static void out_of_memory_is_reported(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    char *text = NULL;
    given_init(&random, &algorithm, &tiled);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, NULL), TCPLAN_OK);
    enum tcplan_status status = TCPLAN_NO_MEMORY;
    long successes = 0;
    for (; status == TCPLAN_NO_MEMORY && successes < 10000; successes++) {
        base_alloc_fail_after(successes);
        status = tcplan_emit_c(&text, nest, &random.problem,
                               &(struct tcplan_emit_options){.with_main = true}, NULL);
        base_alloc_fail_after(-1);
        assert_true(status == TCPLAN_NO_MEMORY ? !text : text != NULL);
    }
    assert_int_equal(status, TCPLAN_OK);
    assert_true(successes > 5);
    free(text);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
}

static void temporaries_beyond_the_address_space_are_refused(void **state) {
    (void)state;
    struct random_contraction random;
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    char *text = NULL;
    random_contraction_given(&random, "C_abc=A_ai*B_ibc", "a=536870912,b=1,c=64,i=67108864",
                             TCPLAN_COLUMN_MAJOR, TCPLAN_FLOAT);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, random.contraction, TCPLAN_FLOAT, "c|'A-sgemm", &error),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, random.contraction, &algorithm, &error), TCPLAN_OK);
    const struct tcplan_emit_options options = {.threads = 64}; /* with 64 threads, temporaries of
                                                                   2^57 bytes each exceed 64 bits */
    assert_int_equal(tcplan_emit_c(&text, nest, &random.problem, &options, &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_non_null(strstr(error.message, "exceed the address space"));
    assert_null(text);
    tcplan_nest_free(nest);
    random_contraction_free(&random);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_indices_are_one_gemm),
        cmocka_unit_test(a_tile_is_computed_point_by_point_and_written_out),
        cmocka_unit_test(an_operand_is_packed_for_fused_indices),
        cmocka_unit_test(operands_are_packed_in_panels),
        cmocka_unit_test(beta_applies_to_the_first_of_contracted_steps),
        cmocka_unit_test(batch_indices_are_one_product_of_vectors_without_a_blas),
        cmocka_unit_test(threads_share_a_loop_and_have_temporaries_of_their_own),
        cmocka_unit_test(a_shared_loop_compiles),
        cmocka_unit_test(one_thread_runs_a_parallel_loop_as_any_other),
        cmocka_unit_test(threads_share_two_loops_and_divide_the_copies_before),
        cmocka_unit_test(copies_that_threads_divide_equal_naive_loops),
        cmocka_unit_test(random_algorithms_with_parallel_loops_equal_naive_loops),
        cmocka_unit_test(random_algorithms_equal_naive_loops),
        cmocka_unit_test(random_algorithms_of_many_indices_equal_naive_loops),
        cmocka_unit_test(expanded_algorithms_of_canonical_products_equal_naive_loops),
        cmocka_unit_test(random_algorithms_with_kernels_of_blis_equal_naive_loops),
        cmocka_unit_test(random_algorithms_with_kernels_of_libxsmm_equal_naive_loops),
        cmocka_unit_test(the_drivers_report_success),
        cmocka_unit_test(the_check_of_a_driver_has_a_smaller_last_tile),
        cmocka_unit_test(temporaries_beyond_the_address_space_are_refused),
        cmocka_unit_test(out_of_memory_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
