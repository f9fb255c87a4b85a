/*
 * Tests names of algorithms with the whole grammar: they are printed, read back, refused, and read
 * after random changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ast/algorithm/algorithm.h"
#include "ast/algorithm/algorithm_check.h"
#include "support/random_algorithm.h"
#include "support/random_contraction.h"
#include "support/rng.h"
#include "tcplan/nest.h"

static void assert_same_algorithm(const struct tcplan_algorithm *a,
                                  const struct tcplan_algorithm *b) {
    assert_true(tcplan_algorithm_equal(a, b));
    assert_memory_equal(a->loop, b->loop, sizeof a->loop);
    assert_memory_equal(a->split, b->split, sizeof a->split);
}

static char *check_reads_back(const struct random_contraction *random,
                              const struct tcplan_algorithm *algorithm) {
    struct tcplan_algorithm read;
    struct tcplan_error error = {0};
    char *name = tcplan_algorithm_name(algorithm, random->contraction, random->problem.dtype);
    assert_non_null(name);
    if (tcplan_algorithm_parse(&read, random->contraction, random->problem.dtype, name, &error)) {
        fail_msg("%s: %s: %s", random_contraction_describe(random), name, error.message);
    }
    if (!tcplan_algorithm_equal(&read, algorithm))
        fail_msg("%s: %s is read as another", random_contraction_describe(random), name);
    assert_same_algorithm(&read, algorithm);
    return name;
}

/** Sets a random provider that has the algorithm's kernel, if there is one. */
static void choose_provider(struct tcplan_algorithm *algorithm,
                            const struct tcplan_contraction *contraction, uint64_t *state) {
    const enum tcplan_provider own = algorithm->provider;
    algorithm->provider = (enum tcplan_provider)rng_below(state, TCPLAN_PROVIDERS);
    if (algorithm_check(algorithm, contraction, NULL) != TCPLAN_OK) algorithm->provider = own;
}

/** Changes a name at random. It must be refused, or denote an algorithm whose canonical name
 * denotes the same algorithm. Returns whether it was accepted. */
static int check_mangled(const struct random_contraction *random, const char *name,
                         uint64_t *state) {
    static const char alphabet[] = "abcijABCts'.:=|+-@0189dgem_ \xff";
    char mangled[300];
    struct tcplan_algorithm algorithm;
    size_t length = strlen(name);
    assert_true(length + 2 < sizeof mangled);
    memcpy(mangled, name, length + 1);
    for (int edit = rng_below(state, 2); edit >= 0; edit--) {
        const size_t at = (size_t)rng_below(state, (int)length + 1);
        const char c = alphabet[rng_below(state, (int)sizeof alphabet - 1)];
        const int kind = rng_below(state, 3);
        if (kind == 0 && at < length) mangled[at] = c;
        if (kind == 1 && at < length) memmove(mangled + at, mangled + at + 1, length-- - at);
        if (kind != 2 || length + 2 >= sizeof mangled) continue;
        memmove(mangled + at + 1, mangled + at, ++length - at);
        mangled[at] = c;
    }
    if (tcplan_algorithm_parse(&algorithm, random->contraction, random->problem.dtype, mangled,
                               NULL) != TCPLAN_OK)
        return 0;
    assert_int_equal(algorithm_check(&algorithm, random->contraction, NULL), TCPLAN_OK);
    free(check_reads_back(random, &algorithm));
    return 1;
}

static void check_random(uint64_t seed, bool long_names, int *checked, int *mangled) {
    struct random_contraction random;
    struct random_contraction_options options = random_contraction_defaults();
    options.long_names = long_names;
    options.min_rank = 0;
    random_contraction_init(&random, seed, &options);
    uint64_t state = seed;
    for (int i = 0; i < 20; i++) {
        static const enum tcplan_provider providers[] = {
            TCPLAN_PROVIDER_LIBXSMM, TCPLAN_PROVIDER_EMITTED, TCPLAN_PROVIDER_BLAS,
            TCPLAN_PROVIDER_BLAS};
        const enum tcplan_provider provider =
            providers[rng_below(&state, sizeof providers / sizeof *providers)];
        struct tcplan_algorithm algorithm;
        if (!random_algorithm(&algorithm, random.contraction, provider, &state)) break;
        if (rng_once_in(&state, 2)) random_parallel_loop(&algorithm, random.contraction, &state);
        if (i % 2 == 1) choose_provider(&algorithm, random.contraction, &state);
        algorithm_canonical(&algorithm, random.contraction);
        assert_int_equal(algorithm_check(&algorithm, random.contraction, NULL), TCPLAN_OK);
        char *name = check_reads_back(&random, &algorithm);
        *mangled += check_mangled(&random, name, &state);
        free(name);
        ++*checked;
    }
    random_contraction_free(&random);
}

static void names_of_random_algorithm_read_back_and_mangled_ones_do_no_harm(void **state) {
    (void)state;
    int checked = 0;
    int mangled = 0;
    for (uint64_t seed = 1; seed <= 300; seed++)
        check_random(seed, seed % 3 == 0, &checked, &mangled);
    assert_true(checked > 3000);
    assert_true(mangled > 50);
}

static void names_with_indices_called_as_operands_read_back(void **state) {
    (void)state;
    static const char *const texts[] = {"C_AtB=A_AsC*B_sCtB", "C_CAb=A_tAC*B_tb",
                                        "C[AB,Cs,b]=A[AB,A,At]*B[A,At,Cs,b]",
                                        "C[A,B,C]=A[A,t,s]*B[t,B,s,C]"};
    static const char *const sizes[] = {"A=2,t=2,B=2,s=2,C=2", "C=2,A=2,b=2,t=2",
                                        "AB=2,Cs=2,b=2,A=2,At=2", "A=2,B=2,C=2,t=2,s=2"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        struct random_contraction random;
        random_contraction_given(&random, texts[t], sizes[t], TCPLAN_COLUMN_MAJOR, TCPLAN_DOUBLE);
        uint64_t seed = t;
        for (int i = 0; i < 1000; i++) {
            struct tcplan_algorithm algorithm;
            assert_true(random_algorithm(&algorithm, random.contraction,
                                         i % 2 ? TCPLAN_PROVIDER_BLAS : TCPLAN_PROVIDER_LIBXSMM,
                                         &seed));
            algorithm_canonical(&algorithm, random.contraction);
            free(check_reads_back(&random, &algorithm));
        }
        random_contraction_free(&random);
    }
}

/* Single names. */

struct given {
    const char *contraction;
    const char *name;
};

static enum tcplan_status parse(struct given given, struct tcplan_algorithm *out,
                                struct tcplan_error *error) {
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, given.contraction, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    enum tcplan_status status =
        tcplan_algorithm_parse(out, contraction, TCPLAN_DOUBLE, given.name, error);
    if (status == TCPLAN_OK) {
        char *name = tcplan_algorithm_name(out, contraction, TCPLAN_DOUBLE);
        assert_string_equal(name, given.name);
        free(name);
    }
    tcplan_contraction_free(contraction);
    return status;
}

static struct tcplan_algorithm parsed(struct given given) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    if (parse(given, &algorithm, &error)) fail_msg("%s: %s", given.name, error.message);
    return algorithm;
}

static void indices_without_a_loop_are_fused_in_the_kernel(void **state) {
    (void)state;
    const struct tcplan_algorithm algorithm = parsed((struct given){"C_abc=A_ai*B_ibc", "dgemm"});
    assert_int_equal(algorithm.loop_count, 0);
    assert_int_equal(algorithm.group[TCPLAN_M], 1);
    assert_int_equal(algorithm.group[TCPLAN_N], 6);
    assert_int_equal(algorithm.group[TCPLAN_K], 8);
}

static void a_tile_has_a_loop_in_steps_and_its_points_in_the_kernel_or_in_another(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_bda*B_dc", "a:8'Cs.a-dgemm"});
    assert_int_equal(algorithm.loop_count, 2);
    assert_int_equal(algorithm.loop[0], 4);
    assert_int_equal(algorithm.loop[1], 0);
    assert_int_equal(algorithm.split[0].index, 0);
    assert_int_equal(algorithm.split[0].step, 8);
    assert_int_equal(algorithm.copy[TCPLAN_C].depth, 1);
    assert_int_equal(algorithm.copy[TCPLAN_A].depth, -1);
    assert_true(algorithm.copy[TCPLAN_C].streamed);
    algorithm = parsed((struct given){"C_abc=A_ai*B_ibc", "b:4.c-dgemm"});
    assert_int_equal(algorithm.group[TCPLAN_N], 2);
}

static void copies_are_named_at_their_loop(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ija*B_jbic", "'AtBCt-dgemm"});
    for (int t = 0; t < TCPLAN_OPERANDS; t++) assert_int_equal(algorithm.copy[t].depth, 0);
    assert_true(algorithm.copy[TCPLAN_A].transposed && !algorithm.copy[TCPLAN_B].transposed &&
                algorithm.copy[TCPLAN_C].transposed);
    algorithm = parsed((struct given){"C_abc=A_ija*B_jbic", "'A.c'BCts-dgemm"});
    assert_int_equal(algorithm.copy[TCPLAN_A].depth, 0);
    assert_int_equal(algorithm.copy[TCPLAN_B].depth, 1);
    assert_true(algorithm.copy[TCPLAN_C].transposed && algorithm.copy[TCPLAN_C].streamed);
}

static void contracted_and_parallel_loops_are_marked(void **state) {
    (void)state;
    const struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ija*B_jbic", "c|.i:16='A.i=-dgemm"});
    assert_int_equal(algorithm.parallel, 0);
    assert_false(algorithm.collapsed);
    assert_int_equal(algorithm.loop[1], 5);
    assert_int_equal(algorithm.loop[2], 3);
}

static void two_loops_are_collapsed(void **state) {
    (void)state;
    const struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ai*B_ibc", "c|'B.b|-dgemv"});
    assert_int_equal(algorithm.parallel, 0);
    assert_true(algorithm.collapsed);
    assert_int_equal(algorithm.copy[TCPLAN_B].depth, 1);
}

static void kernels_of_others_than_the_blas_name_their_provider(void **state) {
    (void)state;
    assert_int_equal(parsed((struct given){"C_abc=A_ai*B_ibc", "dgemm@libxsmm"}).provider,
                     TCPLAN_PROVIDER_LIBXSMM);
    assert_int_equal(parsed((struct given){"C_abc=A_bda*B_dc", "bc-dgemm@blis"}).provider,
                     TCPLAN_PROVIDER_BLIS);
    assert_int_equal(parsed((struct given){"C_abc=A_ai*B_ibc", "ca-dgemv@blas2"}).provider,
                     TCPLAN_PROVIDER_FILE_2);
}

static void a_kernel_that_streams_the_result_is_marked(void **state) {
    (void)state;
    const struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted's"});
    assert_int_equal(algorithm.copy[TCPLAN_C].depth, -1);
    assert_true(algorithm.copy[TCPLAN_C].streamed);
    assert_int_equal(algorithm.provider, TCPLAN_PROVIDER_EMITTED);
    parsed((struct given){"C_abc=A_ai*B_ibc", "dgemm@emitted's"});
    parsed((struct given){"C_abc=A_ija*B_jbic", "'AB.c-dgemm@emitted's"});
    assert_false(
        parsed((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted"}).copy[TCPLAN_C].streamed);
}

static void register_tile_and_unrolling_follow_the_provider(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'3x4u8s"});
    assert_int_equal(algorithm.tile.vectors, 3);
    assert_int_equal(algorithm.tile.columns, 4);
    assert_int_equal(algorithm.tile.unroll, 8);
    assert_true(algorithm.copy[TCPLAN_C].streamed);
    algorithm = parsed((struct given){"C_abc=A_ai*B_ibc", "dgemm@emitted'u16"});
    assert_int_equal(algorithm.tile.vectors, 0);
    assert_int_equal(algorithm.tile.unroll, 16);
    const struct tcplan_algorithm loops =
        parsed((struct given){"C_a=A_iaj*B_ji", "'B-dloops@emitted'6x32"});
    assert_int_equal(loops.tile.columns, 32);
    assert_int_equal(loops.tile.unroll, 0);
    assert_false(tcplan_algorithm_equal(&algorithm, &(struct tcplan_algorithm){.tile = {1, 1, 1}}));
}

static void a_plus_marks_the_index_of_a_sum_of_products(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm =
        parsed((struct given){"C_abc=A_ija*B_jbic", "'At.c.i+-dbrgemm@libxsmm"});
    assert_int_equal(algorithm.kernel, TCPLAN_BRGEMM);
    assert_int_equal(algorithm.loop_count, 1);
    assert_int_equal(algorithm.group[TCPLAN_R], 1 << 3);
    assert_int_equal(algorithm.group[TCPLAN_K], 1 << 4);
    algorithm = parsed((struct given){"C_abc=A_aij*B_jbic", "c|.i:4=.i+-dbrgemm@libxsmm"});
    assert_int_equal(algorithm.group[TCPLAN_R], 1 << 3);
    assert_int_equal(algorithm.split_count, 1);
    parsed((struct given){"C_ab=A_ai*B_ib", "i+-dbrgemm@libxsmm"});
    parsed((struct given){"C_ab=A_ai*B_ib", "'ABC.i+-dbrgemm@libxsmm"});
    parsed((struct given){"C[row,x]=A[row,k_0,A]*B[k_0,A,x]", "x:8.A+.k_0+-dbrgemm@libxsmm"});
}

static void a_plus_after_a_step_marks_summed_steps(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm =
        parsed((struct given){"C_mn=A_mk*B_kn", "n:64'Bp.m:48'Ap.n:8.m:16.k:256+-dbrgemm@libxsmm"});
    assert_int_equal(algorithm.loop_count, 4);
    assert_int_equal(algorithm.split_count, 5);
    assert_int_equal(algorithm.split[4].index, 2);
    assert_int_equal(algorithm.split[4].step, 256);
    assert_int_equal(algorithm.group[TCPLAN_R], 1 << (3 + 4));
    assert_int_equal(algorithm.group[TCPLAN_K], 1 << 2);
    algorithm = parsed((struct given){"C_mn=A_mk*B_kn", "'AB.k:1024=.k:256+-dbrgemm@libxsmm"});
    assert_int_equal(algorithm.group[TCPLAN_R], 1 << (3 + 1));
    parsed((struct given){"C_ab=A_aij*B_ijb", "j+.i:4+-dbrgemm@libxsmm"});
    parsed((struct given){"C_ab=A_aij*B_jib", "'AB.j+.i:4+-dbrgemm@libxsmm"});
    parsed((struct given){"C[row,x]=A[row,k_0,A]*B[k_0,A,x]", "x:8.A+.k_0:16+-dbrgemm@libxsmm"});
}

static void long_index_names_have_the_same_grammar(void **state) {
    (void)state;
    parsed((struct given){"C[row,x,col]=A[row,i_0]*B[i_0,x,col]", "'B.row:100|'AC.row-dgemv"});
    parsed((struct given){"C[row,x,col]=A[row,i_0]*B[i_0,x,col]", "i_0:7=.x-dgemm"});
}

static bool is_in_blas_space(struct given given) {
    struct tcplan_contraction *contraction = NULL;
    const struct tcplan_algorithm algorithm = parsed(given);
    assert_int_equal(
        tcplan_contraction_parse(&contraction, given.contraction, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    const bool in_space = tcplan_algorithm_in_blas_space(&algorithm, contraction);
    tcplan_contraction_free(contraction);
    return in_space;
}

static void the_name_of_the_blas_space_is_that_of_its_algorithm(void **state) {
    (void)state;
    assert_true(is_in_blas_space((struct given){"C_abc=A_ai*B_ibc", "c-dgemm"}));
    assert_false(is_in_blas_space((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@libxsmm"}));
    assert_false(is_in_blas_space((struct given){"C_abc=A_ija*B_jbic", "i=.c'AB-dgemm"}));
    assert_true(is_in_blas_space((struct given){"C_abc=A_ija*B_jbic", "i'c-dgemm"}));
}

/** After an apostrophe, A, B and C always denote copies: loops over indices with these names have
 * dots before them. */
static void indices_called_as_operands_have_dots_before_them(void **state) {
    (void)state;
    struct tcplan_algorithm algorithm = parsed((struct given){"C_mnAb=A_bmk*B_knAb", "b'.A-dgemm"});
    assert_int_equal(algorithm.loop_count, 2);
    algorithm = parsed((struct given){"C_mnAb=A_bmk*B_knAb", "b'A-dgemm"});
    assert_int_equal(algorithm.loop_count, 1);
    assert_int_equal(algorithm.copy[TCPLAN_A].depth, 1);
    algorithm = parsed((struct given){"C[m,n,AB,c]=A[i,i,m]*B[i,n,AB,c]", "'.AB.c-dgemm"});
    assert_int_equal(algorithm.loop_count, 2);
    algorithm = parsed((struct given){"C[m,n,AB,c]=A[i,i,m]*B[i,n,AB,c]", "'AB.c-dgemm"});
    assert_int_equal(algorithm.loop_count, 1);
}

/** Checks that a name is accepted, and that its algorithm has the canonical name `own`. */
static void assert_reads_as(const char *contraction_text, const char *name, const char *own) {
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    assert_int_equal(
        tcplan_contraction_parse(&contraction, contraction_text, TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    if (tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s: %s", name, error.message);
    char *printed = tcplan_algorithm_name(&algorithm, contraction, TCPLAN_DOUBLE);
    assert_string_equal(printed, own);
    free(printed);
    tcplan_contraction_free(contraction);
}

static void other_spellings_are_read(void **state) {
    (void)state;
    assert_reads_as("C_abc=A_ai*B_ibc", "c.b-dgemv", "cb-dgemv");
    assert_reads_as("C_abc=A_ai*B_ibc", "c.a-dgemv@blas2", "ca-dgemv@blas2");
    assert_reads_as("C_abc=A_ai*B_ibc", "a:8.-dgemm", "a:8-dgemm");
    assert_reads_as("C_abc=A_ai*B_ibc", "dgemm@openblas", "dgemm");
    assert_reads_as("C_abc=A_ija*B_jbic", "ic-dgemm", "i'c-dgemm");
    assert_reads_as("C_abc=A_ija*B_jbic", "i'.c-dgemm", "i'c-dgemm");
    assert_reads_as("C_abc=A_ija*B_jbic", "i'At.c-dgemm", "i'c-dgemm");
    assert_reads_as("C_ab=A_aij*B_ijb", "i+.j+-dbrgemm@libxsmm", "j+.i+-dbrgemm@libxsmm");
    assert_reads_as("C_ab=A_aij*B_ijb", "i:4+.j+-dbrgemm@libxsmm", "j+.i:4+-dbrgemm@libxsmm");
    assert_reads_as("C_ab=A_ai*B_ib", "'ApBp.i:4+-dbrgemm@libxsmm", "'AB.i:4+-dbrgemm@libxsmm");
    assert_reads_as("C_xab=A_ai*B_ibx", "x'C-dgemm", "x'-dgemm");
    assert_reads_as("C_xab=A_ai*B_ibx", "x'Cr-dgemm", "x'-dgemm");
    assert_reads_as("C_xab+=A_ai*B_ibx", "x'Cr-dgemm", "x'-dgemm");
    assert_reads_as("C_xab+=A_ai*B_ibx", "x'C-dgemm", "x'C-dgemm");
}

/** A kernel without beta always needs a scaling node before it. */
static void the_start_of_contracted_loops_is_a_choice(void **state) {
    (void)state;
    assert_true(parsed((struct given){"C_abc=A_ija*B_jbic", "i:4=.i='A.c-dgemm"}).starts);
    assert_false(parsed((struct given){"C_abc=A_ija*B_jbic", "i:4.i'A.c-dgemm"}).starts);
    assert_false(parsed((struct given){"C_abc=A_ai*B_ibc", "b:2.c'C.b.i-daxpy"}).starts);
}

static void the_contraction_of_a_nest_gives_the_same_name(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_nest *nest = NULL;
    struct tcplan_algorithm algorithm;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_bda*B_dc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    assert_int_equal(
        tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, "a:8'Cs.a-dgemm", NULL),
        TCPLAN_OK);
    assert_int_equal(tcplan_nest_build(&nest, contraction, &algorithm, NULL), TCPLAN_OK);
    char *name = tcplan_algorithm_name(&nest->algorithm, nest->contraction, TCPLAN_DOUBLE);
    assert_string_equal(name, "a:8'Cs.a-dgemm");
    free(name);
    tcplan_nest_free(nest);
    tcplan_contraction_free(contraction);
}

static void canonical_algorithms_number_splits_from_the_outside_in(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    struct tcplan_algorithm algorithm = {
        .kernel = TCPLAN_GEMM,
        .loop_count = 3,
        .loop = {5, 2, 4, 17},
        .split_count = 2,
        .split = {{.index = 0, .step = 3}, {.index = 1, .step = 5}},
        .group = {1, 2, 8},
        .copy = {{.depth = -1, .transposed = true}, {.depth = -1}, {.depth = -1}},
        .parallel = -1};
    assert_int_equal(algorithm_check(&algorithm, contraction, NULL), TCPLAN_OK);
    algorithm_canonical(&algorithm, contraction);
    const struct tcplan_algorithm read =
        parsed((struct given){"C_abc=A_ai*B_ibc", "b:5.c.a:3-dgemm"});
    assert_same_algorithm(&algorithm, &read);
    tcplan_contraction_free(contraction);
}

static void canonical_algorithms_number_the_steps_that_are_summed_up_last(void **state) {
    (void)state;
    struct tcplan_contraction *contraction = NULL;
    assert_int_equal(
        tcplan_contraction_parse(&contraction, "C_abc=A_ai*B_ibc", TCPLAN_COLUMN_MAJOR, NULL),
        TCPLAN_OK);
    struct tcplan_algorithm algorithm = {
        .kernel = TCPLAN_BRGEMM,
        .provider = TCPLAN_PROVIDER_LIBXSMM,
        .loop_count = 2,
        .loop = {5, 2},
        .split_count = 2,
        .split = {{.index = 3, .step = 4}, {.index = 1, .step = 5}},
        .group = {1, 2, 8, 0, 16},
        .copy = {{.depth = -1}, {.depth = -1}, {.depth = -1}},
        .parallel = -1};
    assert_int_equal(algorithm_check(&algorithm, contraction, NULL), TCPLAN_OK);
    algorithm_canonical(&algorithm, contraction);
    const struct tcplan_algorithm read =
        parsed((struct given){"C_abc=A_ai*B_ibc", "b:5.c.i:4+-dbrgemm@libxsmm"});
    assert_same_algorithm(&algorithm, &read);
    tcplan_contraction_free(contraction);
}

/* Refused names. */

static void assert_refused(struct given given, const char *why) {
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    if (parse(given, &algorithm, &error) != TCPLAN_INVALID) fail_msg("\"%s\" is taken", given.name);
    assert_int_equal(error.length, strlen(given.name));
    if (!strstr(error.message, why)) fail_msg("no \"%s\" in \"%s\"", why, error.message);
}

static void only_kernels_that_can_stream_the_result(void **state) {
    (void)state;
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm's"}, "unknown kernel 'dgemm's'");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@libxsmm's"},
                   "the kernel cannot write its result with non-temporal stores");
    assert_refused(
        (struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'r"},
        "expected a tile (3x4), an unrolling (u8) or \"s\" after the apostrophe that follows the provider, found 'r'");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'"},
                   "the apostrophe that follows the provider, found ''");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'7x4"},
                   "1 to 6 vectors by 1 to 32 columns, as 3x4, found '7x4'");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'3x"}, "as 3x4, found '3x'");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'u65"},
                   "the number of products in a round of the innermost loop after 'u', 1 to 64");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@emitted'u8 "},
                   "the apostrophe that follows the provider, found ' '");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c-dgemm@libxsmm'3x4"},
                   "the kernel does not have this register tile or unrolling");
    assert_refused((struct given){"C_abc=A_ai*B_ibc", "c'C-dgemm@emitted's"},
                   "the kernel streams the result, so the result cannot have a temporary");
    assert_refused((struct given){"C_abc=A_ija*B_jbic", "i=.c-dgemm@emitted's"},
                   "the kernel cannot write its result with non-temporal stores"); /* contracted
                                                                                    * loops revisit
                                                                                    * the result
                                                                                    */
}

static void refusals_name_the_fault(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *why;
    } refused[] = {
        {"c.a+-dbrgemm@libxsmm", "'+' follows 'a', which is not a contracted index"},
        {"i+.c-dbrgemm@libxsmm", "there is a loop over 'c' inside the sum marked by '+'"},
        {"i:2+-dgemm@libxsmm", "indices have roles that the kernel does not have"},
        {"i:2+-dbrgemm", "its provider does not have the kernel"},
        {"a:2+-dbrgemm@libxsmm", "'+' follows 'a', which is not a contracted index"},
        {"i:0+-dbrgemm@libxsmm", "steps of 'i' are 1 to 2147483647 long"},
        {"i:2=+-dbrgemm@libxsmm", "expected '.' or '-', found '+-dbrgemm@libxsmm'"},
        {"i:4+.i:2-dbrgemm@libxsmm", "there is a loop over 'i' inside the sum marked by '+'"},
        {"i:4+.i:2+-dbrgemm@libxsmm",
         "the kernel sums over the steps of 'i' of length 4; expected the elements of a step in the kernel's k"},
        {"i:4+.i+-dbrgemm@libxsmm",
         "the kernel sums over the steps of 'i' of length 4; expected the elements of a step in the kernel's k"},
        {"i.i:4+-dbrgemm@libxsmm",
         "the kernel sums over the steps of 'i' of length 4; expected the elements of a step in the kernel's k"},
        {"c.i+'A-dbrgemm@libxsmm", "expected '.' or '-', found ''A-dbrgemm@libxsmm'"},
        {"c.i+.i+-dbrgemm@libxsmm", "there are two loops over 'i'"},
        {"c.i+-dgemm@libxsmm", "indices have roles that the kernel does not have"},
        {"c-dbrgemm@libxsmm", "indices have roles that the kernel does not have"},
        {"c.i+-dbrgemm", "its provider does not have the kernel"},
        {"c.i+-dbrgemm@blis", "its provider does not have the kernel"},
        {"a:-dgemm", "'a:-dgemm': expected the length of a step after 'a:'"},
        {"a:0-dgemm", "steps of 'a' are 1 to 2147483647 long"},
        {"a:2147483648-dgemm", "steps of 'a' are 1 to 2147483647 long"},
        {"a:99999999999999999999999-dgemm", "steps of 'a' are 1 to 2147483647 long"},
        {"a:8.a:8-dgemm",
         "steps of 'a' of length 8 are inside steps of length 8; expected a shorter length that divides the outer one"},
        {"a:8.a:16-dgemm",
         "steps of 'a' of length 16 are inside steps of length 8; expected a shorter length"},
        {"a:8.a:3-dgemm",
         "steps of 'a' of length 3 are inside steps of length 8; expected a shorter length"},
        {"a:64.a.a:8-dgemm", "the loop over 'a' is outside of that over its steps"},
        {"a:8'A+.c-dgemm", "expected the padding of a temporary in elements after '+', 1 to 65535"},
        {"a:8'A+0.c-dgemm", "expected the padding of a temporary in elements"},
        {"a:8'A+65536.c-dgemm", "expected the padding of a temporary in elements"},
        {"a:8.a.a-dgemm", "there are two loops over 'a'"},
        {"a.a:8-dgemm", "the loop over 'a' is outside of that over its steps"},
        {"x:8-dgemm", "there is no index 'x'"},
        {"a:8..c-dgemm", "expected an index, found '.c-dgemm'"},
        {"a:8,c-dgemm", "expected '.' or '-', found ',c-dgemm'"},
        {"c'BA-dgemm", "'A' cannot follow 'B': expected copies in the order A, B, C"},
        {"c'AA-dgemm", "'A' cannot follow 'A'"},
        {"'A.c'A-dgemm", "A is copied twice"},
        {"c:2'-dgemm", "expected the copied operands (A, B, C) after the apostrophe"},
        {"c'-dgemm", "an apostrophe must mark each loop at which operands are copied"},
        {"c'Bs-dgemm", "expected '.' or '-', found 's-dgemm'"},
        {"c'Cst-dgemm", "expected '.' or '-', found 't-dgemm'"},
        {"c'C'B-dgemm", "expected '.' or '-', found ''B-dgemm'"},
        {"'ABc-dgemm", "expected '.' or '-', found 'c-dgemm'"},
        {"c=-dgemm", "'=' follows 'c', which is not a contracted index"},
        {"i:2=.c:2.i-dgemm", "'=' must follow all contracted indices or none"},
        {"c|.b|.a|-ddot", "there are three parallel loops"},
        {"c|.i.b|-dgemv", "a loop lies between two parallel ones"},
        {"c|'C.b|.i-daxpy", "a loop that is marked parallel cannot be parallel"},
        {"i=|.c-dgemm", "a loop that is marked parallel cannot be parallel"},
        {"c|=-dgemm", "expected '.' or '-', found '=-dgemm'"},
        {"b.c-ddot", "indices have roles that the kernel does not have"},
        {"i=.b.c-dger", "indices have roles that the kernel does not have"},
        {"i=.c-dger", "'=' marks contracted loops, but the kernel has no beta"},
        {"'AB-dgem", "unknown kernel 'dgem'"},
        {"'AB-sgemm", "unknown kernel 'sgemm'"},
        {"c'A", "expected '-' and a kernel after the loops"},
        {"dgemm@nobody", "unknown provider of kernels 'nobody'"},
        {"c-dgemm@", "unknown provider of kernels ''"},
        {"c.a-dgemv@blis", "its provider does not have the kernel"},
        {"c'A-", "unknown kernel ''"},
    };
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        assert_refused((struct given){"C_abc=A_ai*B_ibc", refused[r].name}, refused[r].why);
    }
    assert_refused((struct given){"C_abc=A_bai*B_ibc", "a:2-dgemm"},
                   "the batch index 'b' has no loop");
    assert_refused((struct given){"C_abc=A_bda*B_dc", "d:8=-dgemm"},
                   "the kernel cannot take one of the operands");
    assert_refused(
        (struct given){"C_abcde=A_abcdei*B_i", "a:4.a:2.b:4.b:2.c:4.c:2.d:4.d:2.e:2-dgemv"},
        "there are more than 8 loops over tiles");
}

static void batch_indices_without_a_loop_are_in_the_element_wise_product(void **state) {
    (void)state;
    const struct tcplan_algorithm both = parsed((struct given){"C_abi=A_iab*B_ab", "i-dmul"});
    assert_int_equal(both.group[TCPLAN_H], 3);
    assert_int_equal(both.group[TCPLAN_M] | both.group[TCPLAN_N] | both.group[TCPLAN_K], 0);
    assert_reads_as("C_ab=A_ab*B_ba", "'B-dmul", "'B-dmul");
    assert_reads_as("C_ab+=A_ab*B_ab", "b:8'Cs.b-dmul", "b:8'Cs.b-dmul");
    assert_false(is_in_blas_space((struct given){"C_ab=A_ab*B_ab", "b-dmul"}));
    assert_refused((struct given){"C_ab=A_ab*B_ba", "dmul"},
                   "the kernel cannot take one of the operands");
    assert_refused((struct given){"C_ab=A_ab*B_ab", "ab-dmul"},
                   "indices have roles that the kernel does not have");
    assert_refused((struct given){"C_ab=A_abi*B_abi", "dmul"},
                   "indices have roles that the kernel does not have");
    assert_refused((struct given){"C_ab=A_ab*B_ab", "dmul@libxsmm"},
                   "its provider does not have the kernel");
    assert_refused((struct given){"C_ab=A_ab*B_ab", "dmul@blas2"},
                   "its provider does not have the kernel");
    assert_refused((struct given){"C_ab=A_ab*B_ab", "b-ddot"}, "the batch index 'a' has no loop");
}

static void plain_names_are_refused_with_the_nearest(void **state) {
    (void)state;
    assert_refused((struct given){"C_abc=A_bda*B_dc", "dgemm"},
                   "; the nearest: b'-dgemm, a'-dgemm, ");
}

enum { LONGEST_NAME = 1024 };

/** Makes C[x0,...] = A[x0,...] * B[x0,...] with 63 indices and `last`, and joins
 * the names of these 63 by `separator` in `loops`. */
static struct tcplan_contraction *of_64_indices(const char *last, char loops[LONGEST_NAME],
                                                const char *separator) {
    static char text[4 * LONGEST_NAME];
    char list[LONGEST_NAME] = "";
    struct tcplan_contraction *contraction = NULL;
    struct tcplan_error error = {0};
    loops[0] = '\0';
    for (int i = 0; i < TCPLAN_MAX_INDICES - 1; i++) {
        const size_t length = strlen(list), width = strlen(loops);
        snprintf(list + length, sizeof list - length, "x%d,", i);
        snprintf(loops + width, LONGEST_NAME - width, "%sx%d", i > 0 ? separator : "", i);
    }
    list[strlen(list) - 1] = '\0';
    snprintf(text, sizeof text, "C[%s%s]=A[%s,y]*B[%s,y]", list, last, list, list);
    if (tcplan_contraction_parse(&contraction, text, TCPLAN_COLUMN_MAJOR, &error))
        fail_msg("%s", error.message);
    assert_int_equal(contraction->index_count, TCPLAN_MAX_INDICES);
    return contraction;
}

static void assert_reads_back(const struct tcplan_contraction *contraction, const char *name) {
    struct tcplan_algorithm algorithm;
    struct tcplan_nest *nest = NULL;
    struct tcplan_error error = {0};
    if (tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, &error))
        fail_msg("%s", error.message);
    char *own = tcplan_algorithm_name(&algorithm, contraction, TCPLAN_DOUBLE);
    assert_string_equal(own, name);
    if (tcplan_nest_build(&nest, contraction, &algorithm, &error)) fail_msg("%s", error.message);
    tcplan_nest_free(nest);
    free(own);
}

static void algorithms_with_64_loops_have_names(void **state) {
    (void)state;
    char loops[LONGEST_NAME], name[2 * LONGEST_NAME];
    struct tcplan_contraction *contraction = of_64_indices(",y", loops, ".");
    snprintf(name, sizeof name, "%s.y-ddot", loops);
    assert_reads_back(contraction, name);
    tcplan_contraction_free(contraction);
}

static void algorithms_of_64_indices_may_have_parallel_loops(void **state) {
    (void)state;
    char loops[LONGEST_NAME], name[2 * LONGEST_NAME];
    struct tcplan_contraction *contraction = of_64_indices("", loops, ".");
    snprintf(name, sizeof name, "x62|.%.*s-ddot", (int)(strlen(loops) - strlen(".x62")), loops);
    assert_reads_back(contraction, name);
    tcplan_contraction_free(contraction);
}

static void steps_beyond_64_indices_are_refused(void **state) {
    (void)state;
    char loops[LONGEST_NAME], name[2 * LONGEST_NAME];
    struct tcplan_algorithm algorithm;
    struct tcplan_error error = {0};
    struct tcplan_contraction *contraction = of_64_indices("", loops, ".");
    snprintf(name, sizeof name, "x0:2.%s-ddot", loops);
    assert_int_equal(tcplan_algorithm_parse(&algorithm, contraction, TCPLAN_DOUBLE, name, &error),
                     TCPLAN_INVALID);
    assert_non_null(strstr(error.message, "at most 64 indices and tiles"));
    tcplan_contraction_free(contraction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_random_algorithm_read_back_and_mangled_ones_do_no_harm),
        cmocka_unit_test(names_with_indices_called_as_operands_read_back),
        cmocka_unit_test(indices_without_a_loop_are_fused_in_the_kernel),
        cmocka_unit_test(a_tile_has_a_loop_in_steps_and_its_points_in_the_kernel_or_in_another),
        cmocka_unit_test(copies_are_named_at_their_loop),
        cmocka_unit_test(batch_indices_without_a_loop_are_in_the_element_wise_product),
        cmocka_unit_test(contracted_and_parallel_loops_are_marked),
        cmocka_unit_test(two_loops_are_collapsed),
        cmocka_unit_test(kernels_of_others_than_the_blas_name_their_provider),
        cmocka_unit_test(a_kernel_that_streams_the_result_is_marked),
        cmocka_unit_test(only_kernels_that_can_stream_the_result),
        cmocka_unit_test(register_tile_and_unrolling_follow_the_provider),
        cmocka_unit_test(a_plus_marks_the_index_of_a_sum_of_products),
        cmocka_unit_test(a_plus_after_a_step_marks_summed_steps),
        cmocka_unit_test(long_index_names_have_the_same_grammar),
        cmocka_unit_test(the_name_of_the_blas_space_is_that_of_its_algorithm),
        cmocka_unit_test(indices_called_as_operands_have_dots_before_them),
        cmocka_unit_test(other_spellings_are_read),
        cmocka_unit_test(the_start_of_contracted_loops_is_a_choice),
        cmocka_unit_test(the_contraction_of_a_nest_gives_the_same_name),
        cmocka_unit_test(canonical_algorithms_number_splits_from_the_outside_in),
        cmocka_unit_test(canonical_algorithms_number_the_steps_that_are_summed_up_last),
        cmocka_unit_test(refusals_name_the_fault),
        cmocka_unit_test(plain_names_are_refused_with_the_nearest),
        cmocka_unit_test(algorithms_with_64_loops_have_names),
        cmocka_unit_test(algorithms_of_64_indices_may_have_parallel_loops),
        cmocka_unit_test(steps_beyond_64_indices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
