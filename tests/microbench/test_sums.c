/*
 * Kernels of libxsmm that sum up the products of a contracted innermost loop: they equal naive loops, however a run is cut into stretches. Every
 * case that matters has to come up: types, factors of the result, copies of it, tiles whose last is smaller.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/refine.h"
#include "gen/provider.h"
#include "microbench/probe.h"
#include "microbench/program.h"
#include "plan/kernel_times.h"
#include "support/naive.h"
#include "support/random_algorithm.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/blas.h"

static void need_sums(void) {
    struct tcplan_provider_info info;
    if (tcplan_provider_info(&info, TCPLAN_PROVIDER_LIBXSMM)) return;
    print_message("libxsmm is not there\n");
    skip();
}

/** A program of which a kernel may sum up products. */
struct built {
    struct tcplan_nest *nest;
    struct tcplan_program *program; /* NULL: libxsmm lacks its kernel */
    const struct operation *loop;   /* that is summed up; NULL: none is */
};

static void built_init(struct built *out, const struct random_contraction *given, const struct tcplan_algorithm *algorithm) {
    struct tcplan_error error;
    *out = (struct built){0};
    if (tcplan_nest_build(&out->nest, given->contraction, algorithm, NULL) != TCPLAN_OK) return; /* other kernels than gemm */
    const enum tcplan_status status = tcplan_program_build(&out->program, out->nest, &given->problem, &error);
    if (status == TCPLAN_NOT_APPLICABLE) return;
    if (status != TCPLAN_OK) fail_msg("%s: %s", random_contraction_describe(given), error.message);
    if (out->program->kernel->kernel.call.sums > 0) out->loop = out->program->kernel->parent;
}

static void built_free(struct built *built) {
    tcplan_program_free(built->program);
    tcplan_nest_free(built->nest);
}

static void built_named(struct built *out, const struct random_contraction *given, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error;
    if (tcplan_algorithm_parse(&algorithm, given->contraction, given->problem.dtype, name, &error)) fail_msg("%s", error.message);
    built_init(out, given, &algorithm);
    assert_non_null(out->program);
}

/* Random algorithms. */

enum { BETAS = 3 }; /* 0, 1, another one */

/** How often the cases came up. */
struct seen {
    int sums[TCPLAN_DTYPES][2][BETAS]; /* by type, whether the result is copied, factor */
    int smaller_tile[TCPLAN_DTYPES];   /* loops over tiles of k, the last one smaller */
    int fewer_points[TCPLAN_DTYPES];   /* loops over the points of tiles, of which the last has fewer */
};

static void count(struct seen *seen, const struct built *built, enum tcplan_dtype dtype, int beta) {
    seen->sums[dtype][built->program->kernel->slice[TCPLAN_C].temporary][beta]++;
    seen->smaller_tile[dtype] += built->loop->steps_of != 0 && (built->program->kernel->partial_mask & built->loop->steps_of) != 0;
    seen->fewer_points[dtype] += built->loop->points_of != 0 && built->loop->last_extent != built->loop->extent;
}

static void fail_algorithm(const struct random_contraction *given, const struct tcplan_algorithm *algorithm, const char *why) {
    char *name = tcplan_algorithm_name(algorithm, given->contraction, given->problem.dtype);
    fail_msg("%s --algorithm \"%s\": %s", random_contraction_describe(given), name, why);
}

/** Runs all calls in pieces, most of them shorter than a sum. */
static void run_in_stretches(struct tcplan_program *program, const struct naive_case *naive, uint64_t *random) {
    struct cursor cursor = {0};
    for (int64_t left = program->calls; left > 0;) {
        const int64_t drawn = rng_below(random, 5);
        const int64_t calls = drawn < left ? drawn : left;
        program_run_calls(program, &cursor, calls, (struct tensor_pointers){.tensor = {naive->A, naive->B, naive->C}});
        left -= calls;
    }
}

/** Runs an algorithm as a whole and in pieces; whether it sums up. */
static bool check(struct seen *seen, const struct random_contraction *given, const struct tcplan_algorithm *algorithm, int beta,
                  struct naive_case *naive, uint64_t *random) {
    struct built built;
    built_init(&built, given, algorithm);
    const bool sums = built.loop != NULL;
    if (sums) {
        const double allowed = naive_tolerance(&given->problem);
        count(seen, &built, given->problem.dtype, beta);
        naive_case_reset(naive);
        tcplan_program_run(built.program, naive->A, naive->B, naive->C);
        if (!(naive_case_error(naive) <= allowed)) fail_algorithm(given, algorithm, "wrong");
        naive_case_reset(naive);
        run_in_stretches(built.program, naive, random);
        if (!(naive_case_error(naive) <= allowed)) fail_algorithm(given, algorithm, "wrong in stretches");
    }
    built_free(&built);
    return sums;
}

static void check_contraction(struct seen *seen, const char *text, const char *sizes, enum tcplan_order order, enum tcplan_dtype dtype,
                              int beta) {
    enum { ALGORITHMS = 400 };
    struct random_contraction given;
    struct naive_case naive;
    uint64_t random = 1 + (uint64_t)beta;
    random_contraction_given(&given, text, sizes, order, dtype);
    naive_case_init(&naive, &given.problem, 1);
    for (int a = 0; a < ALGORITHMS; a++) {
        struct tcplan_algorithm algorithm;
        if (!random_algorithm(&algorithm, given.contraction, &random)) continue;
        algorithm.provider = TCPLAN_PROVIDER_LIBXSMM;
        check(seen, &given, &algorithm, beta, &naive, &random);
    }
    naive_case_free(&naive);
    random_contraction_free(&given);
}

static void sums_equal_naive_loops(void **state) {
    (void)state;
    static const char *const texts[][BETAS] = {{"C_ab=A_aij*B_ijb", "C_ab+=A_aij*B_ijb", "C_ab=A_aij*B_ijb-0.5*C_ab"},
                                               {"C_abc=A_jai*B_jbic", "C_abc+=A_jai*B_jbic", "C_abc=A_jai*B_jbic+2*C_abc"},
                                               {"C_abd=A_aidj*B_bjdi", "C_abd+=A_aidj*B_bjdi", "C_abd=A_aidj*B_bjdi+2*C_abd"}};
    static const char *const sizes[] = {"a=9,b=6,i=7,j=5", "a=9,b=3,c=4,i=5,j=7", "a=10,b=5,d=2,i=7,j=3"};
    struct seen seen = {0};
    need_sums();
    for (int dtype = TCPLAN_FLOAT; dtype <= TCPLAN_DOUBLE; dtype++) {
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
            for (int beta = 0; beta < BETAS; beta++) {
                for (int order = TCPLAN_COLUMN_MAJOR; order <= TCPLAN_ROW_MAJOR; order++) {
                    check_contraction(&seen, texts[t][beta], sizes[t], (enum tcplan_order)order, (enum tcplan_dtype)dtype, beta);
                }
            }
        }
        for (int beta = 0; beta < BETAS; beta++) {
            assert_true(seen.sums[dtype][true][beta] > 10);
            if (beta < 2) assert_true(seen.sums[dtype][false][beta] > 10); /* libxsmm's own factors */
        }
        assert_true(seen.smaller_tile[dtype] > 10);
        assert_true(seen.fewer_points[dtype] > 10);
    }
}

/* The calls that are made. */

/** Bursts in the order in which they came. */
static struct {
    int count;
    int64_t calls[16];
    double beta[16];
} recorded;

static void record(const struct kernel *kernel, struct kernel_operands at, struct kernel_steps steps, int64_t calls) {
    (void)at, (void)steps;
    assert_true(recorded.count < 16);
    recorded.calls[recorded.count] = calls;
    recorded.beta[recorded.count++] = kernel->call.beta.re;
}

/** Makes stretches of the lengths in `stretch` and compares the bursts. */
static void check_bursts(const char *sizes, const char *name, const int64_t *stretch, int stretches, const char *expected) {
    struct random_contraction given;
    struct built built;
    struct cursor cursor = {0};
    static double tensor[TCPLAN_OPERANDS][1000];
    const struct tensor_pointers base = {.tensor = {(char *)tensor[0], (char *)tensor[1], (char *)tensor[2]}};
    char found[200] = "";
    random_contraction_given(&given, "C_abc=A_aij*B_ijbc", sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, name);
    assert_non_null(built.loop);
    struct operation *kernel = built.program->kernel;
    for (int v = 0; v < kernel->variant_count; v++) kernel->variant[v].kernel.burst = record;
    kernel->kernel.burst = record;
    recorded.count = 0;
    for (int s = 0; s < stretches; s++) program_run_calls(built.program, &cursor, stretch[s], base);
    for (int b = 0; b < recorded.count; b++) {
        const size_t length = strlen(found);
        snprintf(found + length, sizeof found - length, "%s%d%s", b > 0 ? " " : "", (int)recorded.calls[b],
                 recorded.beta[b] == 0 ? ":=" : "+=");
    }
    assert_string_equal(found, expected);
    built_free(&built);
    random_contraction_free(&given);
}

static void a_sum_is_one_burst_that_begins_with_the_results_factor(void **state) {
    (void)state;
    need_sums();
    check_bursts("a=9,b=6,c=3,i=7,j=4", "c.j=-dgemm@libxsmm", (const int64_t[]){12}, 1, "4:= 4:= 4:=");
    check_bursts("a=9,b=6,c=2,i=7,j=4", "c.j=-dgemm@libxsmm", (const int64_t[]){2, 3, 1, 2}, 4, "2:= 2+= 1:= 1+= 2+=");
    check_bursts("a=9,b=6,c=1,i=7,j=4", "c.i:2=.j=-dgemm@libxsmm", (const int64_t[]){16}, 1, "4:= 4+= 4+= 4+=");
    check_bursts("a=9,b=6,c=2,i=7,j=4", "c.j=.i:2=-dgemm@libxsmm", (const int64_t[]){32}, 1,
                 "3:= 1+= 3+= 1+= 3+= 1+= 3+= 1+= 3:= 1+= 3+= 1+= 3+= 1+= 3+= 1+=");
}

/* Where sums are taken. */

static int sums_of(const char *text, const char *sizes, const char *name) {
    struct random_contraction given;
    struct built built;
    random_contraction_given(&given, text, sizes, TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, name);
    const int sums = built.program->kernel->kernel.call.sums;
    if (sums > 0) assert_false(built.program->kernel->kernel.call.fetches_ahead);
    built_free(&built);
    random_contraction_free(&given);
    return sums;
}

static void a_contracted_innermost_loop_around_a_kernel_alone_is_summed_up(void **state) {
    (void)state;
    need_sums();
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=4", "c.j=-dgemm@libxsmm"), 4);
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=4", "j=.c-dgemm@libxsmm"), 0);   /* not the innermost */
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=4", "c.j='A-dgemm@libxsmm"), 0); /* with a copy in it */
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=4", "c-dgemm@libxsmm"), 0);
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=1", "c.j=-dgemm@libxsmm"), 0); /* one product */
    assert_int_equal(sums_of("C_abc=A_aij*B_ijbc", "a=9,b=6,c=5,i=7,j=4", "c.j=-dgemm"), 0);         /* another provider */
    /* 2.6 GB from one product's first factor to the next one's: more than libxsmm's integer */
    assert_int_equal(sums_of("C_abc=A_aicj*B_ijb", "a=8,b=128,c=5000000,i=8,j=2", "c.j=-dgemm@libxsmm"), 0);
    assert_int_equal(sums_of("C_abc=A_aicj*B_ijb", "a=8,b=128,c=4000000,i=8,j=2", "c.j=-dgemm@libxsmm"), 2);
    /* all that a sum reads of the first factor: 512 KiB, and more */
    assert_int_equal(sums_of("C_ab=A_aij*B_ijb", "a=64,b=24,i=32,j=32", "j=-dgemm@libxsmm"), 32);
    assert_int_equal(sums_of("C_ab=A_aij*B_ijb", "a=64,b=24,i=32,j=33", "j=-dgemm@libxsmm"), 0);
}

/** 8 MB of A and more: all are read once, or those of an iteration of a loop around in each of its turns. */
static void a_first_factor_from_memory_is_fetched_ahead_instead(void **state) {
    (void)state;
    need_sums();
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=72,b=24,c=200,i=9,j=8", "c.j=-dgemm@libxsmm"), 0);
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=72,b=24,c=101,i=9,j=8", "c.j=-dgemm@libxsmm"), 8);         /* just below 4 MiB */
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=72,b=24,c=102,i=9,j=8", "c.j=-dgemm@libxsmm"), 0);         /* just above */
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=72,b=128,c=200,i=9,j=8", "c.j=-dgemm@libxsmm"), 8);        /* many columns */
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=72,b=24,c=200,i=9,j=8", "c'A.j=-dgemm@libxsmm"), 8);       /* from a temporary */
    assert_int_equal(sums_of("C_abcd=A_aijc*B_ijbd", "a=72,b=24,c=200,d=3,i=9,j=8", "c.d.j=-dgemm@libxsmm"), 8); /* again in each d */
    assert_int_equal(sums_of("C_abcd=A_aijc*B_ijbd", "a=72,b=24,c=200,d=1,i=9,j=8", "c.d.j=-dgemm@libxsmm"), 0); /* there is one d */
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=16,b=16,c=5000,i=8,j=8", "c.j=-dgemm@libxsmm"), 8);        /* short products */
    assert_int_equal(sums_of("C_abc=A_aijc*B_ijb", "a=16,b=17,c=5000,i=8,j=8", "c.j=-dgemm@libxsmm"), 0);        /* somewhat longer */
}

/** Tiles of columns, the last of which has fewer than 128. */
static void the_decision_is_the_same_in_all_tiles(void **state) {
    (void)state;
    struct random_contraction given;
    struct built built;
    need_sums();
    random_contraction_given(&given, "C_abc=A_aijc*B_ijb", "a=72,b=140,c=200,i=9,j=8", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, "c.b:128.j=-dgemm@libxsmm");
    const struct operation *kernel = built.program->kernel;
    assert_int_equal(kernel->variant_count, 4); /* full or not, the first visit or a later one */
    for (int v = 0; v < kernel->variant_count; v++) assert_int_equal(kernel->variant[v].kernel.call.sums, 8);
    built_free(&built);
    random_contraction_free(&given);
}

/* Stretches of whole sums. */

static void positions_within_a_sum_begin_with_it(void **state) {
    (void)state;
    struct random_contraction given;
    struct built built;
    need_sums();
    random_contraction_given(&given, "C_abc=A_aij*B_ijbc", "a=9,b=6,c=2,i=7,j=5", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, "c.j=-dgemm@libxsmm");
    for (int64_t position = 0; position < 10; position++) {
        assert_int_equal(program_sum_start(built.program, position), position / 5 * 5);
        assert_int_equal(program_whole_sums(built.program, position), (position + 4) / 5 * 5);
    }
    built_free(&built);
    built_named(&built, &given, "c.j:3=.j=-dgemm@libxsmm"); /* sums of three and of two */
    static const int64_t starts[10] = {0, 0, 0, 3, 3, 5, 5, 5, 8, 8};
    for (int64_t position = 0; position < 10; position++) {
        assert_int_equal(program_sum_start(built.program, position), starts[position]);
    }
    built_free(&built);
    built_named(&built, &given, "c.j=-dgemm"); /* single calls */
    for (int64_t position = 0; position < 10; position++) {
        assert_int_equal(program_sum_start(built.program, position), position);
        assert_int_equal(program_whole_sums(built.program, position), position);
    }
    built_free(&built);
    random_contraction_free(&given);
}

/* Repetitions and probes. */

/** A 1 x 1 product: a=2, b=3. */
static void repeated_products_of_a_sum_add_up(void **state) {
    (void)state;
    struct random_contraction given;
    struct built built;
    double A[3] = {2, 100, 100};
    double B[3] = {3, 100, 100};
    double C = 1;
    need_sums();
    random_contraction_given(&given, "C_ab+=A_aij*B_ijb", "a=1,b=1,i=1,j=3", TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
    built_named(&built, &given, "j=-dgemm@libxsmm");
    assert_int_equal(built.program->kernel->kernel.call.sums, 3);
    program_repeat_kernel(built.program, (struct tensor_pointers){.tensor = {(char *)A, (char *)B, (char *)&C}}, 7);
    assert_true(C == 1 + 7 * 6);
    built_free(&built);
    random_contraction_free(&given);
}

static struct blas_call sum_call(int sums, double beta) {
    struct blas_call call = {.kernel = TCPLAN_GEMM,
                             .provider = TCPLAN_PROVIDER_LIBXSMM,
                             .m = 1,
                             .n = 1,
                             .k = 1,
                             .ld = {1, 1, 1},
                             .alpha = {1, 0},
                             .beta = {beta, 0},
                             .sums = sums,
                             .sum_step_bytes = {8, 16}};
    blas_call_set_strides(&call);
    return call;
}

static void calls_that_move_otherwise_are_made_one_by_one(void **state) {
    (void)state;
    const double A[4] = {1, 2, 3, 4};
    const double B[8] = {1, 0, 10, 0, 100, 0, 1000, 0};
    double C[4] = {5, 5, 5, 5};
    need_sums();
    const struct blas_call call = sum_call(4, 1);
    const struct kernel kernel = kernel_bind(&call, TCPLAN_DOUBLE);
    const struct kernel_operands at = {.first = (const char *)A, .second = (const char *)B, .result = (char *)C};
    assert_non_null(kernel.burst);
    kernel.burst(&kernel, at, (struct kernel_steps){8, 16, 0}, 3);
    assert_true(C[0] == 5 + 321 && C[1] == 5);
    kernel.burst(&kernel, at, (struct kernel_steps){0, 16, 8}, 4);
    assert_true(C[0] == 5 + 321 + 1 && C[1] == 15 && C[2] == 105 && C[3] == 1005);
}

static void a_probe_times_a_product_within_a_sum(void **state) {
    (void)state;
    double ns[PROBE_REPETITIONS];
    need_sums();
    const struct blas_call single = sum_call(0, 1);
    const struct blas_call four = sum_call(4, 1);
    const struct blas_call many = sum_call(100000, 1);
    struct blas_call large = sum_call(100000, 1);
    large.m = large.n = large.k = 120;
    struct probe_call probe = probe_call_of(&four);
    const struct kernel_key key = kernel_key_of(&probe.call, TCPLAN_DOUBLE, 1);
    assert_int_equal(probe.call.sums, 4);
    assert_true(probe.scale == 1);
    assert_true(probe_time(&probe, TCPLAN_DOUBLE, ns));
    for (int r = 0; r < PROBE_REPETITIONS; r++) assert_true(ns[r] > 0);
    probe = probe_call_of(&single);
    const struct kernel_key other = kernel_key_of(&probe.call, TCPLAN_DOUBLE, 1);
    assert_memory_not_equal(&key, &other, sizeof key);
    probe = probe_call_of(&many);
    assert_in_range(probe.call.sums, 5, 99999); /* enough to be like many */
    probe = probe_call_of(&large);
    assert_int_equal(probe.call.sums, 2); /* of 1.7 million products each */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_equal_naive_loops),
                                       cmocka_unit_test(a_sum_is_one_burst_that_begins_with_the_results_factor),
                                       cmocka_unit_test(a_contracted_innermost_loop_around_a_kernel_alone_is_summed_up),
                                       cmocka_unit_test(a_first_factor_from_memory_is_fetched_ahead_instead),
                                       cmocka_unit_test(the_decision_is_the_same_in_all_tiles),
                                       cmocka_unit_test(positions_within_a_sum_begin_with_it),
                                       cmocka_unit_test(repeated_products_of_a_sum_add_up),
                                       cmocka_unit_test(calls_that_move_otherwise_are_made_one_by_one),
                                       cmocka_unit_test(a_probe_times_a_product_within_a_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
