/*
 * Tests plans: results equal those of naive loops, for all values of alpha and beta, with and
 * without a workspace, and for several numbers of threads. Also tests improving plans, refused
 * executions and the texts of plans.
 */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "microbench/providers/blas.h"
#include "microbench/providers/compiler.h"
#include "support/comma_locale.h"
#include "support/listed_product.h"
#include "support/rng.h"
#include "tcplan/blas.h"
#include "tcplan/stored_code.h"
#include "tcplan/tcplan.h"

static struct tcplan_planner *estimating(void) {
    struct tcplan_planner *planner = NULL;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_effort(planner, TCPLAN_EFFORT_ESTIMATE, NULL), TCPLAN_OK);
    return planner;
}

static struct tcplan_product *parse(const char *notation, const char *sizes,
                                    enum tcplan_dtype dtype) {
    struct tcplan_product *product = NULL;
    struct tcplan_error error = {0};
    if (tcplan_product_parse(&product, notation, sizes, NULL, dtype, TCPLAN_COLUMN_MAJOR, &error))
        fail_msg("%s", error.message);
    return product;
}

static struct tcplan_plan *named(const struct tcplan_product *product, const char *name) {
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    if (tcplan_plan_named(&plan, NULL, product, name, &error))
        fail_msg("%s: %s", name, error.message);
    return plan;
}

/* Random products. */

/** Executes a plan with all classes of alpha and beta (0, 1, other) in random order, some of them
 * twice. */
static void check_classes(const struct listed_product *listed, struct tcplan_plan *plan,
                          uint64_t *random) {
    const int first = rng_below(random, 9);
    for (int i = 0; i < 12; i++) {
        const int class = (first + i * 4) % 9;
        const struct tcplan_scalar alpha = listed_product_factor(listed, class % 3, random);
        const struct tcplan_scalar beta = listed_product_factor(listed, class / 3, random);
        listed_product_check(listed, plan, alpha, beta, 0, NULL, 0);
    }
}

static void plans_of_random_lists_agree_with_naive_loops(void **state) {
    struct tcplan_planner *planner = estimating();
    (void)state;
    for (uint64_t seed = 1; seed <= 250; seed++) {
        struct listed_product listed;
        struct tcplan_plan *plan = NULL;
        struct tcplan_error error = {0};
        uint64_t random = seed;
        listed_product_init(&listed, seed);
        if (tcplan_plan_new(&plan, planner, listed.product, &error) != TCPLAN_OK) {
            fail_msg("%s: %s", random_contraction_describe(&listed.random), error.message);
        }
        assert_int_equal(tcplan_plan_origin(plan), TCPLAN_PLAN_ESTIMATED);
        check_classes(&listed, plan, &random);
        tcplan_plan_free(plan);
        listed_product_free(&listed);
    }
    tcplan_planner_free(planner);
}

static void a_workspace_of_the_stated_size_suffices_and_is_not_exceeded(void **state) {
    struct tcplan_planner *planner = estimating();
    int with_workspace = 0;
    (void)state;
    for (uint64_t seed = 1001; seed <= 1120; seed++) {
        struct listed_product listed;
        struct tcplan_plan *plan = NULL;
        uint64_t random = seed;
        listed_product_init(&listed, seed);
        assert_int_equal(tcplan_plan_new(&plan, planner, listed.product, NULL), TCPLAN_OK);
        for (int threads = 1; threads <= 3; threads += 2) {
            enum { GUARD = 64 };
            const int64_t bytes = tcplan_plan_workspace(plan, threads);
            const int offset = rng_below(&random, GUARD);
            assert_true(bytes >= 0);
            unsigned char *memory = malloc((size_t)bytes + 2 * GUARD);
            assert_non_null(memory);
            memset(memory, 0xA5, (size_t)bytes + 2 * GUARD);
            const struct tcplan_scalar alpha = listed_product_factor(&listed, 2, &random);
            const struct tcplan_scalar beta =
                listed_product_factor(&listed, rng_below(&random, 3), &random);
            listed_product_check(&listed, plan, alpha, beta, threads, memory + offset, bytes);
            for (int g = 0; g < offset; g++) assert_int_equal(memory[g], 0xA5);
            for (int g = offset; g < 2 * GUARD; g++) assert_int_equal(memory[bytes + g], 0xA5);
            free(memory);
            with_workspace += bytes > 0;
        }
        tcplan_plan_free(plan);
        listed_product_free(&listed);
    }
    assert_true(with_workspace > 20);
    tcplan_planner_free(planner);
}

/* Named algorithms. */

/** Executes a product by the named algorithm, and compares the result with that of naive loops. */
static void check_named(const char *notation, const char *sizes, const char *name, double alpha,
                        double beta) {
    struct tcplan_product *product = parse(notation, sizes, TCPLAN_DOUBLE);
    struct tcplan_plan *plan = named(product, name);
    struct random_contraction given;
    struct naive_case naive;
    random_contraction_given(&given, notation, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    given.problem.alpha.re = given.contraction->alpha.re = alpha;
    given.problem.beta.re = given.contraction->beta.re = beta;
    naive_case_init(&naive, &given.problem, 2);
    naive_case_reset(&naive);
    const struct tcplan_execution execution = {.size = sizeof execution,
                                               .A = naive.A,
                                               .B = naive.B,
                                               .C = naive.addend,
                                               .D = naive.C,
                                               .alpha = &alpha,
                                               .beta = &beta};
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    if (!(naive_case_error(&naive) <= naive_tolerance(&given.problem)))
        fail_msg("%s by %s: alpha %g beta %g", notation, name, alpha, beta);
    naive_case_free(&naive);
    random_contraction_free(&given);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void kernels_that_have_few_factors_are_right_with_any(void **state) {
    static const double factors[] = {0, 1, -1, 0.5, 3};
    struct tcplan_provider_info info;
    (void)state;
    if (!tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM)) skip();
    for (int a = 0; a < 5; a++) {
        for (int b = 0; b < 5; b++) {
            check_named("C_ab=A_ai*B_ib", "a=9,b=7,i=11", "dgemm@libxsmm", factors[a], factors[b]);
            check_named("C_ab=A_aij*B_ibj", "a=9,b=7,i=11,j=5", "j+-dbrgemm@libxsmm", factors[a],
                        factors[b]);
            check_named("C_ab=A_aij*B_ibj", "a=9,b=7,i=12,j=5", "j.i:4+-dbrgemm@libxsmm",
                        factors[a], factors[b]);
            check_named("D_ab=A_ai*B_ib+C_ba", "a=9,b=7,i=11", "dgemm@libxsmm", factors[a],
                        factors[b]);
        }
    }
}

static void factors_that_are_no_numbers_are_factors(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1}, nan = NAN, huge = INFINITY, one = 1,
                 zero = 0;
    double D[4] = {1, 1, 1, 1};
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = named(product, "dgemm");
    struct tcplan_execution execution = {
        .size = sizeof execution, .A = A, .B = B, .D = D, .alpha = &nan, .beta = &zero};
    (void)state;
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++) assert_true(isnan(D[e]));
    execution.alpha = &one;
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++)
        assert_true(D[e] == A[e]); /* with alpha = 1 and beta = 0, NaNs in C must not be read */
    execution.beta = &huge;
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++) assert_true(isinf(D[e]));
    execution.A = execution.B = NULL;
    execution.alpha = &zero;
    execution.beta = &zero;
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL),
                     TCPLAN_OK); /* with alpha = beta = 0, A, B and C must not be read */
    for (int e = 0; e < 4; e++) assert_true(D[e] == 0);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void a_plan_needs_neither_product_nor_planner(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1};
    double D[4] = {0};
    struct tcplan_planner *planner = estimating();
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    tcplan_product_free(product);
    tcplan_planner_free(planner);
    assert_int_equal(tcplan_plan_execute(plan, A, B, D, NULL), TCPLAN_OK);
    assert_memory_equal(D, A, sizeof D);
    tcplan_plan_free(plan);
}

static void the_factors_of_the_notation_are_those_of_an_execution(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1};
    double C[4] = {10, 20, 30, 40};
    struct tcplan_product *product = parse("C_ab=0.5*A_ai*B_ib+2*C_ab", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = named(product, "dgemm");
    (void)state;
    assert_int_equal(tcplan_plan_execute(plan, A, B, C, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++) assert_true(C[e] == 0.5 * (e + 1) + 20 * (e + 1));
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void a_workspace_suffices_for_factors_whose_kernels_are_not_compiled_again(void **state) {
    const double A[2] = {1, 2}, B[2] = {3, 4}, factor[] = {0, 1, 2, 3, -5};
    struct tcplan_product *product =
        parse("C_bdac=2*A_dba*B_ac+2*C_bdac", "a=2,b=c=d=1", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    (void)state;
    if (tcplan_plan_named(&plan, NULL, product, "a.d'B-dloops@emitted", NULL) != TCPLAN_OK) {
        tcplan_product_free(product);
        skip(); /* there is no compiler */
    }
    const int64_t bytes = tcplan_plan_workspace(plan, 1);
    void *workspace = malloc((size_t)bytes);
    assert_non_null(workspace);
    for (int alpha = 0; alpha < 5; alpha++) {
        for (int beta = 0; beta < 5; beta++) {
            double D[2] = {10, 20};
            const struct tcplan_execution execution = {.size = sizeof execution,
                                                       .A = A,
                                                       .B = B,
                                                       .D = D,
                                                       .alpha = &factor[alpha],
                                                       .beta = &factor[beta],
                                                       .workspace = workspace,
                                                       .workspace_bytes = bytes,
                                                       .threads = 1};
            struct tcplan_error error = {0};
            if (tcplan_plan_run(plan, &execution, &error) != TCPLAN_OK)
                fail_msg("alpha %g, beta %g: %s", factor[alpha], factor[beta], error.message);
            assert_true(D[0] == factor[alpha] * 3 + factor[beta] * 10);
            assert_true(D[1] == factor[alpha] * 8 + factor[beta] * 20);
        }
    }
    free(workspace);
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void a_product_without_alpha_is_planned_for_those_that_executions_give(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1}, three = 3;
    double C[4] = {10, 20, 30, 40};
    struct tcplan_product *product = parse("C_ab=0*A_ai*B_ib+2*C_ab", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_planner *planner = estimating();
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    assert_true(tcplan_plan_seconds(plan, NULL, NULL) > 0);
    assert_int_equal(tcplan_plan_execute(plan, NULL, NULL, C, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++) assert_true(C[e] == 20 * (e + 1));
    const struct tcplan_execution execution = {
        .size = sizeof execution, .A = A, .B = B, .D = C, .alpha = &three};
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    for (int e = 0; e < 4; e++) assert_true(C[e] == 43 * (e + 1));
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void threads_share_a_loop_and_leave_those_of_the_blas_alone(void **state) {
    struct tcplan_planner *planner = NULL;
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=31,b=13,c=11,i=8", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    struct random_contraction given;
    struct naive_case naive;
    (void)state;
    assert_int_equal(tcplan_planner_new(&planner, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_planner_set_threads(planner, 3, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_named(&plan, planner, product, "'AtBC.c|-dgemm", NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_threads(plan), 3);
    random_contraction_given(&given, "C_abc=A_ai*B_ibc", "a=31,b=13,c=11,i=8", TCPLAN_COLUMN_MAJOR,
                             TCPLAN_DOUBLE);
    naive_case_init(&naive, &given.problem, 3);
    const int before = blas_set_threads(2);
    for (int threads = 0; threads <= 4; threads++) {
        const struct tcplan_execution execution = {
            .size = sizeof execution, .A = naive.A, .B = naive.B, .D = naive.C, .threads = threads};
        naive_case_reset(&naive);
        assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
        assert_true(naive_case_error(&naive) <= naive_tolerance(&given.problem));
        assert_int_equal(blas_threads(), 2);
    }
    blas_set_threads(before);
    naive_case_free(&naive);
    random_contraction_free(&given);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void a_plan_that_improves_itself_adds_once_at_each_execution_and_keeps_what_was_fastest(
    void **state) {
    enum { EXECUTIONS = 13, A = 9, B = 7, K = 5, C = 6 };
    double a[A * K], b[K * B * C], c[A * B * C] = {0};
    struct tcplan_planner *planner = estimating();
    struct tcplan_product *product = parse("C_abc+=A_ai*B_ibc", "a=9,b=7,c=6,i=5", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    double low = 0, high = 0;
    (void)state;
    for (int e = 0; e < A * K; e++) a[e] = e % 5 - 2;
    for (int e = 0; e < K * B * C; e++) b[e] = e % 7 - 3;
    assert_int_equal(tcplan_planner_set_improving(planner, -1, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_planner_set_improving(planner, EXECUTIONS, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    const char *before = tcplan_plan_algorithm(plan);
    for (int execution = 1; execution <= EXECUTIONS + 5; execution++) {
        const enum tcplan_plan_origin origin =
            execution <= EXECUTIONS ? TCPLAN_PLAN_ESTIMATED : TCPLAN_PLAN_IMPROVED;
        assert_int_equal(tcplan_plan_origin(plan), origin);
        assert_int_equal(tcplan_plan_execute(plan, NULL, b, c, NULL),
                         TCPLAN_INVALID); /* failed executions do not count for the improvement of
                                             the plan */
        assert_int_equal(tcplan_plan_execute(plan, a, b, c, NULL), TCPLAN_OK);
        for (int e = 0; e < A * B * C; e++) {
            double sum = 0;
            for (int i = 0; i < K; i++) sum += a[e % A + A * i] * b[i + K * (e / A)];
            assert_true(c[e] == execution * sum); /* the elements are whole numbers: the result is
                                                     exact */
        }
    }
    assert_true(tcplan_plan_seconds(plan, &low, &high) > 0 && low > 0 && low <= high);
    assert_true(strlen(before) > 0 && strlen(tcplan_plan_algorithm(plan)) >
                                          0); /* both names stay valid until the plan is freed */
    char *text = tcplan_plan_describe(plan);
    assert_non_null(text);
    assert_non_null(strstr(text, "the fastest algorithm that executions tried"));
    free(text);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void executions_with_other_factors_or_memory_try_nothing(void **state) {
    const double a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, b[8] = {1, 0, 0, 0, 0, 0, 1, 0},
                 two = 2; /* b selects columns of a */
    double c[4] = {0};
    struct tcplan_planner *planner = estimating();
    struct tcplan_product *product = parse("C_ab=A_aij*B_jib", "a=b=i=j=2", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_planner_set_improving(planner, 4, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    const struct tcplan_execution execution = {
        .size = sizeof execution, .A = a, .B = b, .D = c, .alpha = &two};
    for (int e = 0; e < 8; e++)
        assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_origin(plan), TCPLAN_PLAN_ESTIMATED);
    for (int e = 0; e < 4; e++)
        assert_int_equal(tcplan_plan_execute(plan, a, b, c, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_origin(plan), TCPLAN_PLAN_IMPROVED);
    assert_memory_equal(c, a, sizeof c);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

/** On most machines, at least one of these products changes to an algorithm with other temporaries.
 */
static void a_workspace_suffices_for_every_choice_of_a_plan(void **state) {
    enum { EXECUTIONS = 16, EXTENT = 12, ELEMS = EXTENT * EXTENT * EXTENT };
    static const char *const given[][2] = {{"C_ab=A_ia*B_ib", "a=b=i=12"},
                                           {"C_abc=A_ai*B_ibc", "a=b=i=12,c=5"},
                                           {"C_abc=A_ia*B_bic", "a=b=i=12,c=5"},
                                           {"C_bca=A_ija*B_jbic", "a=b=i=12,c=5,j=7"},
                                           {"C_ab=A_aij*B_jbi", "a=b=i=12,j=7"}};
    double *a = calloc(ELEMS, sizeof *a), *b = calloc(ELEMS * EXTENT, sizeof *b),
           *c = calloc(ELEMS, sizeof *c);
    struct tcplan_planner *planner = estimating();
    (void)state;
    assert_true(a && b && c);
    assert_int_equal(tcplan_planner_set_improving(planner, EXECUTIONS, NULL), TCPLAN_OK);
    for (size_t g = 0; g < sizeof given / sizeof *given; g++) {
        struct tcplan_product *product = parse(given[g][0], given[g][1], TCPLAN_DOUBLE);
        struct tcplan_plan *plan = NULL;
        struct tcplan_error error = {0};
        assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
        const int64_t bytes = tcplan_plan_workspace(plan, 0);
        assert_true(bytes >= 0);
        void *workspace = malloc((size_t)bytes + 1);
        assert_non_null(workspace);
        const struct tcplan_execution own = {.size = sizeof own,
                                             .A = a,
                                             .B = b,
                                             .D = c,
                                             .workspace = workspace,
                                             .workspace_bytes = bytes};
        for (int e = 0; e <= EXECUTIONS; e++) {
            assert_int_equal(tcplan_plan_execute(plan, a, b, c, NULL),
                             TCPLAN_OK); /* tries another algorithm */
            if (tcplan_plan_run(plan, &own, &error) != TCPLAN_OK)
                fail_msg("%s: %s", given[g][0], error.message);
        }
        assert_int_equal(tcplan_plan_workspace(plan, 0), bytes);
        free(workspace);
        tcplan_plan_free(plan);
        tcplan_product_free(product);
    }
    tcplan_planner_free(planner);
    free(a);
    free(b);
    free(c);
}

/* Invalid calls. */

static void assert_refused(struct tcplan_plan *plan, const struct tcplan_execution *execution,
                           const char *why) {
    struct tcplan_error error = {0};
    assert_int_equal(tcplan_plan_run(plan, execution, &error), TCPLAN_INVALID);
    if (!strstr(error.message, why)) fail_msg("'%s' lacks '%s'", error.message, why);
}

static void impossible_executions_are_refused_and_nothing_is_done(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1};
    double D[4] = {7, 7, 7, 7}, other[4];
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_product *adding = parse("D_ab=A_ai*B_ib+C_ba", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = named(product, "dgemm"), *copying = named(product, "'A-dgemm"),
                       *added = named(adding, "dgemm");
    const struct tcplan_execution good = {.size = sizeof good, .A = A, .B = B, .D = D};
    struct tcplan_execution bad = good;
    struct {
        struct tcplan_execution execution;
        char more[16];
    } later = {.execution = good};
    char byte;
    (void)state;
    assert_int_equal(tcplan_plan_execute(NULL, A, B, D, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_execute(plan, NULL, B, D, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_execute(plan, A, NULL, D, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_execute(plan, A, B, NULL, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_execute(added, A, B, D, NULL), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_run(plan, NULL, NULL), TCPLAN_INVALID);
    assert_refused(NULL, &good, "found NULL");
    bad.size = sizeof bad - 1;
    assert_refused(plan, &bad, "sizeof(struct tcplan_execution)");
    bad.size = 0;
    assert_refused(plan, &bad, "sizeof(struct tcplan_execution)");
    bad = good;
    bad.threads = -1;
    assert_refused(plan, &bad, "threads");
    bad.threads = 5000;
    assert_refused(plan, &bad, "threads");
    bad = good;
    bad.C = other;
    assert_refused(plan, &bad, "no tensor C besides D");
    assert_refused(added, &good, "address of C");
    bad = good;
    bad.workspace = &byte;
    bad.workspace_bytes = 1;
    assert_refused(copying, &bad, "workspace has 1 bytes");
    assert_int_equal(tcplan_plan_run(plan, &bad, NULL),
                     TCPLAN_OK); /* the plan needs no workspace */
    for (int e = 0; e < 4; e++) D[e] = 7;
    later.execution.size = sizeof later;
    later.more[9] = 1;
    assert_refused(plan, &later.execution, "later version");
    for (int e = 0; e < 4; e++) assert_true(D[e] == 7);
    later.more[9] = 0;
    assert_int_equal(tcplan_plan_run(plan, &later.execution, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_workspace(plan, -1), -1);
    assert_int_equal(tcplan_plan_workspace(plan, 5000), -1);
    assert_int_equal(tcplan_plan_workspace(NULL, 0), -1);
    tcplan_plan_free(added);
    tcplan_plan_free(copying);
    tcplan_plan_free(plan);
    tcplan_plan_free(NULL);
    tcplan_product_free(adding);
    tcplan_product_free(product);
}

static void an_empty_result_needs_no_pointers(void **state) {
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=0,b=2,i=2", TCPLAN_DOUBLE);
    struct tcplan_planner *planner = estimating();
    struct tcplan_plan *plan = NULL;
    (void)state;
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_execute(plan, NULL, NULL, NULL, NULL), TCPLAN_OK);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

static void plans_of_unknown_algorithms_are_refused(void **state) {
    struct tcplan_product *product =
        parse("C_abc=A_ai*B_ibc", "a=65536,b=65536,c=2,i=1", TCPLAN_FLOAT);
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    (void)state;
    assert_int_equal(tcplan_plan_named(&plan, NULL, product, "c-sgemm", &error), TCPLAN_OK);
    tcplan_plan_free(plan);
    plan = NULL;
    assert_int_equal(tcplan_plan_named(&plan, NULL, product, "x-sgemm", &error), TCPLAN_INVALID);
    assert_true(error.column > 0);
    assert_int_equal(tcplan_plan_named(&plan, NULL, product, "b-sgemm", &error),
                     TCPLAN_NOT_APPLICABLE);
    assert_int_equal(tcplan_plan_named(&plan, NULL, product, NULL, &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_named(&plan, NULL, NULL, "c-sgemm", &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_named(NULL, NULL, product, "c-sgemm", &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_new(NULL, NULL, product, &error), TCPLAN_INVALID);
    assert_int_equal(tcplan_plan_new(&plan, NULL, NULL, &error), TCPLAN_INVALID);
    assert_null(plan);
    tcplan_product_free(product);
}

enum { ROWS = 3, COLUMNS = 4, SUMS = 5, MANY = 3, ELEMENTS = 300 * 20 };

static void a_plan_of_one_compiled_kernel_is_a_function(void **state) {
    struct tcplan_product *product = parse("C_ab=2*A_iab*B_ia+C_ab", "a=3,b=4,i=5", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL, *other = named(product, "ab-ddot");
    struct tcplan_error error = {0};
    double A[ROWS * COLUMNS * SUMS], B[ROWS * SUMS], C[MANY][ROWS * COLUMNS],
        wanted[ROWS * COLUMNS];
    const double none = 0;
    const void *const lists[2][MANY] = {{A, A, A}, {B, B, B}};
    void *const results[MANY] = {C[0], C[1], C[2]};
    (void)state;
    const enum tcplan_status status =
        tcplan_plan_named(&plan, NULL, product, "dloops@emitted", &error);
    assert_null(tcplan_plan_function(other));
    assert_null(tcplan_plan_function(NULL));
    struct compiler compiler;
    if (!compiler_find(&compiler)) {
        assert_null(tcplan_plan_function(plan));
    } else if (status == TCPLAN_OK) {
        for (int i = 0; i < ROWS * COLUMNS * SUMS; i++) A[i] = i % 7 - 3;
        for (int i = 0; i < ROWS * SUMS; i++) B[i] = i % 5 - 2;
        for (int i = 0; i < ROWS * COLUMNS; i++) C[0][i] = C[1][i] = C[2][i] = wanted[i] = i;
        assert_int_equal(tcplan_plan_execute(other, A, B, wanted, NULL), TCPLAN_OK);
        tcplan_function *function = tcplan_plan_function(plan);
        assert_non_null(function);
        function(A, B, C[0]);
        assert_memory_equal(C[0], wanted, sizeof wanted);
        for (int i = 0; i < ROWS * COLUMNS; i++) C[0][i] = i;
        assert_int_equal(tcplan_plan_execute_many(plan, MANY, lists[0], lists[1], results, NULL),
                         TCPLAN_OK);
        for (int m = 0; m < MANY; m++) assert_memory_equal(C[m], wanted, sizeof wanted);
        assert_int_equal(tcplan_plan_execute(plan, NULL, B, C[0], NULL), TCPLAN_INVALID);
        assert_int_equal(tcplan_plan_execute_many(plan, -1, lists[0], lists[1], results, NULL),
                         TCPLAN_INVALID);
        assert_int_equal(tcplan_plan_execute_many(plan, 0, NULL, NULL, NULL, NULL), TCPLAN_OK);
        /* alpha and beta that differ from those of the product */
        const struct tcplan_execution execution = {
            .size = sizeof execution, .A = A, .B = B, .D = C[0], .beta = &none};
        assert_int_equal(tcplan_plan_run(plan, &execution, &error), TCPLAN_OK);
        for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(C[0][i] == wanted[i] - i);
    }
    tcplan_plan_free(plan);
    tcplan_plan_free(other);
    tcplan_product_free(product);
}

/** tcplan's own kernel takes a description of the call, so the plan has no function of the form
 * f(alpha, A, B, beta, C). */
static void a_plan_of_a_kernel_of_the_library_is_no_function(void **state) {
    struct tcplan_product *product = parse("C_ab=A_ab*B_ab", "a=300,b=20", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    static double A[ELEMENTS], B[ELEMENTS], C[ELEMENTS];
    (void)state;
    if (tcplan_plan_named(&plan, NULL, product, "dloops@emitted", &error) == TCPLAN_OK) {
        assert_null(tcplan_plan_function(plan));
        for (int i = 0; i < ELEMENTS; i++) A[i] = i % 7 - 3, B[i] = i % 5 - 2;
        assert_int_equal(tcplan_plan_execute(plan, A, B, C, NULL), TCPLAN_OK);
        for (int i = 0; i < ELEMENTS; i++) assert_true(C[i] == A[i] * B[i]);
    }
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

/** Neither planning by estimate nor any execution compiles a kernel that the library has. */
static void an_estimated_plan_compiles_no_kernel_of_the_library(void **state) {
    struct tcplan_product *product = parse("C_ab=2*A_iab*B_ia+C_ab", "a=3,b=4,i=5", TCPLAN_DOUBLE);
    struct tcplan_planner *planner = estimating();
    struct tcplan_plan *plan = NULL;
    double A[ROWS * COLUMNS * SUMS], B[ROWS * SUMS], C[ROWS * COLUMNS] = {0};
    const double factor = 1.5;
    const struct tcplan_execution execution = {
        .size = sizeof execution, .A = A, .B = B, .D = C, .alpha = &factor, .beta = &factor};
    const int compiled = tcplan_code_account().compiled;
    (void)state;
    for (int i = 0; i < ROWS * COLUMNS * SUMS; i++) A[i] = 1;
    for (int i = 0; i < ROWS * SUMS; i++) B[i] = 1;
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    assert_int_equal(tcplan_plan_execute(plan, A, B, C, NULL), TCPLAN_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(C[i] == 2 * SUMS);
    assert_int_equal(tcplan_plan_run(plan, &execution, NULL), TCPLAN_OK);
    for (int i = 0; i < ROWS * COLUMNS; i++) assert_true(C[i] == 1.5 * SUMS + 3 * SUMS);
    assert_int_equal(tcplan_code_account().compiled, compiled);
    tcplan_plan_free(plan);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

/* Descriptions of plans. */

static void a_plan_describes_itself_and_emits_c(void **state) {
    struct tcplan_product *product = parse("C_abc=A_ai*B_ibc", "a=b=c=40,i=8", TCPLAN_DOUBLE);
    struct tcplan_plan *plan = named(product, "c-dgemm");
    struct tcplan_error error = {0};
    double low = 1, high = 1;
    char *text = tcplan_plan_describe(plan), *emitted = NULL;
    (void)state;
    assert_non_null(text);
    assert_non_null(strstr(text, "product:     C_abc=A_ai*B_ibc\n"));
    assert_non_null(strstr(text, "sizes:       a=40,b=40,c=40,i=8\n"));
    assert_non_null(strstr(text, "algorithm:   c-dgemm\n"));
    assert_non_null(strstr(text, "chosen:      named by the caller\n"));
    assert_non_null(strstr(text, "for c = 1:c\n"));
    assert_non_null(strstr(text, "libraries:   "));
    assert_non_null(strstr(text, tcplan_blas_info().text));
    free(text);
    assert_string_equal(tcplan_plan_algorithm(plan), "c-dgemm");
    assert_true(tcplan_plan_seconds(plan, &low, &high) == 0 && low == 0 && high == 0);
    assert_int_equal(tcplan_plan_origin(plan), TCPLAN_PLAN_NAMED);
    assert_int_equal(tcplan_plan_emit(&emitted, plan, "product", false, &error), TCPLAN_OK);
    assert_non_null(strstr(emitted, "int product(const double *A, const double *B, double *C)"));
    free(emitted);
    emitted = NULL;
    assert_int_equal(tcplan_plan_emit(&emitted, plan, "1st", false, &error), TCPLAN_INVALID);
    assert_null(emitted);
    assert_int_equal(tcplan_plan_emit(&emitted, NULL, NULL, false, &error), TCPLAN_INVALID);
    assert_null(tcplan_plan_describe(NULL));
    tcplan_plan_free(plan);
    tcplan_product_free(product);
}

static void texts_of_a_plan_have_decimal_points_in_every_locale(void **state) {
    char *described[2], *emitted[2] = {NULL, NULL};
    struct tcplan_plan *plan = NULL;
    (void)state;
    if (!comma_locale_set()) skip();
    struct tcplan_planner *planner = estimating();
    struct tcplan_product *product = parse("C_ab=0.5*A_ai*B_ib", "a=b=i=7", TCPLAN_DOUBLE);
    assert_int_equal(tcplan_plan_new(&plan, planner, product, NULL), TCPLAN_OK);
    for (int n = 0; n < 2; n++) {
        described[n] = tcplan_plan_describe(plan);
        assert_int_equal(tcplan_plan_emit(&emitted[n], plan, NULL, true, NULL), TCPLAN_OK);
        setlocale(LC_ALL, "C");
    }
    assert_non_null(strstr(described[0], "C_ab=0.5*A_ai*B_ib\n"));
    assert_non_null(strstr(described[0], "expected: "));
    assert_string_equal(described[1], described[0]);
    assert_string_equal(emitted[1], emitted[0]);
    for (int n = 0; n < 2; n++) {
        free(described[n]);
        free(emitted[n]);
    }
    tcplan_plan_free(plan);
    tcplan_product_free(product);
    tcplan_planner_free(planner);
}

/* Failing memory. */

/** Plans and executes a product with this number of successful allocations; -1: all succeed. Any
 * failure must be TCPLAN_NO_MEMORY. Returns whether it succeeded. */
static bool survives(const struct tcplan_product *product, struct tcplan_planner *planner,
                     const struct tcplan_execution *execution, long successes) {
    struct tcplan_plan *plan = NULL;
    struct tcplan_error error = {0};
    base_alloc_fail_after(successes);
    enum tcplan_status status = planner
                                    ? tcplan_plan_new(&plan, planner, product, &error)
                                    : tcplan_plan_named(&plan, NULL, product, "'A-dgemm", &error);
    if (status == TCPLAN_OK) status = tcplan_plan_run(plan, execution, &error);
    base_alloc_fail_after(-1);
    tcplan_plan_free(plan);
    assert_true(status == TCPLAN_OK ||
                (status == TCPLAN_NO_MEMORY && error.status == TCPLAN_NO_MEMORY));
    return status == TCPLAN_OK;
}

static void out_of_memory_is_reported_and_nothing_is_lost(void **state) {
    const double A[4] = {1, 2, 3, 4}, B[4] = {1, 0, 0, 1}, alpha = 2;
    double D[4] = {0};
    struct tcplan_product *product = parse("C_ab=A_ai*B_ib", "a=b=i=2", TCPLAN_DOUBLE);
    struct tcplan_planner *planner = estimating();
    const struct tcplan_execution execution = {
        .size = sizeof execution, .A = A, .B = B, .D = D, .alpha = &alpha};
    long first = 0, second = 0;
    (void)state;
    assert_true(survives(product, planner, &execution, -1)); /* initialises data that a process
                                                                determines only once */
    while (!survives(product, NULL, &execution, first)) first++;
    while (!survives(product, planner, &execution, second)) second++;
    assert_true(first > 5 && second > first);
    tcplan_planner_free(planner);
    tcplan_product_free(product);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_random_lists_agree_with_naive_loops),
        cmocka_unit_test(a_workspace_of_the_stated_size_suffices_and_is_not_exceeded),
        cmocka_unit_test(kernels_that_have_few_factors_are_right_with_any),
        cmocka_unit_test(factors_that_are_no_numbers_are_factors),
        cmocka_unit_test(a_plan_needs_neither_product_nor_planner),
        cmocka_unit_test(the_factors_of_the_notation_are_those_of_an_execution),
        cmocka_unit_test(a_workspace_suffices_for_factors_whose_kernels_are_not_compiled_again),
        cmocka_unit_test(a_product_without_alpha_is_planned_for_those_that_executions_give),
        cmocka_unit_test(threads_share_a_loop_and_leave_those_of_the_blas_alone),
        cmocka_unit_test(
            a_plan_that_improves_itself_adds_once_at_each_execution_and_keeps_what_was_fastest),
        cmocka_unit_test(executions_with_other_factors_or_memory_try_nothing),
        cmocka_unit_test(a_workspace_suffices_for_every_choice_of_a_plan),
        cmocka_unit_test(impossible_executions_are_refused_and_nothing_is_done),
        cmocka_unit_test(an_empty_result_needs_no_pointers),
        cmocka_unit_test(plans_of_unknown_algorithms_are_refused),
        cmocka_unit_test(a_plan_of_one_compiled_kernel_is_a_function),
        cmocka_unit_test(a_plan_of_a_kernel_of_the_library_is_no_function),
        cmocka_unit_test(an_estimated_plan_compiles_no_kernel_of_the_library),
        cmocka_unit_test(a_plan_describes_itself_and_emits_c),
        cmocka_unit_test(texts_of_a_plan_have_decimal_points_in_every_locale),
        cmocka_unit_test(out_of_memory_is_reported_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
