/*
 * Tests the kernel brgemm, which sums the products of several pairs of matrices: results equal
 * those of naive loops, executed whole and in parts. libxsmm generates its code or, if it does not
 * (a separate test with LIBXSMM_TARGET=generic), BLAS calls compute it. All relevant cases must
 * occur: types, beta, copies of the result, smaller last tiles.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/nest/refine.h"
#include "base/indexset.h"
#include "gen/providers/provider.h"
#include "microbench/predict/probe.h"
#include "microbench/program/program.h"
#include "microbench/providers/providers.h"
#include "plan/times/kernel_times.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/blas.h"

static struct blas_call sum_call(int products, double beta) {
    struct blas_call call = {.kernel = TCPLAN_BRGEMM,
                             .provider = TCPLAN_PROVIDER_LIBXSMM,
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .products = products,
                             .product_elems = {1, 2},
                             .ld = {1, 1, 1},
                             .alpha = {1, 0},
                             .beta = {beta, 0}};
    blas_call_set_strides(&call);
    return call;
}

/** Skips the test without libxsmm; even with it, libxsmm may generate no code. */
static void need_sums(void) {
    const struct blas_call call = sum_call(2, 0);
    if (kernel_bind(&call, TCPLAN_DOUBLE, NULL).burst) return;
    print_message("libxsmm is not there\n");
    skip();
}

/** A program whose kernel sums products. */
struct built {
    struct tcplan_nest *nest;
    struct tcplan_program *program; /* NULL: libxsmm lacks the kernel of the algorithm */
};

static void built_init(struct built *out, const struct random_contraction *given,
                       const struct tcplan_algorithm *algorithm) {
    struct tcplan_error error;
    *out = (struct built){0};
    if (tcplan_nest_build(&out->nest, given->contraction, algorithm, &error))
        fail_msg("%s", error.message);
    const enum tcplan_status status =
        tcplan_program_build(&out->program, out->nest, &given->problem, &error);
    if (status != TCPLAN_OK && status != TCPLAN_NOT_APPLICABLE)
        fail_msg("%s: %s", random_contraction_describe(given), error.message);
}

static void built_free(struct built *built) {
    tcplan_program_free(built->program);
    tcplan_nest_free(built->nest);
}

static void built_named(struct built *out, const struct random_contraction *given,
                        const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    if (tcplan_algorithm_parse(&algorithm, given->contraction, given->problem.dtype, name, &error))
        fail_msg("%s", error.message);
    built_init(out, given, &algorithm);
    assert_non_null(out->program);
}

/* Random algorithms. */

enum { BETAS = 3 }; /* 0, 1, and another value */

/** How often each case of summed products occurred. */
struct seen {
    int sums[TCPLAN_DTYPES][2][BETAS]; /* counts by type, by whether the result is copied, and by
                                          beta */
    int smaller_tile[TCPLAN_DTYPES];   /* m, n or k is smaller in the last tile */
    int fewer_products[TCPLAN_DTYPES]; /* the number of products is smaller in the last tile */
    int steps[TCPLAN_DTYPES];          /* the steps of a tile are summed */
    int fewer_steps[TCPLAN_DTYPES];    /* the number of steps is smaller in the last outer step */
};

static void count(struct seen *seen, const struct built *built, enum tcplan_dtype dtype, int beta) {
    const struct operation *kernel = built->program->kernel;
    const int products = kernel->kernel.call.products;
    bool fewer = false;
    for (int v = 0; v < kernel->variant_count; v++)
        fewer = fewer || kernel->variant[v].kernel.call.products < products;
    seen->sums[dtype][kernel->slice[TCPLAN_C].temporary][beta]++;
    const uint64_t steps = built->nest->algorithm.group[TCPLAN_R] &
                           ~indexset_below(built->nest->contraction->index_count);
    seen->fewer_products[dtype] += fewer;
    seen->steps[dtype] += steps && products > 1;
    seen->fewer_steps[dtype] += steps && fewer;
    seen->smaller_tile[dtype] += kernel->partial_mask != 0 && !fewer;
}

static void fail_algorithm(const struct random_contraction *given,
                           const struct tcplan_algorithm *algorithm, const char *why) {
    char *name = tcplan_algorithm_name(algorithm, given->contraction, given->problem.dtype);
    fail_msg("%s --algorithm \"%s\": %s", random_contraction_describe(given), name, why);
}

/** Executes all calls of a program in parts of random lengths. */
static void run_in_stretches(struct tcplan_program *program, const struct naive_case *naive,
                             uint64_t *random) {
    struct cursor cursor = {0};
    for (int64_t left = program->calls; left > 0;) {
        const int64_t drawn = rng_below(random, 5);
        const int64_t calls = drawn < left ? drawn : left;
        program_run_calls(
            program, &cursor, calls,
            (struct tensor_pointers){.tensor = {naive->A, naive->B, naive->C,
                                                naive->addend ? naive->addend : naive->C}});
        left -= calls;
    }
}

/** Executes an algorithm as a whole and in parts, and checks both results. */
static void check(struct seen *seen, const struct random_contraction *given,
                  const struct tcplan_algorithm *algorithm, int beta, struct naive_case *naive,
                  uint64_t *random) {
    struct built built;
    built_init(&built, given, algorithm);
    if (built.program) {
        const double allowed = naive_tolerance(&given->problem);
        count(seen, &built, given->problem.dtype, beta);
        naive_case_reset(naive);
        tcplan_program_run_adding(built.program, naive->A, naive->B, naive->addend, naive->C, NULL);
        if (!(naive_case_error(naive) <= allowed)) fail_algorithm(given, algorithm, "wrong");
        naive_case_reset(naive);
        run_in_stretches(built.program, naive, random);
        if (!(naive_case_error(naive) <= allowed))
            fail_algorithm(given, algorithm, "wrong in stretches");
    }
    built_free(&built);
}

static void check_contraction(struct seen *seen, const char *text, const char *sizes,
                              enum tcplan_order order, enum tcplan_dtype dtype, int beta) {
    enum { ALGORITHMS = 400 };
    struct random_contraction given;
    struct naive_case naive;
    uint64_t random = 1 + (uint64_t)beta;
    random_contraction_given(&given, text, sizes, order, dtype);
    naive_case_init(&naive, &given.problem, 1);
    for (int a = 0; a < ALGORITHMS; a++) {
        struct tcplan_algorithm algorithm;
        if (!random_algorithm(&algorithm, given.contraction, TCPLAN_PROVIDER_LIBXSMM, &random))
            continue;
        if (algorithm.kernel == TCPLAN_BRGEMM)
            check(seen, &given, &algorithm, beta, &naive, &random);
    }
    naive_case_free(&naive);
    random_contraction_free(&given);
}

static void sums_equal_naive_loops(void **state) {
    (void)state;
    static const char *const texts[][BETAS] = {
        {"C_ab=A_aij*B_ijb", "C_ab+=A_aij*B_ijb", "C_ab=A_aij*B_ijb-0.5*C_ab"},
        {"C_abc=A_jai*B_jbic", "C_abc+=A_jai*B_jbic", "C_abc=A_jai*B_jbic+2*C_abc"},
        {"C_abd=A_aidj*B_bjdi", "C_abd+=A_aidj*B_bjdi", "C_abd=A_aidj*B_bjdi+2*C_abd"}};
    static const char *const sizes[] = {"a=9,b=6,i=7,j=5", "a=9,b=3,c=4,i=6,j=7",
                                        "a=10,b=5,d=2,i=12,j=3"};
    struct seen seen = {0};
    need_sums();
    for (int dtype = TCPLAN_FLOAT; dtype <= TCPLAN_DOUBLE; dtype++) {
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            for (int beta = 0; beta < BETAS; beta++) {
                for (int order = TCPLAN_COLUMN_MAJOR; order <= TCPLAN_ROW_MAJOR; order++) {
                    check_contraction(&seen, texts[t][beta], sizes[t], (enum tcplan_order)order,
                                      (enum tcplan_dtype)dtype, beta);
                }
            }
        }
        for (int beta = 0; beta < BETAS; beta++) {
            assert_true(seen.sums[dtype][true][beta] > 10);
            if (beta < 2)
                assert_true(seen.sums[dtype][false][beta] > 10); /* the values of beta that libxsmm
                                                                    supports */
        }
        assert_true(seen.smaller_tile[dtype] > 10);
        assert_true(seen.fewer_products[dtype] > 10);
        assert_true(seen.steps[dtype] > 10);
        assert_true(seen.fewer_steps[dtype] > 3);
    }
}

/* Given calls. */

static void check_call(const char *text, const char *sizes, const char *name,
                       const int expected[6]) {
    struct random_contraction given;
    struct built built;
    random_contraction_given(&given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, name);
    const struct blas_call *call = &built.program->kernel->kernel.call;
    assert_int_equal(call->m, expected[0]);
    assert_int_equal(call->n, expected[1]);
    assert_int_equal(call->k, expected[2]);
    assert_int_equal(call->products, expected[3]);
    assert_int_equal(call->product_elems[0], expected[4]);
    assert_int_equal(call->product_elems[1], expected[5]);
    assert_true(call->fetches_ahead == (call->products == 0));
    built_free(&built);
    random_contraction_free(&given);
}

static void the_name_marks_the_summed_index_of_a_call(void **state) {
    (void)state;
    const char *text = "C_abc=A_aij*B_ijbc";
    need_sums();
    check_call(text, "a=9,b=6,c=5,i=7,j=4", "c.j+-dbrgemm@libxsmm",
               (const int[]){9, 6, 7, 4, 63, 7});
    check_call(text, "a=9,b=6,c=5,i=7,j=4", "c'A.j+-dbrgemm@libxsmm",
               (const int[]){9, 6, 7, 4, 63, 7});
    check_call(text, "a=9,b=6,c=5,i=7,j=4", "c'B.i+-dbrgemm@libxsmm",
               (const int[]){9, 6, 4, 7, 9, 24});
    check_call(text, "a=9,b=6,c=5,i=7,j=5", "c.j:3=.j+-dbrgemm@libxsmm",
               (const int[]){9, 6, 7, 3, 63, 7});
    check_call(text, "a=9,b=6,c=5,i=7,j=4", "c.j+.i+-dbrgemm@libxsmm",
               (const int[]){9, 6, 1, 28, 9, 1});
    check_call(text, "a=9,b=6,c=5,i=7,j=4", "c.j=-dgemm@libxsmm",
               (const int[]){9, 6, 7, 0, 0, 0}); /* single products */
}

/** Products whose operands are in place, in packed panels, or copied as matrices; with fewer
 * products in the last outer step, and with a single product. */
static void steps_of_a_tile_are_products(void **state) {
    (void)state;
    const char *text = "C_ab=A_ai*B_ib";
    need_sums();
    check_call(text, "a=9,b=6,i=12", "i:4+-dbrgemm@libxsmm", (const int[]){9, 6, 4, 3, 36, 4});
    check_call(text, "a=9,b=6,i=12", "'AB.i:4+-dbrgemm@libxsmm", (const int[]){9, 6, 4, 3, 36, 24});
    check_call(text, "a=9,b=6,i=12", "'AB+3.i:4+-dbrgemm@libxsmm",
               (const int[]){9, 6, 4, 3, 36, 42});
    check_call(text, "a=9,b=6,i=12", "'ApB.a:3.i:4+-dbrgemm@libxsmm",
               (const int[]){3, 6, 4, 3, 12, 24});
    check_call(text, "a=9,b=6,i=20", "'AB.i:8=.i:4+-dbrgemm@libxsmm",
               (const int[]){9, 6, 4, 2, 36, 24});
    check_call(text, "a=9,b=6,i=3", "i:4+-dbrgemm@libxsmm", (const int[]){9, 6, 3, 1, 27, 3});
    check_call("C_ab=A_aij*B_ijb", "a=9,b=6,i=12,j=5", "j+.i:4+-dbrgemm@libxsmm",
               (const int[]){9, 6, 4, 15, 36, 4});
    check_call("C_ab=A_aij*B_ijb", "a=9,b=6,i=12,j=5", "'AB.j+.i:4+-dbrgemm@libxsmm",
               (const int[]){9, 6, 4, 15, 36, 24});
}

static void steps_that_do_not_divide_an_index_are_not_summed_up(void **state) {
    (void)state;
    static const char *const names[] = {"i:4+-dbrgemm@libxsmm", "i:12=.i:4+-dbrgemm@libxsmm"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct random_contraction given;
        struct tcplan_algorithm algorithm;
        struct tcplan_nest *nest = NULL;
        struct tcplan_program *program = NULL;
        struct tcplan_error error = {0};
        random_contraction_given(&given, "C_ab=A_ai*B_ib", "a=9,b=6,i=13", TCPLAN_COLUMN_MAJOR,
                                 TCPLAN_DOUBLE);
        assert_int_equal(
            tcplan_algorithm_parse(&algorithm, given.contraction, TCPLAN_DOUBLE, names[n], NULL),
            TCPLAN_OK);
        assert_int_equal(tcplan_nest_build(&nest, given.contraction, &algorithm, NULL), TCPLAN_OK);
        assert_int_equal(tcplan_program_build(&program, nest, &given.problem, &error),
                         TCPLAN_NOT_APPLICABLE);
        assert_string_equal(
            error.message,
            "the steps of index i that the kernel sums have length 4; expected a divisor of its extent 13");
        tcplan_nest_free(nest);
        random_contraction_free(&given);
    }
}

static void the_blas_makes_the_calls_of_a_sum(void **state) {
    (void)state;
    const double A[3] = {1, 2, 3};
    const double B[5] = {1, 0, 10, 0, 100};
    double C[2] = {5, 5};
    const struct blas_call call = sum_call(3, 0);
    struct kernel kernel = {.call = call, .alpha = {.d = 1}, .beta = {.d = 2}};
    const struct kernel_operands at = {
        .first = (const char *)A, .second = (const char *)B, .result = (char *)C};
    assert_true(provider_openblas.bind(&kernel, TCPLAN_DOUBLE, NULL));
    kernel.burst(&kernel, at, (struct kernel_steps){0, 0, 8}, 2);
    assert_true(C[0] == 2 * 5 + 321 && C[1] == 2 * 5 + 321);
}

static void a_probe_times_a_part_of_a_long_sum(void **state) {
    (void)state;
    double ns[PROBE_REPETITIONS];
    struct scratch scratch = {0};
    need_sums();
    const struct blas_call four = sum_call(4, 1);
    const struct blas_call five = sum_call(5, 1);
    const struct blas_call many = sum_call(100000, 1);
    struct blas_call large = sum_call(100000, 1);
    large.m = large.n = large.k = 120;
    for (int part = 0; part < 3; part++) large.ld[part] = 120;
    blas_call_set_strides(&large);
    struct probe_call probe = probe_call_of(&four);
    const struct kernel_key key = kernel_key_of(&probe.call, TCPLAN_DOUBLE, 1);
    assert_int_equal(probe.call.products, 4);
    assert_true(probe.scale == 1);
    assert_int_equal(probe_time(&scratch, &probe, TCPLAN_DOUBLE, INFINITY, ns), PROBE_REPETITIONS);
    for (int r = 0; r < PROBE_REPETITIONS; r++) assert_true(ns[r] > 0);
    probe = probe_call_of(&five);
    const struct kernel_key other = kernel_key_of(&probe.call, TCPLAN_DOUBLE, 1);
    assert_memory_not_equal(&key, &other, sizeof key);
    probe = probe_call_of(&many);
    assert_in_range(probe.call.products, 5,
                    99999); /* enough summed products for a representative time */
    assert_float_equal(probe.scale * probe.call.products, 100000, 1e-6);
    probe = probe_call_of(&large);
    assert_true((double)probe.call.products * probe.call.m * probe.call.n * probe.call.k <= 4e6);
    assert_in_range(probe_time(&scratch, &probe, TCPLAN_DOUBLE, INFINITY, ns), PROBE_FEWEST,
                    PROBE_REPETITIONS); /* more calls would need more memory */
    assert_in_range(probe_time(&scratch, &probe, TCPLAN_DOUBLE, 1, ns), 1, PROBE_REPETITIONS);
    scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_naive_loops),
        cmocka_unit_test(the_name_marks_the_summed_index_of_a_call),
        cmocka_unit_test(steps_of_a_tile_are_products),
        cmocka_unit_test(steps_that_do_not_divide_an_index_are_not_summed_up),
        cmocka_unit_test(the_blas_makes_the_calls_of_a_sum),
        cmocka_unit_test(a_probe_times_a_part_of_a_long_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
